//! The client's side of A2A 1.0 and 0.3.
//!
//! A [`Card`] contains the interface of an agent. An [`A2aConversation`] is the state between turns: the context and
//! the last task. It completes the [`OutgoingMessage`] of a turn, which an [`A2aCall`] turns into a request in the
//! agent's version and binding. An [`A2aReader`] reads the answer, updates the conversation and returns trace events.
//! All of this is independent of network, clock and randomness, which the caller adds.
//!
//! ```text
//! say ─▶ Conversation ─▶ Outgoing ─▶ Call ─▶ (HTTP) ─▶ items ─▶ Reader ─▶ trace, ending
//!             ▲                                          │
//!             └────────────── context, task ─────────────┘
//! ```
//!
//! The text of a turn is the agent's message, or the texts of its artifacts in order, followed by the message with
//! which the task completes or waits. Messages while the task is working are logged.

mod card;
mod conversation;
mod fields;
mod item;
mod outgoing;
mod part;
mod reader;
mod refusal;
mod state;
mod task;

#[cfg(test)]
mod tests;

pub use card::{A2aProtocol, A2aVersion, Binding, Card, Interface};
pub use conversation::A2aConversation;
pub use fields::{A2aError, cut, shown};
pub use item::{A2aItem, A2aMessage, ArtifactPiece, TaskNews, TaskStatus};
pub use outgoing::{A2aCall, A2aMethod, OutgoingMessage, PreparedCall};
pub use part::{A2aPart, PartContent};
pub use reader::{A2aReader, TurnStanding};
pub use refusal::A2aRefusal;
pub use state::TaskState;
pub use task::A2aTask;
