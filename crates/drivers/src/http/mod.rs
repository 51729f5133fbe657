//! Drives agents over plain HTTP.
//!
//! A turn is one request: the target's body is posted, and the answer is read as it arrives, as server-sent events, as
//! JSON lines, or whole. Text is added to the trace as it arrives, and so are the events of other observers, such as
//! calls of stub tools; the assembled answer is the final output.

mod answer_text;
mod body;
mod custom;
mod driver;
mod formatted;
pub(crate) mod fuzzing;
mod kinds;
mod known;
mod observer;
mod reader;
mod refusal;
mod side_data;
mod tool_events;
mod whole_answer;

pub(crate) use driver::HttpDriver;

#[cfg(test)]
mod tests;
