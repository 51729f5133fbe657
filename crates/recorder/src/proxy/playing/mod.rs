//! Answers requests from a recording.

pub(crate) mod pace;
pub(crate) mod play;
pub(crate) mod questions;
pub(crate) mod replay;
pub(crate) mod replay_body;
pub(crate) mod spoil;
