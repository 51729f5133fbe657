//! The client's side of A2A 1.0 and 0.3.
//!
//! A [`Card`] says where an agent is and what it speaks. A [`Conversation`] is what is known between turns: the context and the
//! last task. It makes the [`Outgoing`] message of a turn, which a [`Call`] turns into a request of the agent's version and
//! binding. A [`Reader`] takes what comes back, keeps the conversation up to date and gives out what goes into the trace. All of
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

pub use card::{Binding, Card, Interface, Protocol, Version};
pub use conversation::Conversation;
pub use fields::{Broken, cut, shown};
pub use item::{Item, Message, Piece, Status, TaskNews};
pub use outgoing::{Call, Method, Outgoing, Prepared, escape};
pub use part::{Content, Part};
pub use reader::{Ending, Reader};
pub use refusal::Refusal;
pub use state::TaskState;
pub use task::Task;
