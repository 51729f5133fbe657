//! `agentci completions`: generates shell completions.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{CliContext, ExitStatus};

/// Arguments of `agentci completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Shell to generate completions for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn completions(arguments: &CompletionsArguments, context: &CliContext) -> ExitStatus {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::Arguments::command(), "agentci", &mut script);
    context.print(&String::from_utf8_lossy(&script));
    ExitStatus::Success
}
