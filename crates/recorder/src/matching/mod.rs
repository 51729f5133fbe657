//! Finds the recorded answer to a request: pure, without clock, network or files.
//!
//! ```text
//! request ─▶ equal to the letter ──▶ the next unused exchange of that kind
//!     └────▶ view ─▶ exact print ──▶ the next unused equal exchange
//!                 └▶ shape print ──▶ unused exchanges whose differences are all holes: ids, times, folders, places left out
//!                 └▶ place ────────▶ a miss, told beside the nearest exchange
//! ```
//!
//! Everything that is not a hole must be equal. A hole is never a guess: an id is paired with one id for the whole session, a
//! time must be the present on both sides, a folder must be the same folder of either machine.

mod answered;
mod call_ids;
mod clock;
mod compare;
mod conversation;
mod equal;
mod excerpts;
mod ids;
mod index;
mod matcher;
mod miss;
mod pairing;
mod pattern;
mod place;
mod prints;
mod reply;
mod roots;
mod snowflake;
mod steady;
mod temp_names;
mod text;
mod view;

#[cfg(test)]
mod tests;

pub use answered::{Answered, Holes, MatchRules, Renamed, Surroundings, Tally};
pub use matcher::Matcher;
pub use miss::{Miss, Nearest, Remedy};
pub(crate) use pairing::texts_in;
pub(crate) use reply::may_repeat;
pub use reply::with_reply_id;
pub use steady::{SaidTime, Steadier, Steady};
