//! # What it checks
//! A call of this tool returned this result. Objects need only contain what is listed, lists must have the same
//! length, strings are compared exactly, numbers by value (`20` is `20.0`), and a string that begins with `regex:` is
//! a pattern. A result that is a string is parsed as JSON, or as a Python literal (`{'paid': True}`), if an object, a
//! list, a number or a boolean is expected; a failure shows the parsed value. If it was observed what the agent passed
//! to its model, that must be this result too, or a text with the same values in it. Without `result`, a call must
//! have returned without an error. With `suffix: true`, tools whose name ends in `.` or `__` and this name count as
//! well.
//!
//! # Why
//! That a tool was called says little; the agent works with what it returned.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tool_result: { name: find_order, result: { status: paid, id: "regex:^A-" } }
//!   - tool_result: { name: refund_order }
//! ```

mod paraphrase;
mod result_pattern;
mod returned;

pub(crate) use returned::{SHAPE, compile};
