//! Drives agents that are programs with a JSON lines protocol on standard input and output.
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
//! An agent may also end with `{"type":"task_error","message":"...","data":{...}}`. `usage` messages add up. Standard
//! error may be used for anything.
//!
//! A program without this protocol gets its task when it is started, and its output is the answer (`plain`).

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

/// The grace period of an agent that is done.
const DONE: Grace = Grace { before_asking: Duration::from_millis(500), before_killing: Duration::from_millis(500) };
/// The grace period of an agent that is not done.
const UNDONE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// Reports the process id of a started agent.
fn tell_started(told: Option<&UnboundedSender<u32>>, process: &Process) {
    if let (Some(told), Some(id)) = (told, process.id()) {
        // The receiver may be gone.
        let _ = told.send(id);
    }
}
