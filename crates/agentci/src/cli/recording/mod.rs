//! `agentci recording`: looks at recordings, checks them, compares them with each other and with the live world, and removes
//! things from them.

mod check;
mod clean;
mod command;
mod drift;
mod finding;
mod health;
mod keys;
mod live_calls;
mod uses;

pub(crate) use command::{RecordingCommand, recording};
