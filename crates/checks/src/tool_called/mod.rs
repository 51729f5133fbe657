//! # What it checks
//! The agent called a tool. One name or a list of names (all of them), or a mapping: `any` with a list of names of which one
//! must be called, or `name` with conditions that a call must meet to count:
//!
//! - `args`: every one listed must be sent with just that value, numbers by value (`20` is `20.0`); others may be sent too
//! - `args_match`: patterns for what stands at these paths of the arguments, such as `items.0.sku`; a path that leads nowhere
//!   does not match. A path with brackets or a `*` in it is a `JSONPath` of RFC 9535, unless there is a key of this name, and one
//!   match among several places is enough: `items[*].sku`
//! - `result_match`, `result_not_match`: a pattern that is or is not in the tool's result; a call without a result meets the
//!   second only
//!
//! With `suffix: true` beside `name` or `any` a tool counts as well whose name ends in `.` or `__` and that name.
//!
//! `count` is how many such calls there must be: a number, or `min` and `max`; default: at least one. `after` is a tool whose
//! first call must not come later than the first call of this one; where one turn is looked at, the turns before it count too.
//! `suffix` holds for it as well.
//!
//! What the agent itself tells of counts: in its protocol, in its answer, as the model that is asked (`chat`). Of what a model
//! *behind* the agent asked for, only what was executed or answered does, and not what was refused: a scripted model says what its
//! script says, and the agent may ignore it. `seen` asks for something else:
//!
//! - `requested`: a model asked for it, whatever the agent did with it
//! - `executed`: somebody saw it run: the server of its `routes`, the provider, or `agentci`, which answered it
//! - `answered`: its result came back to the model, or to `agentci`
//!
//! `refused: true` asks for a call whose result says that the tool was not run. A tool that a server of `routes` saw being called
//! while another call was open is a part of that call; it is found here by its own name, too.
//!
//! `by` says which of several agents made the call: `by: { system: TEXT }` counts only calls that the answer to a request with such
//! a system prompt asked for, by the id of the call (`{ matches: PATTERN }` and `{ equals: TEXT }` as in `model_called`). A call that
//! no request asked for does not count. Under `not` it fails the check if a request with such a system prompt asked for this tool,
//! since it is unknown whose call it is.
//!
//! Under `not`, none of the names may be called, and no call may meet all of the conditions.
//!
//! # Why
//! What an agent does is known from its tool calls, and they do not change with its wording.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tool_called: search_docs
//!   - tool_called: { name: refund_order, args: { amount: 20 }, count: 1 }
//!   - tool_called: { name: charge_card, result_not_match: declined, after: validate_cart }
//!   - not: { tool_called: { name: send_mail, args_match: { to: "@example\\.com$" } } }
//!   - not: { tool_called: { any: [delete_order, delete_user] } }
//!   - tool_called: { name: refund_order, by: { system: You are the refund agent } }
//!   - tool_called: { name: final_result, seen: requested }
//!   - tool_called: { name: delete_user, refused: true }
//! ```

mod calling_agent;
mod calls;
mod condition;
mod count;
mod names;
mod observation;
mod path;
mod read;

pub(crate) use count::{COUNT, Count, times};
pub(crate) use observation::{ABOUT as SEEN_ABOUT, CallObservation, SEEN};
pub(crate) use read::{SHAPE, compile};
