//! `agentci tap`: relays between a host and its MCP server, so that their messages are recorded.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::context::Color;
use super::{CliContext, ExitStatus};

/// Arguments of `agentci tap`.
#[derive(Debug, Args)]
pub(crate) struct TapArguments {
    /// Session directory of the recorder [default: found through `PATH`; if there is none, nothing is recorded]
    #[arg(long, value_name = "DIR", hide = true)]
    session: Option<PathBuf>,
    /// Command of the MCP server and its arguments
    #[arg(last = true, value_name = "CMD", required = true)]
    command: Vec<OsString>,
}

/// Runs `tap` before clap builds the flags of all commands, since shims start it for each program that an agent starts.
pub(crate) fn at_once(words: &[OsString]) -> Option<ExitStatus> {
    let (session, command) = match words {
        [_, tap, flag, session, dashes, command @ ..] if tap == "tap" && flag == "--session" && dashes == "--" => {
            (Some(session.into()), command)
        }
        [_, tap, dashes, command @ ..] if tap == "tap" && dashes == "--" => (None, command),
        _ => return None,
    };
    let arguments = TapArguments { session, command: command.to_vec() };
    (!arguments.command.is_empty()).then(|| tap(&arguments, &CliContext::new(Color::Auto, &[])))
}

pub(crate) fn tap(arguments: &TapArguments, context: &CliContext) -> ExitStatus {
    match agentci_recorder::tap(arguments.session.as_deref(), &arguments.command) {
        Ok(0) => ExitStatus::Success,
        Ok(code) => ExitStatus::Command(code),
        Err(error) => {
            context.complain(&error.to_string(), Some("pass the command of the MCP server after `--`"));
            // The exit code of a shell for a missing program.
            ExitStatus::Command(127)
        }
    }
}
