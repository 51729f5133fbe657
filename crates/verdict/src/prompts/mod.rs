//! The prompts that agents send their models: system prompts, tools, models and parameters, in a form short enough for
//! a baseline, and their changes.
//!
//! ```json
//! "prompts": {
//!   "rule": 1,
//!   "requests": { "5f0c..": { "model": "gpt-4o", "parameters": { "hash": "44aa..", "values": { "temperature": 0 } },
//!                             "system": "9f86..", "tools": ["2c26.."] } },
//!   "systems": { "9f86..": { "lines": ["1b4f.. You are the shop.", "6030.. Today is Tuesday."],
//!                            "times": { "1": ["now Tuesday"] } } },
//!   "tools": { "2c26..": { "name": "refund_order", "hash": "fcde..", "schema": { "required": ["amount"] } } }
//! }
//! ```
//!
//! (Shortened.) Hashes are computed after ids, folders, addresses and times are replaced by marks. The replaced times
//! are stored separately: those of two runs may differ if both were the present time of their run.

mod agents;
mod changes;
mod lines;
mod nearest;
mod request_record;
mod request_words;
mod run_prompts;
mod table;
#[cfg(test)]
mod tests;
mod tool_words;
mod values;

pub use changes::PromptChange;
pub(crate) use changes::{PromptChanges, changes};
pub use request_record::{KeptPrompt, NOW, PromptParameters, PromptTool, SystemPrompt};
pub use table::{PROMPTS_RULE, PromptRequest, Prompts};
