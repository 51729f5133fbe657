//! Derives a status from findings.

use crate::{CaseStatus, Cause, Finding};

/// The status of an attempt: without findings it passes, any error makes it an error, anything else a failure. The
/// cause is that of the first finding with the deciding status.
pub fn settle(findings: &[Finding]) -> (CaseStatus, Option<Cause>) {
    let worst = findings.iter().map(|finding| finding.cause.status()).max().unwrap_or(CaseStatus::Pass);
    let cause = findings.iter().map(|finding| finding.cause).find(|cause| cause.status() == worst);
    (worst, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(cause: Cause) -> Finding {
        Finding { cause, ..Finding::default() }
    }

    #[test]
    fn error_takes_precedence_over_failure() {
        assert_eq!(settle(&[]), (CaseStatus::Pass, None));
        assert_eq!(settle(&[finding(Cause::Limit)]), (CaseStatus::Fail, Some(Cause::Limit)));
        let both = [finding(Cause::Check), finding(Cause::Timeout), finding(Cause::Protocol)];
        assert_eq!(settle(&both), (CaseStatus::Error, Some(Cause::Timeout)));
    }
}
