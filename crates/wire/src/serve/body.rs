//! The body of an answer: sent at once, or in pieces at given times.
//!
//! The time of each piece counts from the start of the answer, so that a late piece does not delay the others. A client
//! that does not read delays only its own answer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// The connection is closed early on purpose.
#[derive(Debug, thiserror::Error)]
#[error("broken off on purpose")]
pub struct BrokenOffError;

/// The end of a piece.
#[derive(Debug, Clone, Copy)]
pub struct PieceEnd {
    /// Where it ends in the buffer.
    pub end: usize,
    /// The number of tokens up to here.
    pub tokens: u32,
    /// When the piece is due, counted from the start of the answer.
    pub after: Duration,
}

/// Receives the progress of an answer. It is dropped when the answer was sent, or when the client disconnects.
pub trait SendProgress: Send + std::fmt::Debug {
    /// Reports the number of tokens sent so far.
    fn said(&self, tokens: u32);
}

/// The body of an answer.
#[derive(Debug)]
pub struct ServedBody {
    bytes: Bytes,
    sent: usize,
    /// The announced length, if it differs from the actual one.
    announced: Option<u64>,
    /// The pieces and their times; `None` if the body is sent at once.
    paced: Option<PacedDelivery>,
    /// Whether the connection is closed early, after these bytes.
    cut: Option<BreakProgress>,
    progress: Option<Box<dyn SendProgress>>,
}

/// The progress of an early close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakProgress {
    /// Earlier bytes may still be in a buffer.
    Pending,
    /// The earlier bytes were sent.
    Ready,
}

#[derive(Debug)]
struct PacedDelivery {
    start: Instant,
    marks: Vec<PieceEnd>,
    next: usize,
    sleep: Pin<Box<Sleep>>,
}

impl ServedBody {
    /// A body that is sent at once.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), sent: 0, announced: None, paced: None, cut: None, progress: None }
    }

    /// A body that is sent in pieces, each when it is due.
    pub fn paced(bytes: Bytes, marks: Vec<PieceEnd>, start: Instant) -> Self {
        let paced = PacedDelivery { start, marks, next: 0, sleep: Box::pin(sleep_until(start)) };
        Self { paced: Some(paced), ..Self::whole(bytes) }
    }

    /// Reports the progress of the body.
    #[must_use]
    pub fn told_to(self, progress: Box<dyn SendProgress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Closes the connection early, after the bytes of the body.
    #[must_use]
    pub fn cut(self) -> Self {
        Self { cut: Some(BreakProgress::Pending), ..self }
    }

    /// A body that is announced in full, of which only the first half is sent.
    pub fn halved(mut bytes: Bytes) -> Self {
        // An empty answer cannot be truncated.
        let announced = Some(bytes.len().max(1) as u64);
        bytes.truncate(bytes.len() / 2);
        Self { announced, ..Self::whole(bytes).cut() }
    }
}

impl PacedDelivery {
    /// The number of tokens sent so far.
    fn said(&self) -> u32 {
        let last = self.next.checked_sub(1).and_then(|last| self.marks.get(last));
        last.map_or(0, |mark| if self.next == self.marks.len() { u32::MAX } else { mark.tokens })
    }

    /// The end of the pieces that are due by now.
    fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        let mut due = None;
        while let Some(mark) = self.marks.get(self.next) {
            // A due time beyond the range of `Instant` never comes.
            let Some(at) = self.start.checked_add(mark.after) else { break };
            if at > Instant::now() {
                if due.is_none() {
                    self.sleep.as_mut().reset(at);
                    if self.sleep.as_mut().poll(context).is_ready() {
                        continue;
                    }
                }
                break;
            }
            due = Some(mark.end);
            self.next += 1;
        }
        due.map_or(Poll::Pending, Poll::Ready)
    }
}

impl Body for ServedBody {
    type Data = Bytes;
    type Error = BrokenOffError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOffError>>> {
        let this = &mut *self;
        if this.sent == this.bytes.len() {
            return match this.cut {
                None => Poll::Ready(None),
                Some(BreakProgress::Pending) => {
                    // The connection flushes its buffer while the body is pending.
                    this.cut = Some(BreakProgress::Ready);
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                Some(BreakProgress::Ready) => Poll::Ready(Some(Err(BrokenOffError))),
            };
        }
        let end = match &mut this.paced {
            None => this.bytes.len(),
            Some(paced) => std::task::ready!(paced.poll_due(context)),
        };
        let bytes = this.bytes.slice(this.sent..end);
        this.sent = end;
        if let Some(progress) = &this.progress {
            progress.said(this.paced.as_ref().map_or(u32::MAX, PacedDelivery::said));
        }
        if end == this.bytes.len() {
            // Before the client receives the end and can continue.
            this.progress = None;
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.sent == self.bytes.len() && self.cut.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        if let Some(announced) = self.announced {
            return SizeHint::with_exact(announced.saturating_sub(self.sent as u64));
        }
        if self.cut.is_some() || self.paced.is_some() {
            return SizeHint::default();
        }
        SizeHint::with_exact((self.bytes.len() - self.sent) as u64)
    }
}
