//! What a tap and its session say to each other: a line of JSON each way, then lines that begin with a mark.

use serde::{Deserialize, Serialize};

/// The longest line that is taken: messages carry whole files.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// What the host said.
pub(super) const FROM_HOST: u8 = b'>';
/// What the server said.
pub(super) const FROM_SERVER: u8 = b'<';
/// What the server is to be sent, which is started for the first of it.
pub(super) const TO_SERVER: u8 = b'=';
/// The server could not be started: why.
pub(super) const NOT_STARTED: u8 = b'?';
/// The host has closed its end; to a tap: the input of the server is to be closed.
pub(super) const LEFT: u8 = b'.';
/// The server has ended; words that say how follow where somebody may need them.
pub(super) const OVER: u8 = b'!';

/// What a tap tells its session first.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The command of the server.
    pub(super) command: Vec<String>,
    /// The environment of the server, to know its secrets.
    pub(super) environment: Vec<(String, String)>,
    /// The tap's own process.
    pub(super) pid: u32,
    /// The number of the pipe or socket that it reads.
    #[serde(default)]
    pub(super) input: Option<u64>,
}

/// What the session wants of a tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapTask {
    /// Start the program, and tell every line.
    Record,
    /// Answer in its place; the program is started only if it turns out to be no server, or when the session has something for it.
    Play,
    /// Start the program, which nothing is recorded of. If it turns out to be a server, end it: its host gets no answers.
    Watch,
    /// Become the program: whatever it is, a server that is recorded has started it.
    Leave,
}
