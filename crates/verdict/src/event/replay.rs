//! What a case was played from.

use serde::{Deserialize, Serialize};

use super::absent::is_zero;

/// The recording a case was played from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaySource {
    /// The file.
    pub cassette_path: String,
    /// Its SHA-256, in hexadecimal.
    pub cassette_sha256: String,
    /// The lines that no call asked for, when the case came to its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_lines: Vec<usize>,
    /// How requests were matched, where the world around the agent was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Matched>,
}

/// How the requests of an agent were matched with those of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// Requests that were equal.
    pub exact: usize,
    /// Requests that differed where they may.
    pub with_holes: usize,
    /// Ids that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ids: usize,
    /// Renderings of the present time that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock: usize,
    /// Folders that differed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folders: usize,
    /// Differences in places that are known to differ from run to run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub learned: usize,
    /// Differences that the suite says do not count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// Recorded exchanges that nobody asked for, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<u64>,
    /// The first ids that differed, recorded and sent, and where they were seen first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<String>,
}
