//! Parses `Retry-After`.

use std::time::{Duration, SystemTime};

/// The wait that a `Retry-After` header asks for: a number of seconds, or a date.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    match value.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => Some(httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_retry_after_header() {
        let now = httpdate::parse_http_date("Sun, 15 Nov 2026 09:00:00 GMT").unwrap();
        let seconds = |value| retry_after(value, now).map(|wait| wait.as_secs_f64());
        assert_eq!(seconds("3"), Some(3.0));
        assert_eq!(seconds(" 0.5 "), Some(0.5));
        assert_eq!(seconds("Sun, 15 Nov 2026 09:00:20 GMT"), Some(20.0));
        assert_eq!(seconds("Sun, 15 Nov 2026 08:00:00 GMT"), Some(0.0));
        for none in ["", "-1", "NaN", "inf", "soon", "1e300"] {
            assert_eq!(seconds(none), None, "{none}");
        }
    }
}
