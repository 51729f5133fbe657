//! What `crates/dev` has to know to document the command line.

use agentci::plan::Suite;
use clap::{CommandFactory as _, Parser as _};

use super::{Arguments, CliCommand, Suites, gates};

/// Every command with its flags.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Whether the flags of a command line of `run` may be used with these suites; nothing if it cannot be parsed.
pub fn fits(words: &[&str], suites: &Suites) -> Option<bool> {
    let Ok(Arguments { command: Some(CliCommand::Run(given)), .. }) = Arguments::try_parse_from(words) else {
        return None;
    };
    Some(given.dialects.fit(suites).is_ok())
}

/// How many cases of a suite run at once by default, where others would run `usual` at once.
pub fn parallel(suite: &Suite, usual: usize) -> usize {
    gates::parallel(suite, usual)
}
