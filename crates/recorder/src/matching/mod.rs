//! Finds the recorded answer to a request. Pure: uses no clock, network or files.
//!
//! ```text
//! request ─▶ byte for byte equal ────────▶ the next unused exchange of that kind
//!     └────▶ view ─▶ exact fingerprint ──▶ the next unused equal exchange
//!                 └▶ shape fingerprint ──▶ unused exchanges that differ only in holes: ids, times, folders and so on
//!                 └▶ place ──────────────▶ a miss, described with the nearest exchange
//! ```
//!
//! Everything that is not a hole must be equal. A hole is never a guess: an id is paired with one id for the whole
//! session, a time must be the present on both sides, a folder must be the same folder of its machine.

mod call_ids;
mod clock;
mod compare;
mod conversation;
mod excerpts;
mod fingerprints;
mod folders;
mod ids;
mod index;
mod matcher;
mod miss;
mod normalized_text;
mod options;
mod pairing;
mod pattern;
mod place;
mod reply;
mod request_view;
mod snowflake;
mod temp_names;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use fingerprints::hash_of;
pub use matcher::Matcher;
pub use miss::{Miss, NearestRequest, Remedy};
pub use normalized_text::{MentionedTime, NormalizedText, TextNormalizer};
pub use options::{Answered, Circumstances, Holes, MatchRules, Renamed, ReplayTally};
pub(crate) use pairing::texts_in;
pub(crate) use reply::may_repeat;
pub use reply::with_reply_id;
