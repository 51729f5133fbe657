//! Durations in human-readable notation: `300ms`, `1m30s`, `1.5h`.

use std::time::Duration;

const UNITS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

/// Reads a sequence of decimal numbers with units; a bare `0` is allowed.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{}` is not a duration: write a number and a unit, such as `90s`", text.escape_debug());
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let mut rest = text;
    let mut seconds = 0.0;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let amount: f64 = rest[..end].parse().map_err(|_| wrong())?;
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let (_, scale) = UNITS.iter().find(|(unit, _)| *unit == &rest[..end]).ok_or_else(wrong)?;
        seconds += amount * scale;
        rest = &rest[end..];
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Writes a duration so that [`parse_duration`] reads the same one, to the microsecond.
pub fn print_duration(duration: Duration) -> String {
    let micros = duration.as_micros();
    if micros == 0 {
        return "0s".into();
    }
    if !micros.is_multiple_of(1000) {
        return format!("{micros}us");
    }
    let millis = micros / 1000;
    if !millis.is_multiple_of(1000) {
        return format!("{millis}ms");
    }
    let seconds = millis / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, 0) => format!("{m}m"),
        (0, m, s) => format!("{m}m{s}s"),
        (h, 0, 0) => format!("{h}h"),
        (h, m, 0) => format!("{h}h{m}m"),
        (h, m, s) => format!("{h}h{m}m{s}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_common_durations() {
        for (text, millis) in
            [("300ms", 300), ("1m30s", 90_000), ("1.5h", 5_400_000), ("0", 0), ("0s", 0), (".5s", 500)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "5", "s", "1x", "1 s", "-1s", "1.2.3s", "5mins", "99999999999999999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn printed_durations_round_trip() {
        for text in ["20s", "1m30s", "5m", "1h", "1h0m1s", "250ms", "7us", "0s"] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(parse_duration(&print_duration(duration)), Ok(duration), "{text}");
        }
        assert_eq!(print_duration(Duration::from_secs(90)), "1m30s");
    }
}
