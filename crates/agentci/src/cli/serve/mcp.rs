//! `agentci serve mcp`: an MCP server that is a script or was recorded, for any client.

use std::path::PathBuf;
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_mcp_script;
use agentci::mock_mcp::{McpServer, Mind, Seen, ServerOptions, Tape, TapeError, serve as serve_lines};
use agentci::source::{Diagnostic, Diagnostics, Sources};
use agentci::verdict::ExitStatus;
use agentci_recorder::load;
use clap::Args;
use serde_json::json;
use tokio::io::BufReader;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{AddressArguments, OTHER_ADDRESS, Signals, block_on};
use crate::cli::context::Context;

/// Arguments of `agentci serve mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// The server's script, or a recording (`.jsonl`) of an agent that spoke to it
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Which server of a recording: a text that occurs in its address or command, and in no other's
    #[arg(long, value_name = "TEXT")]
    server: Option<String>,
    /// Speak over standard input and output instead of HTTP, until the input ends
    #[arg(long, conflicts_with_all = ["port", "bind"])]
    stdio: bool,
    #[command(flatten)]
    address: AddressArguments,
}

pub(super) fn serve(arguments: &McpArguments, context: &Context) -> ExitStatus {
    let (to, seen) = unbounded_channel();
    let is_recording = arguments.script.extension().is_some_and(|extension| extension == "jsonl");
    let mind = if is_recording { recorded(arguments, to, context) } else { scripted(arguments, to, context) };
    match mind {
        Some(mind) => block_on(until_signal(Arc::new(mind), seen, arguments, context), context),
        None => ExitStatus::Failed,
    }
}

/// The server that is a script; nothing if it was said what is wrong with it.
fn scripted(arguments: &McpArguments, to: UnboundedSender<Seen>, context: &Context) -> Option<Mind> {
    if arguments.server.is_some() {
        let help = "leave it out, or name a recording that ends in `.jsonl`";
        context.complain("`--server` chooses among the servers of a recording, and this is a script", Some(help));
        return None;
    }
    let mut sources = Sources::default();
    let mind = load_mcp_script(&DiskFiles, &mut sources, &arguments.script).and_then(|script| {
        Mind::new(Arc::new(script), Some(Box::new(to))).map_err(|error| {
            let mut problems = Diagnostics::default();
            problems.push(Diagnostic::error(error.span, error.to_string()).label("this tool"));
            problems
        })
    });
    mind.inspect_err(|problems| context.show(problems, &sources)).ok()
}

/// The server that was recorded; nothing if it was said what is wrong with it.
fn recorded(arguments: &McpArguments, to: UnboundedSender<Seen>, context: &Context) -> Option<Mind> {
    let recording = load(&arguments.script).inspect_err(|error| context.complain(&error.to_string(), None)).ok()?;
    let tape = Tape::of(&recording, arguments.server.as_deref()).inspect_err(|error| {
        let help = match error {
            TapeError::None => error.help().to_owned(),
            TapeError::Unknown { .. } | TapeError::Several(_) => format!("{}: `--server TEXT`", error.help()),
        };
        context.complain(&format!("`{}` cannot be served: {error}", arguments.script.display()), Some(&help));
    });
    Some(Mind::recorded(tape.ok()?, Some(Box::new(to))))
}

async fn until_signal(
    mind: Arc<Mind>,
    seen: UnboundedReceiver<Seen>,
    arguments: &McpArguments,
    context: &Context,
) -> ExitStatus {
    let Some(mut signals) = Signals::listen(context) else { return ExitStatus::Failed };
    if arguments.stdio {
        let serving = serve_lines(mind, BufReader::new(tokio::io::stdin()), tokio::io::stdout());
        return tokio::select! {
            biased;
            () = tell(seen, context) => ExitStatus::Success,
            served = serving => match served {
                Ok(()) => ExitStatus::Success,
                Err(error) => {
                    context.complain(&format!("the client cannot be reached: {error}"), None);
                    ExitStatus::Failed
                }
            },
            () = signals.any() => ExitStatus::Success,
        };
    }
    let AddressArguments { bind, port } = arguments.address;
    let server = match McpServer::start(mind, ServerOptions { bind, port }).await {
        Ok(server) => server,
        Err(error) => {
            context.complain(&error.to_string(), Some(OTHER_ADDRESS));
            return ExitStatus::Failed;
        }
    };
    context.print(&format!("{}\n", json!({ "url": server.url(), "sse_url": server.sse_url() })));
    tokio::select! {
        biased;
        () = tell(seen, context) => {}
        () = signals.any() => {}
    }
    drop(server);
    ExitStatus::Success
}

/// Says what was asked for and is not in the script or the recording, as long as there is a server.
async fn tell(mut seen: UnboundedReceiver<Seen>, context: &Context) {
    while let Some(seen) = seen.recv().await {
        if let Seen::Miss { message, .. } = seen {
            context.say(&format!("missed: {message}\n"));
        }
    }
    std::future::pending::<()>().await;
}
