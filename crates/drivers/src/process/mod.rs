//! An agent that is a program and speaks JSON lines over its standard input and output.
//!
//! ```text
//! us    {"type":"task_start","task_id":"t1","input":{"q":"reset my password"}}
//! agent {"type":"tool_call","name":"search_docs","call_id":"c1","args":{"q":"reset"}}
//! us    {"type":"tool_result","call_id":"c1","ok":true,"result":{"hits":[]},"error":null}
//! agent {"type":"usage","tokens_in":120,"tokens_out":40,"cost_usd":0.0012}
//! agent {"type":"log","level":"info","message":"nothing found"}
//! agent {"type":"final_output","output":{"answer":"..."}}
//! ```
//!
//! An agent may also end with `{"type":"task_error","message":"...","data":{...}}`. `usage` messages add up. Standard error is
//! free for anything.

mod driver;
mod messages;

pub(crate) use driver::ProcessDriver;
pub(crate) use messages::understands;
