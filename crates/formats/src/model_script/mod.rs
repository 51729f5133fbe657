//! Reads the script of a model that replaces a real one.
//!
//! ```yaml
//! model: gpt-test
//! rules:
//!   - when: { user: refund, tool_result: true }
//!     reply: It was refunded.
//!   - when: { user: { regex: "order (\\w+)" } }
//!     tool_calls: [{ name: search_orders, args: { id: A-17 } }]
//!   - when: { user: slow }
//!     reply: [first, second]
//!     latency: 200ms
//!     tokens_per_second: 40
//!   - when: { user: break }
//!     fail: { status: 429, retry_after: 2s, times: 2 }
//! default: [Hello., How are you?]
//! ```
//!
//! All problems of a file are reported together, each with its place.

mod answer;
mod condition;
mod failure;
mod ineffective;
mod read;
mod rule;
mod steps;

pub use read::load_model_script;
pub(crate) use read::{SCRIPT, read_model_script};
