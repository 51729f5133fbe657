//! A recording of tool calls, one JSON object a line:
//!
//! ```json
//! {"tool":"search_docs","args":{"q":"reset password"},"ok":true,"result":{"hits":[]}}
//! {"tool":"create_issue","args":{"title":"x"},"ok":false,"error":"quota exceeded"}
//! ```
//!
//! A call matches an entry of the same tool with the same arguments, numbers by value (`20` is `20.0`) unless the tape takes them as
//! written. The nth equal call gets the nth equal entry, and when there are no more the last one repeats. Where a recording has `[REDACTED]`, any text fits.

mod player;
mod recorder;
mod tape;

pub use player::{CassetteMiss, CassettePlayer};
pub use recorder::{CassetteRecorder, replace_file};
pub use tape::{Tape, TapeEntry, TapeError};
