//! Reads dates: in digits, with the name of a month, or a weekday.

use super::fold::is_any;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A month, optionally with its day and year. `03/04/2026` has a second reading with day and month exchanged; two such
/// dates are read in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: Option<u32>,
    pub(super) month: u32,
    pub(super) day: Option<u32>,
    pub(super) exchangeable: bool,
}

impl Date {
    /// Whether another date states the same as this one. It may leave out the year, but not the day.
    pub(super) fn is_stated_by(self, other: Self) -> bool {
        let years = self.year.is_none() || other.year.is_none() || self.year == other.year;
        let same = |month: u32, day: Option<u32>| month == other.month && (day.is_none() || day == other.day);
        let exchanged = |date: Self| {
            let month = date.day.expect("an exchangeable date has a day");
            Self { month, day: Some(date.month), exchangeable: false, ..date }
        };
        if !years || same(self.month, self.day) || (self.exchangeable && other.exchangeable) {
            return years && same(self.month, self.day);
        }
        (self.exchangeable && exchanged(self).is_stated_by(other))
            || (other.exchangeable && self.is_stated_by(exchanged(other)))
    }
}

/// Reads a date in digits: `2026-03-15`, `15.3.2026`, `3/15/26`.
pub(super) fn in_digits(text: &str) -> Option<Date> {
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '/' | '.'))?;
    let mut parts = text.split(separator);
    let parts = [parts.next()?, parts.next()?, parts.next().filter(|_| parts.next().is_none())?];
    let [first, second, third] = parts.map(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 4));
    let (first, second, third) = (first?, second?, third?);
    let valid = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
    let date = |year: u32, month: u32, day: u32| Date {
        year: Some(if year < 100 { year + 2000 } else { year }),
        month,
        day: Some(day),
        exchangeable: false,
    };
    match parts.map(str::len) {
        [4, 1..=2, 1..=2] if valid(second, third) => Some(date(first, second, third)),
        [1..=2, 1..=2, 2 | 4] => {
            let exchangeable = separator != '.' && valid(first, second) && valid(second, first) && first != second;
            if valid(second, first) {
                Some(Date { exchangeable, ..date(third, second, first) })
            } else {
                valid(first, second).then(|| date(third, first, second))
            }
        }
        _ => None,
    }
}

/// The month that a word names. `may` and `march` count only with a capital letter, and short forms only next to a
/// number.
pub(super) fn month(word: &str, beside_number: bool) -> Option<u32> {
    let capital = word.starts_with(char::is_uppercase);
    let position = MONTHS.iter().position(|month| {
        let whole = word.eq_ignore_ascii_case(month) && (capital || !is_any(month, &["may", "march"]));
        let short = word.len() == 3 && month.get(..3).is_some_and(|start| word.eq_ignore_ascii_case(start));
        whole || (capital && beside_number && (short || (word == "Sept" && *month == "september")))
    })?;
    u32::try_from(position + 1).ok()
}

/// The weekday that a word names, in the singular or plural.
pub(super) fn weekday(word: &str) -> Option<u32> {
    const SHORT: [&[&str]; 7] =
        [&["Mon"], &["Tue", "Tues"], &["Wed"], &["Thu", "Thur", "Thurs"], &["Fri"], &["Sat"], &["Sun"]];
    let single = word.strip_suffix(['s', 'S']).unwrap_or(word);
    let position = WEEKDAYS.iter().position(|weekday| single.eq_ignore_ascii_case(weekday));
    let position = position.or_else(|| SHORT.iter().position(|short| short.contains(&word)))?;
    u32::try_from(position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        in_digits(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn dates_are_equal_in_any_format() {
        let iso = date("2026-03-15");
        for text in ["15/03/2026", "3/15/2026", "15.3.26", "2026/3/15"] {
            assert!(iso.is_stated_by(date(text)) && date(text).is_stated_by(iso), "{text}");
        }
        assert!(!iso.is_stated_by(date("2026-03-16")));
        assert!(!iso.is_stated_by(date("2025-03-15")));
    }

    #[test]
    fn accepts_day_and_month_in_either_order() {
        let unclear = date("03/04/2026");
        assert!(date("2026-03-04").is_stated_by(unclear) && date("2026-04-03").is_stated_by(unclear));
        assert!(unclear.is_stated_by(date("2026-03-04")) && unclear.is_stated_by(date("2026-04-03")));
        assert!(!unclear.is_stated_by(date("2026-05-03")));
        assert!(!date("2026-03-04").is_stated_by(date("3.4.2026")));
        assert!(!unclear.is_stated_by(date("04/03/2026")) && unclear.is_stated_by(date("3-4-26")));
    }

    #[test]
    fn year_is_optional_but_day_is_required() {
        let whole = date("2026-03-15");
        assert!(whole.is_stated_by(Date { year: None, ..whole }));
        assert!(!whole.is_stated_by(Date { day: None, ..whole }));
        assert!(Date { day: None, ..whole }.is_stated_by(whole));
    }

    #[test]
    fn rejects_digits_that_are_not_dates() {
        for text in ["2026-13-01", "1.2.3", "10-12", "32/13/2026", "1-2-3-2026", "2026", "", "2026-03-15T", "99999-1-1"]
        {
            assert_eq!(in_digits(text), None, "{text}");
        }
    }

    #[test]
    fn short_words_are_months_only_in_date_context() {
        assert_eq!(month("may", true), None);
        assert_eq!(month("May", false), Some(5));
        assert_eq!(month("OCTOBER", false), Some(10));
        assert_eq!(month("Jan", false), None);
        assert_eq!(month("Jan", true), Some(1));
        assert_eq!(month("Sept", true), Some(9));
        assert_eq!(weekday("fridays"), Some(4));
        assert_eq!(weekday("sat"), None);
    }
}
