//! Reads times of day.

use super::fold::is_any;

/// Minutes since midnight; a time without `am` or `pm` may have two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    minutes: u32,
    other: Option<u32>,
}

/// A half of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayHalf {
    Morning,
    Afternoon,
}

impl Time {
    pub(super) fn new(hour: u32, minute: u32, half: Option<DayHalf>) -> Option<Self> {
        if minute > 59 || hour > 24 || (half.is_some() && !(1..=12).contains(&hour)) {
            return None;
        }
        let at = |hour: u32| hour % 24 * 60 + minute;
        Some(match half {
            Some(DayHalf::Morning) => Self { minutes: at(hour % 12), other: None },
            Some(DayHalf::Afternoon) => Self { minutes: at(hour % 12 + 12), other: None },
            None if (1..=12).contains(&hour) => Self { minutes: at(hour), other: Some(at(hour + 12)) },
            None => Self { minutes: at(hour), other: None },
        })
    }

    pub(super) fn is_same(self, time: Self) -> bool {
        let readings = |time: Self| [Some(time.minutes), time.other].into_iter().flatten();
        readings(self).any(|reading| readings(time).any(|other| reading == other))
    }

    /// Whether a plain number is the hour of this time.
    pub(super) fn is_hour(self, hour: u32) -> bool {
        self.minutes.is_multiple_of(60) && Self::new(hour, 0, None).is_some_and(|time| time.is_same(self))
    }
}

/// The half of the day that a word such as `pm` names.
pub(super) fn half(word: &str) -> Option<DayHalf> {
    if is_any(word, &["am", "a.m"]) {
        Some(DayHalf::Morning)
    } else {
        is_any(word, &["pm", "p.m"]).then_some(DayHalf::Afternoon)
    }
}

/// The time that a word such as `noon` names.
pub(super) fn named(word: &str) -> Option<Time> {
    let hour = if is_any(word, &["noon", "midday"]) { 12 } else { 0 };
    let time = Time { minutes: hour * 60, other: None };
    is_any(word, &["noon", "midday", "midnight"]).then_some(time)
}

/// Reads a time in digits, with the half of the day at its end or in the next word: `14:30`, `2:30pm`, `14:30:00Z`.
pub(super) fn in_digits(text: &str, next: Option<DayHalf>) -> Option<Time> {
    let (hour, rest) = text.split_once(':')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (minute, rest) = rest.split_at_checked(end).filter(|_| end == 2 && hour.len() <= 2)?;
    let ending = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '+' | 'Z' | '.'));
    let half = if ending.is_empty() { next } else { Some(half(ending)?) };
    Time::new(hour.parse().ok()?, minute.parse().ok()?, half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        in_digits(text, None).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn times_match_in_12_and_24_hour_format() {
        assert!(time("2:30pm").is_same(time("14:30")));
        assert!(time("02:30").is_same(time("14:30:00Z")));
        assert!(!time("2:30am").is_same(time("14:30")));
        assert!(time("12:00am").is_same(time("00:00")));
        assert!(named("noon").unwrap().is_same(time("12:00pm")));
        assert!(named("midnight").unwrap().is_same(time("24:00")));
        assert!(time("2:00pm").is_hour(2) && time("2:00pm").is_hour(14) && !time("2:30pm").is_hour(2));
    }

    #[test]
    fn rejects_digits_that_are_not_times() {
        for text in ["14:60", "25:00", "14", "1:2", "13:00pm", "3:100", "a:30", ":30", "14:30x", "0:30am"] {
            assert_eq!(in_digits(text, None), None, "{text}");
        }
    }
}
