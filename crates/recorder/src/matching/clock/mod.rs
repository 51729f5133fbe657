//! Renderings of the present: what was the present when a request was recorded may be the present of the replay.

mod calendar;
mod letters;
mod now;
mod numbers;
mod rendering;

pub(super) use now::{Now, same_present};
pub(super) use rendering::{LONGEST, both_present, may_begin, time_at, without_times};
