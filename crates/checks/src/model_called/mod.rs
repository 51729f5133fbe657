//! # What it checks
//! The agent asked its model, and what it sent. Alone, `model_called` says that the model was asked at least once. With a mapping, a
//! request must meet all of these conditions:
//!
//! - `system`: the system prompt, whether it is sent as a field, as blocks, as instructions or as `system` and `developer` messages
//! - `user`: the last text of the user
//! - `messages`: the text of one of the messages, system prompts aside; results of tools count
//! - `model`: the name of the model
//! - `tools`: tools that the request offers, each a name or `{ name, parameters }`, where `parameters` must be contained in the
//!   offered JSON Schema: of mappings each key that is given, lists such as `required` as sets. `{ exactly: [..] }`: these tools and
//!   no others; `{ exactly: [] }`: none
//!
//! A text must be contained (for `model`: be equal). `{ matches: PATTERN }` looks for a pattern instead, `{ equals: TEXT }` compares the
//! whole text.
//!
//! `of` says which requests must meet the conditions: `any` of them (the default), `all`, the `first` or the `last`. Where none
//! was sent, no `of` is met. `count` says how many requests meet them: a number, or `min` and `max`; `count: 0` says that there is
//! none. A request that is repeated because its answer failed (an error, a stream that broke off) is one request.
//!
//! Where the provider keeps the conversation (`previous_response_id`, `conversation`), a request has the system messages, the
//! messages and the user's text of those that it continues. It does not have their `instructions`, which the API does not carry
//! over. The check of a turn looks at the requests of that turn, which may continue requests of earlier turns.
//!
//! Under `not`, no request may meet the conditions; with `of` or `count`, these must not be met.
//!
//! Requests are seen where agentci plays the model (`world.model`), records it (`world.recording`) or asks it itself (`chat` targets).
//!
//! # Why
//! A prompt that was lost, a tool that is no longer offered or data of another customer in the messages does not show in the answer
//! of a scripted model. What the agent sent to its model shows it.
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
