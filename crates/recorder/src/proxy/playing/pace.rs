//! The pace at which a recorded answer is sent.

use std::time::Duration;

use tokio::time::Instant;

use crate::ReplayPace;

/// The longest pause, however long the recorded one was.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// Computes when data is due, from its recorded delay after the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlayClock {
    pub(crate) began: Instant,
    pub(crate) pace: ReplayPace,
}

impl PlayClock {
    /// When data with this delay is due; `None` for immediately.
    pub(crate) fn due(&self, after_us: u64) -> Option<Instant> {
        let ReplayPace::Times(times) = self.pace else { return None };
        let pause = Duration::from_micros(after_us).as_secs_f64() / times;
        let pause = Duration::try_from_secs_f64(pause).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE);
        Some(self.began + pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_capped() {
        let began = Instant::now();
        let due = |pace, after_us| PlayClock { began, pace }.due(after_us).map(|due| due - began);
        assert_eq!(due(ReplayPace::Fast, 5_000), None);
        assert_eq!(due(ReplayPace::Times(2.0), 5_000), Some(Duration::from_micros(2_500)));
        for pace in
            [ReplayPace::Times(1.0), ReplayPace::Times(0.0), ReplayPace::Times(-1.0), ReplayPace::Times(f64::NAN)]
        {
            assert_eq!(due(pace, u64::MAX), Some(LONGEST_PAUSE), "{pace:?}");
        }
    }
}
