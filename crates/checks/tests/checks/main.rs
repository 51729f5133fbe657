//! Checks with patterns and clocks: what holds, what does not, what is said then and where it points.

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
