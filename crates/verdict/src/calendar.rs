//! Formats Unix milliseconds, always in UTC.

use agentci_plan::civil_date;

/// The second of `unix_ms`, as `YYYYMMDD-HHMMSS`. Such names sort by time until the year 9999.
pub fn stamp(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

/// ISO 8601 in UTC, with the microseconds that readers of `summary.json` expect.
pub fn iso_utc(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let millisecond = unix_ms % 1000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}000Z")
}

#[cfg(test)]
mod tests {
    use super::*;

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
