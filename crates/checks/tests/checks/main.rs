//! Checks with patterns and times: which pass, which fail, with which message, and what it points at.

mod duration;
mod matches;
mod model_called;
mod pattern;
mod questions;
mod task;
mod tool_called;
mod tool_order;
mod tool_result;
mod trial;
mod values;
