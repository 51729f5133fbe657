//! `agentci recording`: looks at recordings, checks them, compares them with each other and with the live world, and removes
//! things from them.

mod asking;
mod check;
mod checking;
mod clean;
mod command;
mod drift;
mod finding;
mod keys;
mod show;
mod update;
mod uses;

pub(crate) use command::{RecordingArguments, recording};
