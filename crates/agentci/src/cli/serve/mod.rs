//! `agentci serve`: runs the mock servers of a world on their own.

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
    /// Serve a scripted model for the OpenAI and Anthropic SDKs
    Llm(llm::LlmArguments),
    /// Serve a scripted or recorded MCP server over HTTP or stdio
    Mcp(mcp::McpArguments),
    /// Serve the tool fixtures of scenarios, or of native suites with `routes`
    Tools(tools::ToolsArguments),
}

/// Where a server is.
#[derive(Debug, Args)]
struct AddressArguments {
    /// Port to listen on [default: any free port]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
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
    // Does not wait for threads that are blocked on input.
    runtime.shutdown_background();
    status
}

/// The signals that stop a server.
fn signals() -> Result<Signals, CliError> {
    Signals::listen().map_err(|_| CliError::plain("cannot listen for signals"))
}

/// The error for an address that cannot be used.
fn not_served(error: impl Error) -> CliError {
    CliError::new(error.to_string(), "choose another with `--port` or `--bind`; port 0 is any free port")
}
