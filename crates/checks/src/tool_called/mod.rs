//! # What it checks
//! The agent called a tool. The argument is one name, a list of names that must all be called, or a mapping: `any`
//! with a list of names of which one must be called, or `name` with conditions that a call must meet to count:
//!
//! - `args`: each listed argument must be sent with this value, numbers compared by value (`20` is `20.0`); others may
//!   be sent too
//! - `args_match`: patterns for the values at these paths of the arguments, such as `items.0.sku`; a path that does
//!   not exist does not match. A path with brackets or a `*` in it is a `JSONPath` (RFC 9535), unless there is a key
//!   of this name, and one match among several places is enough: `items[*].sku`
//! - `result_match`, `result_not_match`: a pattern that the tool's result must or must not match; a call without a
//!   result meets only the second
//!
//! With `suffix: true` beside `name` or `any`, tools whose name ends in `.` or `__` and that name count as well.
//!
//! `count` is how many such calls there must be: an integer, or `min` and `max`; default: at least one. `after` is a
//! tool whose first call must not come later than the first call of this one; in the check of a turn, earlier turns
//! count too. `suffix` applies to it as well.
//!
//! Calls that the agent itself reports count: in its protocol, in its answer, or as the model of a `chat` target. Of
//! the calls that a model *behind* the agent requests, only those that were executed or answered count, and not those
//! that were refused: a scripted model follows its script, and the agent may ignore it. `seen` expects something else:
//!
//! - `requested`: a model requested it, whatever the agent did with it
//! - `executed`: it was seen to run, by the server of its `routes`, the provider, or `agentci`, which answered it
//! - `answered`: its result was sent back to the model, or to `agentci`
//!
//! `refused: true` expects a call whose result says that the tool was not run. A tool call that a server of `routes`
//! received while another call was open is a part of that call; it is also found here under its own name.
//!
//! `by` says which of several agents made the call: `by: { system: TEXT }` counts only calls that the answer to a
//! request with such a system prompt requested, by the id of the call (`{ matches: PATTERN }` and `{ equals: TEXT }`
//! as in `model_called`). A call that no model requested does not count. Under `not`, such a call fails the check if a
//! request with such a system prompt led to a request for this tool, since it is unknown whose call it is.
//!
//! Under `not`, none of the names may be called, and no call may meet all of the conditions.
//!
//! # Why
//! Tool calls show what an agent does, and they do not change with its wording.
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
