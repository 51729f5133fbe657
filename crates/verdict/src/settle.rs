//! From findings to a status.

use crate::{CaseStatus, Cause, Finding};

/// The status of an attempt: no finding is a pass, any error makes it an error, anything else a failure. The cause is that of
/// the first finding of the deciding kind.
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
    fn an_error_outweighs_a_failure() {
        assert_eq!(settle(&[]), (CaseStatus::Pass, None));
        assert_eq!(settle(&[finding(Cause::Limit)]), (CaseStatus::Fail, Some(Cause::Limit)));
        let both = [finding(Cause::Check), finding(Cause::Timeout), finding(Cause::Protocol)];
        assert_eq!(settle(&both), (CaseStatus::Error, Some(Cause::Timeout)));
    }
}
