//! Time travel: the first calls are answered from a recording, and the rest goes on live or with a scripted model.
//!
//! ```text
//! recording ─▶ change: `/calls/6/result=..` ─▶ cut at `until` ─▶ the beginning, which must be asked for as it was recorded
//!                                                             └▶ the rest, for a tool that is asked the same again
//! ```
//!
//! What is here is pure; `proxy/fork.rs` answers requests with it.

mod answer;
mod change;
mod cut;
mod scripted;

pub use change::{AnswerChange, ChangeError, SpokenCall, change};
pub(crate) use cut::ForkCut;
pub(crate) use scripted::scripted_path;

use std::net::SocketAddr;

/// Where a replay leaves its recording, and how it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The last call that is answered from the recording, as `agentci recording show` numbers them; 0 for none.
    pub until: u64,
    /// What answers after it.
    pub then: Then,
    /// Calls of the model up to there that are answered by a scripted model at this address.
    pub spoken: Vec<(u64, SocketAddr)>,
}

/// What answers after the last call of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The live world.
    Live,
    /// A scripted model at this address, and the rest of the recording for tools that are asked the same again.
    Script(SocketAddr),
}

/// How a fork went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forked {
    /// Whether the agent made a call before the fork that is not recorded there.
    pub lost: bool,
    /// Calls up to the fork that the agent did not make; if there are any, it did not get there.
    pub awaited: Vec<u64>,
    /// Calls after it that the live world answered.
    pub live: usize,
    /// Calls after it that the scripted model answered.
    pub scripted: usize,
    /// Calls after it that the rest of the recording answered.
    pub recorded: usize,
}

impl Forked {
    /// Whether the agent got to the fork as it was recorded.
    pub fn is_reached(&self) -> bool {
        !self.lost && self.awaited.is_empty()
    }
}
