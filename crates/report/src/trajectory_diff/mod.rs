//! The differences of two runs, step by step, for readers and programs.
//!
//! ```text
//! in 14 cases `search_docs` now gets `limit: 5`
//!
//! CHANGED partial-refund: pass -> fail (check), 12 ms -> 15 ms
//!   calls: A: find -> refund 10/10; B: find -> refund 6/10, refund 4/10
//!     1  find(order="A-17")
//!   ~ 2  refund(amount=200)  <- first divergence
//!          arguments /amount: 20 -> 200
//!   ~ 3  result  (follows from step 2)
//!          result /answer: "You get [-20-]{+200+} euros back."
//! ```

mod document;
mod html;
mod json;
mod markdown;
mod side_by_side;
mod terminal;
mod words;

pub use document::{DiffDocument, DiffOrigin};
pub use html::diff_html;
pub use json::diff_json;
pub use markdown::diff_markdown;
pub use terminal::diff_table;
