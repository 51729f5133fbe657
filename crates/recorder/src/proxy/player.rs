//! The body of a recorded answer on its way to the client, in the pieces and, if wanted, at the pace in which it came.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::ongoing::Ongoing;
use super::tee::{Break, BrokenOff};
use crate::{How, Pace};

/// The longest pause that is made, however long it was when it was recorded.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// When something is due that came so many microseconds after its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    pub(crate) began: Instant,
    pub(crate) pace: Pace,
}

impl Clock {
    /// The moment, unless it is at once.
    pub(crate) fn due(&self, after_us: u64) -> Option<Instant> {
        let Pace::Times(times) = self.pace else { return None };
        let pause = Duration::from_micros(after_us).as_secs_f64() / times;
        let pause = Duration::try_from_secs_f64(pause).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE);
        Some(self.began + pause)
    }
}

/// A recorded answer on its way to the client.
#[derive(Debug)]
pub(crate) struct Player {
    /// Pieces, with the microseconds from the request to each.
    frames: VecDeque<(u64, Bytes)>,
    clock: Clock,
    sleep: Option<Pin<Box<Sleep>>>,
    /// How much there is, where the client is told.
    length: Option<u64>,
    how: How,
    breaking: Break,
    ongoing: Option<Ongoing>,
}

impl Player {
    /// With `stream` the client is not told how much there is.
    pub(crate) fn new(frames: VecDeque<(u64, Bytes)>, stream: bool, how: How, clock: Clock, ongoing: Ongoing) -> Self {
        let whole = !stream && how == How::Closed;
        let length = whole.then(|| frames.iter().map(|(_, bytes)| bytes.len() as u64).sum());
        let mut player =
            Self { frames, clock, sleep: None, length, how, breaking: Break::default(), ongoing: Some(ongoing) };
        if player.is_end_stream() {
            player.end();
        }
        player
    }

    fn end(&mut self) {
        if let Some(ongoing) = self.ongoing.take() {
            ongoing.end(self.how.clone());
        }
    }

    fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(context));
            self.sleep = None;
            return Poll::Ready(());
        }
        let due = self.frames.front().and_then(|(after_us, _)| self.clock.due(*after_us));
        match due {
            Some(due) if due > Instant::now() => {
                let mut sleep = Box::pin(tokio::time::sleep_until(due));
                let polled = sleep.as_mut().poll(context);
                self.sleep = polled.is_pending().then_some(sleep);
                polled
            }
            _ => Poll::Ready(()),
        }
    }
}

impl Body for Player {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        ready!(self.poll_due(context));
        if let Some((_, bytes)) = self.frames.pop_front() {
            if self.is_end_stream() {
                self.end();
            }
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        if !matches!(self.how, How::Broken(_)) {
            self.end();
            return Poll::Ready(None);
        }
        let broken_off = ready!(self.breaking.poll(context));
        self.end();
        Poll::Ready(Some(Err(broken_off)))
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty() && !matches!(self.how, How::Broken(_))
    }

    fn size_hint(&self) -> SizeHint {
        match self.length {
            Some(_) => SizeHint::with_exact(self.frames.iter().map(|(_, bytes)| bytes.len() as u64).sum()),
            None => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pause_is_made_without_end() {
        let began = Instant::now();
        let due = |pace, after_us| Clock { began, pace }.due(after_us).map(|due| due - began);
        assert_eq!(due(Pace::Fast, 5_000), None);
        assert_eq!(due(Pace::Times(2.0), 5_000), Some(Duration::from_micros(2_500)));
        for pace in [Pace::Times(1.0), Pace::Times(0.0), Pace::Times(-1.0), Pace::Times(f64::NAN)] {
            assert_eq!(due(pace, u64::MAX), Some(LONGEST_PAUSE), "{pace:?}");
        }
    }
}
