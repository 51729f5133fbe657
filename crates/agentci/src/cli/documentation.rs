//! What `crates/dev` needs to document the command line.

use agentci::plan::Suite;
use clap::{CommandFactory as _, Parser as _};

use super::{Arguments, CliCommand, Suites, gates};

/// All commands with their flags.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Whether the flags of a `run` command line apply to these suites; `None` if it cannot be parsed.
pub fn fits(words: &[&str], suites: &Suites) -> Option<bool> {
    let Ok(Arguments { command: Some(CliCommand::Run(given)), .. }) = Arguments::try_parse_from(words) else {
        return None;
    };
    Some(given.dialects.fit(suites).is_ok())
}

/// The default number of cases of a suite that run in parallel, where `usual` is the default of other suites.
pub fn parallel(suite: &Suite, usual: usize) -> usize {
    gates::parallel(suite, usual)
}
