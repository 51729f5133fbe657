//! The inputs of the matcher besides a recording, and its results.

use std::fmt;

use serde_json::Value;

use super::miss::Miss;
use crate::Roots;

/// The circumstances of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Unix time in milliseconds at which the replay began.
    pub now_ms: u64,
    /// The name of the local time zone.
    pub zone: Option<String>,
    /// The offset of the local time from UTC, in seconds.
    pub offset_s: i32,
    /// The folders that requests may mention.
    pub roots: Roots,
}

/// What is not compared, and what is compared in addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRules {
    /// JSON pointers into bodies; `*` stands for any one name or index.
    pub ignore: Vec<String>,
    /// Whether system prompts are compared.
    pub system: bool,
    /// Additional request headers that are compared.
    pub headers: Vec<String>,
    /// The command line and the input of the agent in this run. It does not generate the ids in them, so they stand for
    /// themselves.
    pub given: Vec<String>,
}

impl Default for MatchRules {
    fn default() -> Self {
        Self { ignore: Vec::new(), system: true, headers: Vec::new(), given: Vec::new() }
    }
}

/// The result of matching a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// This exchange answers it.
    Recorded {
        /// The id of the exchange.
        id: u64,
        /// The differences that were allowed.
        holes: Holes,
        /// The JSON-RPC id of the answer, if it differs from the recorded one.
        reply_id: Option<Value>,
    },
    /// Telemetry that is not in the recording: an empty answer is enough.
    Chatter,
    /// Nothing in the recording answers it.
    Miss(Box<Miss>),
}

/// The allowed differences of an answered request, by kind; all zero for an exact match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holes {
    /// Ids, paired one to one over the whole session.
    pub ids: usize,
    /// Renderings of the current time.
    pub clock: usize,
    /// Folders.
    pub roots: usize,
    /// Places learned from a rehearsal or marked as volatile.
    pub learned: usize,
    /// Places that the rules ignore.
    pub ignored: usize,
}

impl Holes {
    /// Whether nothing differed.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.ids += other.ids;
        self.clock += other.clock;
        self.roots += other.roots;
        self.learned += other.learned;
        self.ignored += other.ignored;
    }
}

impl fmt::Display for Holes {
    /// `6 ids, 2 times`; empty if nothing differed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.ids, "id", "ids"),
            (self.clock, "time", "times"),
            (self.roots, "folder", "folders"),
            (self.learned, "learned place", "learned places"),
            (self.ignored, "ignored place", "ignored places"),
        ];
        let kinds = kinds.iter().filter(|(count, ..)| *count > 0);
        let told = kinds.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
        formatter.write_str(&told.collect::<Vec<_>>().join(", "))
    }
}

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayTally {
    /// Requests that matched exactly.
    pub exact: usize,
    /// Requests that matched with holes.
    pub with_holes: usize,
    pub holes: Holes,
    /// How many ids were replaced by another one.
    pub renamed: usize,
    /// The first of them.
    pub examples: Vec<Renamed>,
    /// Chatter, answered or not.
    pub chatter: usize,
    /// Requests that missed.
    pub misses: usize,
    /// Recorded exchanges that were not used, without chatter.
    pub unused: Vec<u64>,
}

impl ReplayTally {
    pub(super) fn tell_renamed(&mut self, call: u64, all: usize, told: &[(String, String, String)]) {
        self.renamed += all;
        let room = MOST_TOLD.saturating_sub(self.examples.len());
        self.examples.extend(told.iter().take(room).map(|(recorded, sent, at)| {
            let (recorded, sent) = (shortened(recorded), shortened(sent));
            Renamed { recorded, sent, call, at: at.clone() }
        }));
    }
}

/// An id of the recording that was replaced by another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{recorded} -> {sent} (call {call} {at})")]
pub struct Renamed {
    /// The recorded id, shortened.
    pub recorded: String,
    /// The id that was sent, shortened.
    pub sent: String,
    /// The recorded call in which it first occurred.
    pub call: u64,
    /// The place: a JSON pointer, or `path`, or a name in the query.
    pub at: String,
}

/// How many ids are listed.
pub(super) const MOST_TOLD: usize = 5;
/// How many characters are shown at the beginning and at the end: consecutive ids begin alike.
const SHOWN: (usize, usize) = (8, 4);

/// An id for display. It is always shortened, since an id may be as sensitive as a key.
fn shortened(id: &str) -> String {
    let letters: Vec<char> = id.chars().collect();
    let (first, last) =
        if letters.len() > 2 * (SHOWN.0 + SHOWN.1) { SHOWN } else { (SHOWN.1, SHOWN.1.min(letters.len() / 4)) };
    let begin: String = letters.iter().take(first).collect();
    let end: String = letters[letters.len().saturating_sub(last)..].iter().collect();
    format!("{begin}..{end}")
}

impl fmt::Display for ReplayTally {
    /// `14 of 14 answered, 11 exact, 3 with holes (6 ids, 2 times)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answered = self.exact + self.with_holes;
        write!(formatter, "{answered} of {} answered, {} exact", answered + self.misses, self.exact)?;
        if self.with_holes > 0 {
            write!(formatter, ", {} with holes ({})", self.with_holes, self.holes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_tally_as_summary() {
        let holes = Holes { ids: 6, clock: 1, ..Holes::default() };
        let tally = ReplayTally { exact: 11, with_holes: 3, holes, misses: 1, ..ReplayTally::default() };
        assert_eq!(tally.to_string(), "14 of 15 answered, 11 exact, 3 with holes (6 ids, 1 time)");
        assert_eq!(ReplayTally::default().to_string(), "0 of 0 answered, 0 exact");
    }
}
