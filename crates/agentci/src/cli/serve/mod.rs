//! `agentci serve`: what stands in for the world, by itself.

mod llm;
mod mcp;
mod tools;

pub(super) use llm::model_script;

use std::error::Error;
use std::net::IpAddr;

use clap::{Args, Subcommand};

use super::signals::Signals;
use super::{CliContext, CliError, CommandResult, runtime};

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
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

pub(crate) fn serve(command: &ServeCommand, context: &CliContext) -> CommandResult {
    match command {
        ServeCommand::Llm(arguments) => llm::serve(arguments, context),
        ServeCommand::Mcp(arguments) => mcp::serve(arguments, context),
        ServeCommand::Tools(arguments) => tools::serve(arguments, context),
    }
}

/// Runs a server on this thread.
fn block_on(serving: impl Future<Output = CommandResult>) -> CommandResult {
    let runtime = runtime()?;
    let status = runtime.block_on(serving);
    // Whoever waits for input on a thread of its own is not waited for.
    runtime.shutdown_background();
    status
}

/// What tells a server to end.
fn signals() -> Result<Signals, CliError> {
    Signals::listen().map_err(|_| CliError::plain("signals can not be waited for"))
}

/// An address that cannot be served.
fn not_served(error: impl Error) -> CliError {
    CliError::new(error.to_string(), "choose another with `--port` or `--bind`; 0 is any free port")
}
