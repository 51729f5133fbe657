//! A server that is asked over plain HTTP.
//!
//! A turn is one request: the body that the target describes is posted, and the answer is read as it comes, as server-sent events
//! or as lines of JSON, or whole. Text goes to the trace in the moment it arrives, and so does what someone else sees of the agent
//! meanwhile, such as calls of its tools; what the answer comes to as a whole is its final output.

mod body;
mod custom;
mod driver;
mod formatted;
pub(crate) mod fuzzing;
mod kinds;
mod known;
mod observer;
mod places;
mod reader;
mod refusal;
mod side_data;
mod tool_events;
mod whole_answer;

pub(crate) use driver::HttpDriver;

#[cfg(test)]
mod tests;
