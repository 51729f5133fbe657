//! Renderings of the current time: the time at which a request was recorded may be replaced by that of the replay.

mod calendar;
mod letters;
mod now;
mod numbers;
mod rendering;

pub(super) use now::{Now, same_present};
pub(super) use rendering::{LONGEST, both_present, may_begin, time_at, without_times};
