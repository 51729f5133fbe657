//! Formats times: `56 ms`, `30.0 s`, `2 min 5 s`.

/// A duration, rounded for readers.
pub(crate) fn duration(ms: u64) -> String {
    let tenths = ms.saturating_add(50) / 100;
    let seconds = ms.saturating_add(500) / 1000;
    if ms < 1000 {
        format!("{ms} ms")
    } else if tenths < 600 {
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

/// [`duration`] for a mean or a percentile of milliseconds.
pub(crate) fn duration_of(ms: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "wall times are small and not negative"
    )]
    duration(ms.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_durations_have_lower_precision() {
        let said = [0, 999, 1000, 1249, 30_000, 59_949, 59_950, 125_400, u64::MAX].map(duration);
        assert_eq!(said[..8], ["0 ms", "999 ms", "1.0 s", "1.2 s", "30.0 s", "59.9 s", "1 min 0 s", "2 min 5 s"]);
        assert_eq!(duration_of(19.6), "20 ms");
    }
}
