//! The protocol between a tap and its session: a line of JSON each way, then lines that begin with a mark.

use serde::{Deserialize, Serialize};

/// Maximum length of a line: messages may contain whole files.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// A line of the host.
pub(super) const FROM_HOST: u8 = b'>';
/// A line of the server.
pub(super) const FROM_SERVER: u8 = b'<';
/// A line for the server; the first one starts it.
pub(super) const TO_SERVER: u8 = b'=';
/// The server could not be started, with the reason.
pub(super) const NOT_STARTED: u8 = b'?';
/// The host has closed its end; to a tap: close the input of the server.
pub(super) const LEFT: u8 = b'.';
/// The server has exited, optionally with its status.
pub(super) const OVER: u8 = b'!';

/// The first message of a tap.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The command of the server.
    pub(super) command: Vec<String>,
    /// The environment of the server, for finding its secrets.
    pub(super) environment: Vec<(String, String)>,
    /// The process ID of the tap.
    pub(super) pid: u32,
    /// The inode of the pipe or socket that it reads.
    #[serde(default)]
    pub(super) input: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapTask {
    /// Start the program, and copy every line.
    Record,
    /// Answer in its place; the program is only started if it is not a server, or when the session has a line for it.
    Play,
    /// Start the program, of which nothing is recorded. If it is a server, kill it: its host gets no answers.
    Watch,
    /// Become the program: it was started by a server that is recorded.
    Leave,
}
