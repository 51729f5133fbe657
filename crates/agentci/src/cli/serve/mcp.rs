//! `agentci serve mcp`: an MCP server that is a script, for any client.

use std::path::PathBuf;
use std::sync::Arc;

use agentci::DiskFiles;
use agentci::formats::load_mcp_script;
use agentci::mock_mcp::{McpServer, Mind, Seen, ServerOptions, serve as serve_lines};
use agentci::source::{Diagnostic, Diagnostics, Sources};
use agentci::verdict::ExitStatus;
use clap::Args;
use serde_json::json;
use tokio::io::BufReader;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{AddressArguments, OTHER_ADDRESS, Signals, block_on};
use crate::cli::context::Context;

/// Arguments of `agentci serve mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// The server's script
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Speak over standard input and output instead of HTTP, until the input ends
    #[arg(long, conflicts_with_all = ["port", "bind"])]
    stdio: bool,
    #[command(flatten)]
    address: AddressArguments,
}

pub(super) fn serve(arguments: &McpArguments, context: &Context) -> ExitStatus {
    let mut sources = Sources::default();
    let (to, seen) = unbounded_channel();
    let mind = load_mcp_script(&DiskFiles, &mut sources, &arguments.script).and_then(|script| {
        Mind::new(Arc::new(script), Some(to)).map_err(|error| {
            let mut problems = Diagnostics::default();
            problems.push(Diagnostic::error(error.span, error.to_string()).label("this tool"));
            problems
        })
    });
    match mind {
        Ok(mind) => block_on(until_signal(Arc::new(mind), seen, arguments, context), context),
        Err(problems) => {
            context.show(&problems, &sources);
            ExitStatus::Failed
        }
    }
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

/// Says what was asked for and is not in the script, as long as there is a server.
async fn tell(mut seen: UnboundedReceiver<Seen>, context: &Context) {
    while let Some(seen) = seen.recv().await {
        if let Seen::Miss { message } = seen {
            context.say(&format!("missed: {message}\n"));
        }
    }
    std::future::pending::<()>().await;
}
