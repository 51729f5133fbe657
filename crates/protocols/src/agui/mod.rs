//! The client's side of AG-UI 1.0, tolerant of 0.x: no network, no clock, no randomness.
//!
//! A [`AguiThread`] is what is known of a thread between runs: the history, the state, the open interrupts, the tools that the
//! client offers. It makes the bodies of requests. A [`AguiReader`] takes the events of one answer, one by one and each with the
//! moment it arrived, keeps the conversation up to date, and gives out [`AguiStep`]s, which are what goes into the trace. When the
//! answer is over it tells how in an [`AnswerEnding`].
//!
//! ```text
//! say, answer ─▶ Conversation ─▶ run_input ─▶ (POST) ─▶ events ─▶ Reader ─▶ steps, ending
//!                     ▲                                             │
//!                     └───── messages, state, interrupts ───────────┘
//! ```
//!
//! A tester must tell what an ordinary client hides: an event that breaks a rule and can be understood all the same is a
//! [`Violation`](agentci_trace::EventKind::Violation) among the steps, and one that cannot is [`AguiError`], which ends the reading.

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
pub use ending::{AnswerEnding, RunOutcome};
pub use fields::AguiError;
pub use interrupt::{Interrupt, Resume, names};
pub use reader::{AguiReader, AguiStep};
