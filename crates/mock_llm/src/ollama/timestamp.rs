//! Times in answers.

use agentci_plan::civil_date;

/// Formats a Unix time in seconds: `2025-01-01T00:00:00Z`.
pub(super) fn moment(unix: u64) -> String {
    let ((year, month, day), second) = (civil_date(unix / 86_400), unix % 86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_timestamps_as_rfc_3339() {
        assert_eq!(moment(1_735_689_600), "2025-01-01T00:00:00Z");
        assert_eq!(moment(1_735_689_600 + 3_661), "2025-01-01T01:01:01Z");
    }
}
