//! The client's side of AG-UI 1.0, tolerant of 0.x: no network, no clock, no randomness.
//!
//! An [`AguiThread`] is the state of a thread between runs: the history, the state, the open interrupts, and the client
//! tools. It builds the bodies of requests. An [`AguiReader`] reads the events of one answer with their arrival times,
//! updates the thread, and returns [`AguiStep`]s for the trace. An [`AnswerEnding`] describes how the answer ended.
//!
//! ```text
//! say, answer ─▶ Conversation ─▶ run_input ─▶ (POST) ─▶ events ─▶ Reader ─▶ steps, ending
//!                     ▲                                             │
//!                     └───── messages, state, interrupts ───────────┘
//! ```
//!
//! Unlike an ordinary client, a tester reports violations: an invalid event that can still be understood is a
//! [`Violation`](agentci_trace::EventKind::Violation) among the steps; otherwise it is an [`AguiError`], which ends
//! reading.

mod call_events;
mod calls;
mod chunks;
mod content;
mod conversation;
mod ending;
mod event_types;
mod fields;
mod history;
mod interrupt;
mod lint;
mod message;
mod other_events;
mod patch;
mod reader;
mod run_events;
mod snapshot;
mod text_events;
mod usage;

#[cfg(test)]
mod tests;

pub use conversation::{AguiMethod, AguiThread, VERSION, envelope};
pub use ending::{AnswerEnding, CutShort, RunOutcome};
pub use fields::AguiError;
pub use interrupt::{Interrupt, Resume, names};
pub use reader::{AguiReader, AguiStep};
