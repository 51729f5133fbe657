//! # What it checks
//! The agent called its model, with requests that meet these conditions. Alone, `model_called` means that the model
//! was called at least once. With a mapping, a request must meet all of these conditions:
//!
//! - `system`: the system prompt, sent as a field, as blocks, as instructions or as `system` and `developer` messages
//! - `user`: the last user message
//! - `messages`: the text of any message that is not a system prompt; tool results count
//! - `model`: the name of the model
//! - `tools`: tools that the request offers, each a name or `{ name, parameters }`, where the offered JSON Schema must
//!   contain `parameters`: of a mapping each key that is listed, lists such as `required` as sets.
//!   `{ exactly: [..] }`: these tools and no others; `{ exactly: [] }`: none
//!
//! A string must be contained (for `model`: be equal). `{ matches: PATTERN }` searches for a pattern instead,
//! `{ equals: TEXT }` compares the whole text.
//!
//! `of` says which requests must meet the conditions: `any` of them (the default), `all`, the `first` or the `last`.
//! If no request was sent, no `of` is met. `count` says how many requests must meet them: an integer, or `min` and
//! `max`; `count: 0` means none. A request that is retried because its response failed (an error, a broken stream)
//! counts as one request.
//!
//! If the provider stores the conversation (`previous_response_id`, `conversation`), a request includes the system
//! messages, the messages and the user message of the requests that it continues. It does not include their
//! `instructions`, which the API does not carry over. The check of a turn looks at the requests of that turn, which
//! may continue requests of earlier turns.
//!
//! Under `not`, no request may meet the conditions; with `of` or `count`, these must not be met.
//!
//! Requests are observed if agentci plays the model (`world.model`), records it (`world.recording`) or calls it itself
//! (`chat` targets).
//!
//! # Why
//! A lost prompt, a tool that is no longer offered or another customer's data in the messages does not show in the
//! answer of a scripted model. It shows in what the agent sent to its model.
//!
//! # Example
//! ```yaml
//! checks:
//!   - model_called: { system: You work for the shop, tools: [find_order, refund_order], of: all }
//!   - model_called: { tools: [{ name: refund_order, parameters: { required: [order, amount] } }] }
//!   - model_called: { model: { matches: ^gpt-4o }, count: { max: 3 } }
//!   - not: { model_called: { messages: other-customer@example.com } }
//! ```

mod condition;
mod read;
mod requests;
mod tools;
mod unused_model;

pub(crate) use read::{SHAPE, compile};
pub use unused_model::may_go_unasked;
