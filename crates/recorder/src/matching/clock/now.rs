//! The present of one side: from when its session began until the request was sent, in UTC and in local time.

use super::calendar::{DAY_MS, date_of, month_of, weekday_of};

/// How far a clock time may be from the present.
const SLACK_MS: i64 = 600_000;

/// The present, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Now {
    from: i64,
    to: i64,
    offset: i64,
}

/// A moment, as much as a rendering says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// A day since 1970.
    Day(i64),
    /// Monday is 0.
    Weekday(i64),
    /// Year and month.
    Month(i64, i64),
    /// A month and a day of it, in any year.
    Date(i64, i64),
    Year(i64),
    /// Milliseconds since 1970, whatever the zone.
    Instant(i64),
    /// The same, in a zone that is not said.
    Local(i64),
    /// Milliseconds since midnight, in a zone that is not said.
    Time(i64),
}

/// The zones in which something is the present: UTC, local.
type Zones = [bool; 2];

impl Now {
    /// A session that began at `start_ms` and `at_us` later sends a request.
    pub(in super::super) fn new(start_ms: u64, at_us: u64, offset_s: i32) -> Self {
        let from = i64::try_from(start_ms).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        let elapsed = i64::try_from(at_us / 1000).unwrap_or(i64::MAX / 4);
        Self { from, to: from + elapsed, offset: i64::from(offset_s) * 1000 }
    }

    pub(super) fn zones(&self, said: Said) -> Zones {
        [0, self.offset].map(|offset| self.is_present(said, offset))
    }

    fn is_present(&self, said: Said, offset: i64) -> bool {
        let (first, last) = (self.from + offset, self.to + offset);
        let (first_day, last_day) = (first.div_euclid(DAY_MS), last.div_euclid(DAY_MS));
        match said {
            Said::Day(day) => (first_day..=last_day).contains(&day),
            Said::Weekday(weekday) => (weekday - weekday_of(first_day)).rem_euclid(7) <= last_day - first_day,
            Said::Month(year, month) => [first_day, last_day].iter().any(|day| month_of(*day) == (year, month)),
            Said::Date(month, day) => [first_day, last_day].iter().any(|it| date_of(*it) == (month, day)),
            Said::Year(year) => [first_day, last_day].iter().any(|day| month_of(*day).0 == year),
            Said::Instant(ms) => (self.from - SLACK_MS..=self.to + SLACK_MS).contains(&ms),
            Said::Local(ms) => (first - SLACK_MS..=last + SLACK_MS).contains(&ms),
            Said::Time(ms) => (ms - (first - SLACK_MS)).rem_euclid(DAY_MS) <= last - first + 2 * SLACK_MS,
        }
    }

    /// Whether a number is the present in seconds, milliseconds, microseconds or nanoseconds since 1970.
    fn is_epoch(&self, number: f64, a_second: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of these centuries are exact")]
        let (from, to) = ((self.from - SLACK_MS) as f64, (self.to + SLACK_MS) as f64);
        (from..=to).contains(&(number / a_second * 1000.0))
    }
}

/// Whether two numbers are the present of either side, in the same unit.
pub(in super::super) fn same_present(recorded: &str, sent: &str, now: (&Now, &Now)) -> bool {
    let (Ok(recorded), Ok(sent)) = (recorded.parse::<f64>(), sent.parse::<f64>()) else { return false };
    let units = [1.0, 1e3, 1e6, 1e9];
    units.iter().any(|unit| now.0.is_epoch(recorded, *unit) && now.1.is_epoch(sent, *unit))
}
