//! The recording that a case was replayed from.

use serde::{Deserialize, Serialize};

use super::absent::is_zero;

/// The recording that a case was replayed from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaySource {
    /// The path of the recording.
    pub cassette_path: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub cassette_sha256: String,
    /// The lines that were not used, if the case finished.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_lines: Vec<usize>,
    /// How requests were matched, if the world of the agent was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
}

/// How an agent's requests were matched with those of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// The number of requests that matched exactly.
    pub exact: usize,
    /// The number of requests that matched with permitted differences.
    pub with_holes: usize,
    /// The number of ids that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ids: usize,
    /// The number of dates and times of the present that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock: usize,
    /// The number of folders that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folders: usize,
    /// The number of differences in places that are known to differ from run to run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub learned: usize,
    /// The number of differences that the suite ignores.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// The numbers of the recorded exchanges that were not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<u64>,
    /// The first ids that differed, as recorded and as sent, and where they occurred first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<String>,
}
