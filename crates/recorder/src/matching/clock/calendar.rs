//! Days since 1970-01-01, and their names.

use jiff::Span;
use jiff::civil::{Date, date};

pub(super) const DAY_MS: i64 = 86_400_000;

const FIRST: Date = date(1970, 1, 1);
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The day of a date; `None` if the date does not exist.
pub(super) fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    Some(FIRST.until(date).ok()?.get_days().into())
}

/// The year, month and day of the month; `None` for a day outside the calendar.
pub(super) fn date_of(day: i64) -> Option<(i64, i64, i64)> {
    let date = FIRST.checked_add(Span::new().try_days(day).ok()?).ok()?;
    Some((date.year().into(), date.month().into(), date.day().into()))
}

/// Monday is 0; 1970-01-01 was a Thursday.
pub(super) fn weekday_of(day: i64) -> i64 {
    (day + 3).rem_euclid(7)
}

/// How a name is written: in full or as its first three letters, and in which case. `May` is both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameSpelling {
    full: Option<bool>,
    lower: bool,
}

impl NameSpelling {
    pub(super) fn agrees(self, other: Self) -> bool {
        let full = self.full.zip(other.full);
        self.lower == other.lower && full.is_none_or(|(one, other)| one == other)
    }
}

pub(super) fn weekday_named(word: &str) -> Option<(i64, NameSpelling)> {
    named(&WEEKDAYS, word)
}

/// January is 1.
pub(super) fn month_named(word: &str) -> Option<(i64, NameSpelling)> {
    named(&MONTHS, word).map(|(index, spelling)| (index + 1, spelling))
}

fn named(names: &[&str], word: &str) -> Option<(i64, NameSpelling)> {
    let position = |fits: &dyn Fn(&str) -> bool| names.iter().position(|name| fits(name));
    let full = position(&|name| name.eq_ignore_ascii_case(word));
    let short = position(&|name| name[..3].eq_ignore_ascii_case(word));
    let index = i64::try_from(full.or(short)?).ok()?;
    let lower = word.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    Some((index, NameSpelling { full: (full.is_none() || short.is_none()).then_some(full.is_some()), lower }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_dates_to_days_and_weekdays() {
        for (date, day, weekday) in [
            ((1970, 1, 1), 0, 3),
            ((2000, 2, 29), 11_016, 1),
            ((2026, 11, 16), 20_773, 0),
            ((2027, 1, 1), 20_819, 4),
            ((1969, 12, 31), -1, 2),
        ] {
            assert_eq!(day_of(date.0, date.1, date.2), Some(day));
            assert_eq!(weekday_of(day), weekday);
            assert_eq!(date_of(day), Some(date));
        }
        for (year, month, day) in [(2026, 2, 29), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0)] {
            assert_eq!(day_of(year, month, day), None);
        }
    }
}
