//! Retries a case if its agent was unreachable or rate-limited. Failures of the agent itself are never retried.

use std::time::Duration;

use agentci_source::print_duration;
use agentci_verdict::{Body, LogLine};

/// The wait before the first retry; it doubles with each further retry.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The maximum wait.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The retries of one attempt.
#[derive(Debug)]
pub(crate) struct Retries {
    most: u32,
    used: u32,
    /// Why the first try failed.
    reason: Option<String>,
}

impl Retries {
    pub(crate) fn new(most: u32) -> Self {
        Self { most, used: 0, reason: None }
    }

    /// The wait before the next retry; `None` if no retries are left.
    pub(crate) fn next(&mut self) -> Option<Duration> {
        if self.used >= self.most {
            return None;
        }
        self.used += 1;
        Some((FIRST_WAIT * 2_u32.saturating_pow(self.used - 1)).min(LONGEST_WAIT))
    }

    /// The log event for a failed try.
    pub(crate) fn failed(&mut self, message: &str, wait: Duration) -> Body {
        self.reason.get_or_insert_with(|| message.to_owned());
        let message = format!("{message}; retry {} of {} in {}", self.used, self.most, print_duration(wait));
        Body::Log(LogLine { level: "warn".into(), message, ..LogLine::default() })
    }

    /// The warning about retries for the end of the case.
    pub(crate) fn summary(&self, passed: bool) -> Option<String> {
        let reason = self.reason.as_ref()?;
        let times = if self.used == 1 { "1 retry".to_owned() } else { format!("{} retries", self.used) };
        let verdict = if passed { "passed" } else { "did not pass" };
        Some(format!("{verdict} after {times}; the first try: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_maximum_and_stop() {
        let mut retries = Retries::new(7);
        let waits: Vec<u128> = std::iter::from_fn(|| retries.next()).map(|wait| wait.as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
        assert_eq!(Retries::new(0).next(), None);
    }

    #[test]
    fn only_retried_cases_have_a_summary() {
        let mut retries = Retries::new(2);
        assert_eq!(retries.summary(true), None);
        let wait = retries.next().unwrap();
        let _ = retries.failed("connection refused", wait);
        assert_eq!(retries.summary(true).unwrap(), "passed after 1 retry; the first try: connection refused");
    }
}
