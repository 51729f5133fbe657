//! Decides when to retry a request.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// The default time limit of one request.
const REQUEST: Duration = Duration::from_secs(30);
/// The default total time limit.
const TOTAL: Duration = Duration::from_mins(2);
/// The default number of retries.
const RETRIES: u32 = 3;

/// The limits on requests to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    /// The time limit of one request.
    pub request: Duration,
    /// The total time limit of one call: all requests for its texts, and the pauses between them.
    pub total: Duration,
    /// The most retries of a failed request.
    pub retries: u32,
    /// The pause before the first retry; it doubles with each retry.
    pub pause: Duration,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self { request: REQUEST, total: TOTAL, retries: RETRIES, pause: Duration::from_millis(500) }
    }
}

impl RetryLimits {
    /// How long to wait after `tries` attempts: as long as the service requests, and at least a pause that doubles each
    /// time. The pause is shortened at random by up to half, so that cases that failed together do not retry together.
    pub(super) fn wait(&self, tries: u32, asked_for: Option<Duration>) -> Duration {
        let full = self.pause.saturating_mul(1_u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX));
        // Each `RandomState` has a new seed; the number need not be unpredictable.
        let draw = RandomState::new().hash_one(tries) % 1_000;
        let draw = u32::try_from(draw).expect("a number below 1,000 fits into 32 bits");
        let pause = full / 2 + full / 2_000 * draw;
        pause.max(asked_for.unwrap_or_default())
    }
}

/// Whether a request with this status can succeed when it is retried. An invalid request stays invalid.
pub(super) fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_with_jitter() {
        let limits = RetryLimits { pause: Duration::from_millis(800), ..RetryLimits::default() };
        for (tries, most) in [(1, 800), (2, 1_600), (3, 3_200)] {
            for _ in 0..50 {
                let wait = limits.wait(tries, None);
                assert!(wait >= Duration::from_millis(most / 2) && wait <= Duration::from_millis(most), "{wait:?}");
            }
        }
        assert!(limits.wait(u32::MAX, None) > Duration::from_secs(1_000));
    }

    #[test]
    fn honors_retry_after() {
        let limits = RetryLimits::default();
        assert_eq!(limits.wait(1, Some(Duration::from_secs(7))), Duration::from_secs(7));
        assert!(limits.wait(1, Some(Duration::ZERO)) >= Duration::from_millis(250));
    }

    #[test]
    fn retries_only_transient_statuses() {
        assert!([429, 500, 503, 529].into_iter().all(may_pass));
        assert!(![301, 400, 401, 403, 404, 413, 422].into_iter().any(may_pass));
    }
}
