//! `agentci replay FILE --until N --then WHAT`: replays the first calls of a recording, and continues differently.
//!
//! ```text
//! $ agentci replay recordings/agent.jsonl --until 6 --then script.yaml --set '/calls/6/result={"shipped": false}'
//! It has not shipped yet.
//! 6 of 6 calls answered from recordings/agent.jsonl, 6 exact
//! changed /calls/6/result
//! then 3 calls answered by script.yaml, 1 call by the rest of the recording
//! wrote recordings/agent.fork.jsonl (9 KiB)
//! next: agentci recording diff recordings/agent.jsonl recordings/agent.fork.jsonl
//! ```

mod destination;
mod models;
mod outcome;
mod run;

pub(super) use run::fork;
