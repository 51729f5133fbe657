//! Forks a recording: it answers the first calls, and the live world or a scripted model answers the rest.
//!
//! ```text
//! recording ─▶ change: `/calls/6/result=..` ─▶ split at `until` ─▶ the beginning, which the agent must repeat
//!                                                               └▶ the rest, for tool calls that are the same again
//! ```
//!
//! This module is pure; `proxy/forking/fork.rs` answers requests with it.

mod answer;
mod change;
mod cut;
mod scripted;

pub use change::{AnswerChange, ChangeError, SpokenCall, change};
pub(crate) use cut::ForkCut;
pub(crate) use scripted::scripted_path;

use std::net::SocketAddr;

/// Where a replay leaves its recording, and how it continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The last call that the recording answers, as numbered by `agentci recording show`; 0 for none.
    pub until: u64,
    /// What answers the later calls.
    pub then: AfterFork,
    /// Model calls up to the fork that a scripted model at this address answers.
    pub spoken: Vec<(u64, SocketAddr)>,
}

/// What answers the calls after the fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFork {
    /// The live world.
    Live,
    /// A scripted model at this address, and the rest of the recording for tool calls that are the same again.
    Script(SocketAddr),
}

/// The outcome of a fork.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forked {
    /// Whether the agent made a call before the fork that is not in the recording.
    pub lost: bool,
    /// Calls up to the fork that the agent did not make; if there are any, the fork was not reached.
    pub awaited: Vec<u64>,
    /// Calls after the fork that the live world answered.
    pub live: usize,
    /// Calls after the fork that the scripted model answered.
    pub scripted: usize,
    /// Calls after the fork that the rest of the recording answered.
    pub recorded: usize,
}

impl Forked {
    /// Whether the agent reached the fork as recorded.
    pub fn is_reached(&self) -> bool {
        !self.lost && self.awaited.is_empty()
    }
}
