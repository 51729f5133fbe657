//! Days, counted from 1970-01-01, and their names.

pub(super) const DAY_MS: i64 = 86_400_000;

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

/// The day of a date, if there is such a date.
pub(super) fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let most = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=most).contains(&day) {
        return None;
    }
    // Years that begin in March put the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The month and the day of it.
pub(super) fn date_of(day: i64) -> (i64, i64) {
    let (year, month) = month_of(day);
    let of_month = day_of(year, month, 1).map_or(0, |first| day - first);
    (month, of_month + 1)
}

/// The year and month of a day.
pub(super) fn month_of(day: i64) -> (i64, i64) {
    let days = day + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + days.div_euclid(146_097) * 400 + i64::from(month <= 2);
    (year, month)
}

/// Monday is 0; 1970-01-01 was a Thursday.
pub(super) fn weekday_of(day: i64) -> i64 {
    (day + 3).rem_euclid(7)
}

/// How a name is written: in full or by its first three letters, and in which case. `May` is both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spelling {
    full: Option<bool>,
    lower: bool,
}

impl Spelling {
    pub(super) fn agrees(self, other: Self) -> bool {
        let full = self.full.zip(other.full);
        self.lower == other.lower && full.is_none_or(|(one, other)| one == other)
    }
}

pub(super) fn weekday_named(word: &str) -> Option<(i64, Spelling)> {
    named(&WEEKDAYS, word)
}

/// January is 1.
pub(super) fn month_named(word: &str) -> Option<(i64, Spelling)> {
    named(&MONTHS, word).map(|(index, spelling)| (index + 1, spelling))
}

fn named(names: &[&str], word: &str) -> Option<(i64, Spelling)> {
    let position = |fits: &dyn Fn(&str) -> bool| names.iter().position(|name| fits(name));
    let full = position(&|name| name.eq_ignore_ascii_case(word));
    let short = position(&|name| name[..3].eq_ignore_ascii_case(word));
    let index = i64::try_from(full.or(short)?).ok()?;
    let lower = word.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    Some((index, Spelling { full: (full.is_none() || short.is_none()).then_some(full.is_some()), lower }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_right() {
        for (date, day, weekday) in [
            ((1970, 1, 1), 0, 3),
            ((2000, 2, 29), 11_016, 1),
            ((2026, 11, 16), 20_773, 0),
            ((2027, 1, 1), 20_819, 4),
            ((1969, 12, 31), -1, 2),
        ] {
            assert_eq!(day_of(date.0, date.1, date.2), Some(day));
            assert_eq!(weekday_of(day), weekday);
            assert_eq!(month_of(day), (date.0, date.1));
        }
        for (year, month, day) in [(2026, 2, 29), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0)] {
            assert_eq!(day_of(year, month, day), None);
        }
    }
}
