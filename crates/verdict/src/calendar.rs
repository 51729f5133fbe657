//! Formats Unix milliseconds, always in UTC, and reads times.

use std::ops::Range;

use agentci_plan::{civil_date, days_of, time_of_day};

/// The second of `unix_ms`, as `YYYYMMDD-HHMMSS`. Such names sort by time until the year 9999.
pub fn stamp(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = time_of_day(seconds);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

/// ISO 8601 in UTC, with the microseconds that readers of `summary.json` expect.
pub fn iso_utc(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = time_of_day(seconds);
    let millisecond = unix_ms % 1000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}000Z")
}

/// The Unix seconds of a date or a time: `2026-11-19`, `2026-11-19T01:02:03.456Z`, `2026-11-19T01:02:03+01:00`. A time
/// without an offset is in UTC.
pub fn unix_seconds(text: &str) -> Option<i64> {
    let date @ (_, month, day) = (number(text, 0..4)?, number(text, 5..7)?, number(text, 8..10)?);
    let is = |at: usize, byte: u8| text.as_bytes().get(at) == Some(&byte);
    if !is(4, b'-') || !is(7, b'-') || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let time = match text.get(10..)? {
        "" => 0,
        time => since_midnight(time.strip_prefix('T')?)?,
    };
    Some(days_of(date) * 86_400 + time)
}

/// The seconds of `01:02:03.456+01:00`; seconds and offset are optional.
fn since_midnight(text: &str) -> Option<i64> {
    let (hour, minute) = (number(text, 0..2)?, number(text, 3..5)?);
    let rest = text.get(2..).filter(|rest| rest.starts_with(':'))?.get(3..)?;
    let second = rest.strip_prefix(':').and_then(|second| number(second, 0..2)).unwrap_or_default();
    let offset = offset(rest.trim_start_matches(|c: char| c.is_ascii_digit() || ":.,".contains(c)));
    Some(hour * 3600 + minute * 60 + second - offset.unwrap_or_default())
}

/// The seconds of `+01:00`, `+0100` or `+01`.
fn offset(text: &str) -> Option<i64> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let minutes = number(text, 4..6).or_else(|| number(text, 3..5)).unwrap_or_default();
    Some(sign * (number(text, 1..3)? * 3600 + minutes * 60))
}

fn number(text: &str, range: Range<usize>) -> Option<i64> {
    let digits = text.get(range)?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_and_times_with_seconds_and_offset() {
        let day = 1_795_046_400;
        for (text, seconds) in [
            ("2026-11-19", Some(day)),
            ("2026-11-19T01:02", Some(day + 3720)),
            ("2026-11-19T01:02:03", Some(day + 3723)),
            ("2026-11-19T01:02:03.456Z", Some(day + 3723)),
            ("2026-11-19T01:02:03.456+01:30", Some(day + 3723 - 5400)),
            ("2026-11-19T01:02:03-0130", Some(day + 3723 + 5400)),
            ("2026-11-19T01:02+01", Some(day + 120)),
            ("2026-13-19", None),
            ("2026-11-19T0102", None),
            ("2026-11-190", None),
            ("2026/11/19", None),
            ("äöüäöü", None),
        ] {
            assert_eq!(unix_seconds(text), seconds, "{text}");
        }
        assert_eq!(unix_seconds(&iso_utc(951_827_696_789)), Some(951_827_696));
    }

    #[test]
    fn stamps_utc_time_to_the_second() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_827_696_789), "20000229-123456");
        assert_eq!(stamp(1_709_251_199_999), "20240229-235959");
        assert_eq!(stamp(1_709_251_200_000), "20240301-000000");
        assert_eq!(stamp(1_763_176_000_123), "20251115-030640");
        assert_eq!(stamp(4_107_542_400_000), "21000301-000000");
    }

    #[test]
    fn prints_utc_with_microseconds() {
        assert_eq!(iso_utc(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(iso_utc(951_827_696_789), "2000-02-29T12:34:56.789000Z");
        assert_eq!(iso_utc(1_763_176_000_123), "2025-11-15T03:06:40.123000Z");
    }
}
