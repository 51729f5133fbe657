//! `agentci serve`: what stands in for the world, by itself.

mod llm;
mod mcp;
mod tools;

use std::net::IpAddr;

use agentci::verdict::ExitStatus;
use clap::{Args, Subcommand};

use super::context::Context;

/// What helps when an address can not be had.
const OTHER_ADDRESS: &str = "choose another with `--port` or `--bind`; 0 is any free port";

/// Arguments of `agentci serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A model that is a script, for OpenAI's and Anthropic's SDKs
    Llm(llm::LlmArguments),
    /// An MCP server that is a script or was recorded, over HTTP or standard input and output
    Mcp(mcp::McpArguments),
    /// The tools of scenarios, or of native suites with routes, answered from their fixtures
    Tools(tools::ToolsArguments),
}

/// Where a server is.
#[derive(Debug, Args)]
struct AddressArguments {
    /// The port [default: any free port]
    #[arg(long, value_name = "P", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// The address [default: reachable from this machine only]
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", hide_default_value = true)]
    bind: IpAddr,
}

pub(crate) fn serve(arguments: ServeArguments, context: &Context) -> ExitStatus {
    match arguments.what {
        What::Llm(arguments) => llm::serve(&arguments, context),
        What::Mcp(arguments) => mcp::serve(&arguments, context),
        What::Tools(arguments) => tools::serve(&arguments, context),
    }
}

/// Runs a server on this thread.
fn block_on(serving: impl Future<Output = ExitStatus>, context: &Context) -> ExitStatus {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            let status = runtime.block_on(serving);
            // Whoever waits for input on a thread of its own is not waited for.
            runtime.shutdown_background();
            status
        }
        Err(error) => {
            context.complain(&format!("no runtime could be made: {error}"), None);
            ExitStatus::Failed
        }
    }
}

/// What tells a server to end.
struct Signals([tokio::signal::unix::Signal; 3]);

impl Signals {
    /// Begins to listen; says so if that can not be done.
    fn listen(context: &Context) -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        let (Ok(interrupt), Ok(terminate), Ok(hang_up)) = signals else {
            context.complain("signals can not be waited for", None);
            return None;
        };
        Some(Self([interrupt, terminate, hang_up]))
    }

    /// Waits for one of them.
    async fn any(&mut self) {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}
