//! Compares the combinations of a matrix, with the same numbers in every report.
//!
//! ```text
//! model       passed   pass rate  95 % interval     cost        tokens in/out  median time
//!   small     5 of 6   83.3 %     43.6 % to 97 %    0.0012 USD  120 / 30       12 ms
//!   large     6 of 6   100 %      61 % to 100 %     unknown     140 / 28       31 ms
//! model: no difference in pass rates beyond chance: the 95 % intervals overlap
//! ```

mod console;
mod document;
mod html;
mod label;
mod markdown;
mod table;
mod words;

pub(crate) use console::section;
pub(crate) use document::document;
pub(crate) use html::html;
pub(crate) use markdown::markdown;
