//! `agentci recording`: shows, checks, compares and cleans recordings, and detects drift from the live world.

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
