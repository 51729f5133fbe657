//! `agentci serve mcp`: serves a scripted or recorded MCP server for any client.

use std::path::PathBuf;
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_mcp_script;
use agentci::mock_mcp::{McpServer, McpServerOptions, McpTape, ServerEvent, ServerState, serve as serve_lines};
use agentci::source::{Diagnostic, Diagnostics, Sources};
use agentci_recorder::load;
use clap::Args;
use serde_json::json;
use tokio::io::BufReader;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{AddressArguments, block_on, not_served, signals};
use crate::cli::mcp_servers::tape_help;
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus};

/// Arguments of `agentci serve mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// Server script, or a recording (`.jsonl`) of an agent that used the server
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Server to pick from a recording: a substring that only its URL or command contains
    #[arg(long, value_name = "TEXT")]
    server: Option<String>,
    /// Serve over standard input and output instead of HTTP, until the input ends
    #[arg(long, conflicts_with_all = ["port", "bind"])]
    stdio: bool,
    #[command(flatten)]
    address: AddressArguments,
}

pub(super) fn serve(arguments: &McpArguments, context: &CliContext) -> CommandResult {
    let (to, seen) = unbounded_channel();
    let is_recording = arguments.script.extension().is_some_and(|extension| extension == "jsonl");
    let state = if is_recording { recorded(arguments, to)? } else { scripted(arguments, to, context)? };
    block_on(until_signal(Arc::new(state), seen, arguments, context))
}

/// The state of a scripted server.
fn scripted(
    arguments: &McpArguments,
    to: UnboundedSender<ServerEvent>,
    context: &CliContext,
) -> Result<ServerState, CliError> {
    if arguments.server.is_some() {
        let message = "`--server` selects a server of a recording, but this is a script";
        return Err(CliError::new(message, "leave it out, or pass a recording that ends in `.jsonl`"));
    }
    let mut sources = Sources::default();
    let state = load_mcp_script(&DiskFiles, &mut sources, &arguments.script).and_then(|script| {
        ServerState::new(Arc::new(script), Some(Box::new(to))).map_err(|error| {
            let mut problems = Diagnostics::default();
            problems.push(Diagnostic::error(error.span, error.to_string()).label("this tool"));
            problems
        })
    });
    state.map_err(|problems| {
        context.show(&problems, &sources);
        CliError::told()
    })
}

/// The state of a recorded server.
fn recorded(arguments: &McpArguments, to: UnboundedSender<ServerEvent>) -> Result<ServerState, CliError> {
    let recording = load(&arguments.script).map_err(CliError::plain)?;
    let tape = McpTape::of(&recording, arguments.server.as_deref()).map_err(|error| {
        let message = format!("`{}` cannot be served: {error}", arguments.script.display());
        CliError::new(message, tape_help(&error, "--server TEXT"))
    })?;
    Ok(ServerState::recorded(tape, Some(Box::new(to))))
}

async fn until_signal(
    state: Arc<ServerState>,
    seen: UnboundedReceiver<ServerEvent>,
    arguments: &McpArguments,
    context: &CliContext,
) -> CommandResult {
    let mut signals = signals()?;
    if arguments.stdio {
        let serving = serve_lines(state, BufReader::new(tokio::io::stdin()), tokio::io::stdout());
        let served = tokio::select! {
            biased;
            () = tell(seen, context) => Ok(()),
            served = serving => served,
            _ = signals.next() => Ok(()),
        };
        served.map_err(|error| CliError::plain(format!("the client cannot be reached: {error}")))?;
        return Ok(ExitStatus::Success);
    }
    let AddressArguments { bind, port } = arguments.address;
    let server = McpServer::start(state, McpServerOptions { bind, port }).await.map_err(not_served)?;
    context.print(&format!("{}\n", json!({ "url": server.url(), "sse_url": server.sse_url() })));
    tokio::select! {
        biased;
        () = tell(seen, context) => {}
        _ = signals.next() => {}
    }
    drop(server);
    Ok(ExitStatus::Success)
}

/// Prints requests that the script or the recording cannot answer. Never returns.
async fn tell(mut seen: UnboundedReceiver<ServerEvent>, context: &CliContext) {
    while let Some(seen) = seen.recv().await {
        if let ServerEvent::Miss { message, .. } = seen {
            context.say(&format!("missed: {message}\n"));
        }
    }
    std::future::pending::<()>().await;
}
