//! The present of one side: from the start of its session until the request was sent, in UTC and in local time.

use super::calendar::{DAY_MS, date_of, weekday_of};

/// How far a clock time may be from the present.
const SLACK_MS: i64 = 600_000;
/// How much further from the present a time may be on one side than on the other, in addition to the lengths of the
/// sessions.
const DRIFT_MS: i64 = 30_000;
/// The units that times may be rounded down to on both sides: ten minutes, five, one.
const GRAINS_MS: [i64; 3] = [600_000, 300_000, 60_000];

/// The present, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Now {
    from: i64,
    to: i64,
    offset: i64,
}

/// A time, with the precision of its rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartialMoment {
    /// A day since 1970.
    Day(i64),
    /// Monday is 0.
    Weekday(i64),
    /// Year and month.
    Month(i64, i64),
    /// Month and day of the month, in any year.
    Date(i64, i64),
    Year(i64),
    /// Milliseconds since 1970 in UTC.
    Instant(i64),
    /// Milliseconds since 1970 in an unspecified zone.
    Local(i64),
    /// Milliseconds since midnight in an unspecified zone.
    Time(i64),
}

impl Now {
    /// The present of a session that began at `start_ms` and sends a request `at_us` later.
    pub(in super::super) fn new(start_ms: u64, at_us: u64, offset_s: i32) -> Self {
        let from = i64::try_from(start_ms).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        let elapsed = i64::try_from(at_us / 1000).unwrap_or(i64::MAX / 4);
        Self { from, to: from + elapsed, offset: i64::from(offset_s) * 1000 }
    }

    /// Whether these milliseconds since 1970 are the present.
    pub(in super::super) fn is_about(&self, ms: i64) -> bool {
        (self.from - SLACK_MS..=self.to + SLACK_MS).contains(&ms)
    }

    /// Whether this is the present, in UTC or in local time.
    pub(super) fn says(&self, said: PartialMoment) -> bool {
        self.is_present(said, 0) || self.is_present(said, self.offset)
    }

    fn is_present(&self, said: PartialMoment, offset: i64) -> bool {
        let (first, last) = (self.from + offset, self.to + offset);
        let (first_day, last_day) = (first.div_euclid(DAY_MS), last.div_euclid(DAY_MS));
        let is_date =
            |fits: &dyn Fn((i64, i64, i64)) -> bool| [first_day, last_day].into_iter().filter_map(date_of).any(fits);
        match said {
            PartialMoment::Day(day) => (first_day..=last_day).contains(&day),
            PartialMoment::Weekday(weekday) => (weekday - weekday_of(first_day)).rem_euclid(7) <= last_day - first_day,
            PartialMoment::Month(year, month) => {
                is_date(&|(of_year, of_month, _)| (of_year, of_month) == (year, month))
            }
            PartialMoment::Date(month, day) => is_date(&|(_, of_month, of_day)| (of_month, of_day) == (month, day)),
            PartialMoment::Year(year) => is_date(&|(of_year, ..)| of_year == year),
            PartialMoment::Instant(ms) => self.is_about(ms),
            PartialMoment::Local(ms) => self.is_about(ms - offset),
            PartialMoment::Time(ms) => (ms - (first - SLACK_MS)).rem_euclid(DAY_MS) <= last - first + 2 * SLACK_MS,
        }
    }

    /// The minimum and maximum distance of a time from the clock of the agent: the agent read its clock at some point
    /// of its session, and may have added something. `None` without a time of day.
    fn ahead(&self, said: PartialMoment, offset: i64) -> Option<(i64, i64, i64)> {
        let ms = match said {
            PartialMoment::Instant(ms) => ms,
            PartialMoment::Local(ms) => ms - offset,
            PartialMoment::Time(ms) => {
                let half = DAY_MS / 2;
                self.to + (ms - (self.to + offset) + half).rem_euclid(DAY_MS) - half
            }
            PartialMoment::Day(_)
            | PartialMoment::Weekday(_)
            | PartialMoment::Month(..)
            | PartialMoment::Date(..)
            | PartialMoment::Year(_) => return None,
        };
        Some((ms, ms - self.to, ms - self.from))
    }
}

/// Whether two texts render the present of their side, in UTC or in local time, at the same distance from it: a time
/// that expires in five minutes is not one that expired five minutes ago.
pub(super) fn both_say_now(recorded: (&Now, PartialMoment), sent: (&Now, PartialMoment)) -> bool {
    let zones = [(0, 0), (recorded.0.offset, sent.0.offset)];
    zones.into_iter().any(|(then, now)| {
        recorded.0.is_present(recorded.1, then)
            && sent.0.is_present(sent.1, now)
            && equally_far(recorded.0.ahead(recorded.1, then), sent.0.ahead(sent.1, now))
    })
}

/// Whether two numbers are the present of their side, in the same unit.
pub(in super::super) fn same_present(recorded: &str, sent: &str, now: (&Now, &Now)) -> bool {
    let (Ok(recorded), Ok(sent)) = (recorded.parse::<f64>(), sent.parse::<f64>()) else { return false };
    let said = |number: f64, a_second: f64| {
        let ms = number / a_second * 1000.0;
        #[expect(clippy::cast_possible_truncation, reason = "a number that is too large is far from the present")]
        PartialMoment::Instant(ms as i64)
    };
    let units = [1.0, 1e3, 1e6, 1e9];
    units.iter().any(|unit| both_say_now((now.0, said(recorded, *unit)), (now.1, said(sent, *unit))))
}

fn equally_far(recorded: Option<(i64, i64, i64)>, sent: Option<(i64, i64, i64)>) -> bool {
    let (Some((one, least, most)), Some((other, least_sent, most_sent))) = (recorded, sent) else {
        return recorded.is_none() && sent.is_none();
    };
    let rounded = |grain: &&i64| one % **grain == 0 && other % **grain == 0;
    let slack = DRIFT_MS + GRAINS_MS.iter().find(rounded).copied().unwrap_or(0);
    least <= most_sent.saturating_add(slack) && least_sent <= most.saturating_add(slack)
}
