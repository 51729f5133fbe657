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
//!
//! One that knows nothing of all this is given its task when it is started, and what it prints is its answer (`plain`).

mod command;
mod driver;
mod messages;
mod plain;
mod usage;

use std::time::Duration;

use agentci_process::{Grace, Process};
use tokio::sync::mpsc::UnboundedSender;

pub(crate) use command::command_line;
pub(crate) use driver::ProcessDriver;
pub(crate) use messages::understands;
pub(crate) use plain::PlainDriver;

/// An agent that is done has this long to leave by itself.
const DONE: Grace = Grace { before_asking: Duration::from_millis(500), before_killing: Duration::from_millis(500) };
/// One that is not has less.
const UNDONE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// Tells who watches the agent that it was started.
fn tell_started(told: Option<&UnboundedSender<u32>>, process: &Process) {
    if let (Some(told), Some(id)) = (told, process.id()) {
        // Whoever watched may be gone.
        let _ = told.send(id);
    }
}
