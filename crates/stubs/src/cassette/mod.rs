//! A recording of tool calls, one JSON object per line:
//!
//! ```json
//! {"tool":"search_docs","args":{"q":"reset password"},"ok":true,"result":{"hits":[]}}
//! {"tool":"create_issue","args":{"title":"x"},"ok":false,"error":"quota exceeded"}
//! ```
//!
//! A call matches an entry of the same tool with the same arguments. Numbers are compared by value (`20` equals `20.0`)
//! unless the tape compares them as written. The nth equal call gets the nth equal entry; after the last entry, that
//! one is repeated. `[REDACTED]` in a recording matches any text.

mod player;
mod recorder;
mod tape;

pub use player::{CassetteMiss, CassettePlayer};
pub use recorder::CassetteRecorder;
pub use tape::{Tape, TapeEntry, TapeError};
