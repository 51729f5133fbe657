//! The client's side of A2A 1.0 and 0.3.
//!
//! A [`Card`] says where an agent is and what it speaks. A [`A2aConversation`] is what is known between turns: the context and the
//! last task. It makes the [`OutgoingMessage`] message of a turn, which a [`A2aCall`] turns into a request of the agent's version and
//! binding. A [`A2aReader`] takes what comes back, keeps the conversation up to date and gives out what goes into the trace. All of
//! that is free of network, clock and randomness; whoever uses it adds them.
//!
//! ```text
//! say ─▶ Conversation ─▶ Outgoing ─▶ Call ─▶ (HTTP) ─▶ items ─▶ Reader ─▶ trace, ending
//!             ▲                                          │
//!             └────────────── context, task ─────────────┘
//! ```
//!
//! The text of a turn is the agent's message, or the texts of its artifacts in order and the message with which the task is done
//! or waits. What it says while it works goes to the log.

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
