//! What helps against a miss that recording again does not help against.

use std::fmt;

/// What helps where recording again does not. As text it is for a command; a suite has no flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// The agent needs this address, and no recording can hold what is said there.
    Allow(String),
    /// The same, and nobody listens there.
    Start(String),
    /// What is exchanged with this address is too large to be kept.
    Less(String),
}

impl Remedy {
    /// The remedy for something too large that was exchanged with this origin.
    pub(crate) fn less(origin: &str) -> Self {
        Self::Less(origin.split_once("://").map_or(origin, |(_, authority)| authority).to_owned())
    }

    /// What helps in a suite.
    pub fn in_suite(&self) -> String {
        match self {
            Self::Allow(address) | Self::Start(address) => {
                format!("a replay reaches no live server: have the agent do without {address} in this case")
            }
            Self::Less(_) => "recording it again does not help: have the agent send and ask for less".into(),
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow(address) => write!(out, "`--allow {address}` lets the agent reach it in a replay"),
            Self::Start(address) => {
                write!(out, "if the agent needs that server in a replay, start it and permit it: `--allow {address}`")
            }
            Self::Less(address) => write!(
                out,
                "recording it again does not help: have the agent send and ask for less, \
                 or let it reach the server in a replay with `--allow {address}`"
            ),
        }
    }
}
