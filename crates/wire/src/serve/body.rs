//! The body of an answer: at once, or bit by bit at the moments it is due.
//!
//! Each bit has its moment counted from the beginning of the answer, so that one that is late makes no other late. A reader that
//! does not read holds up its own answer alone.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// The connection is broken off on purpose.
#[derive(Debug, thiserror::Error)]
#[error("broken off on purpose")]
pub struct BrokenOffError;

/// The end of a bit.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// Where it ends in the buffer.
    pub end: usize,
    /// How many tokens have been said with it.
    pub tokens: u32,
    /// When it is due, counted from the beginning of the answer.
    pub after: Duration,
}

/// Is told how far an answer was sent. It is dropped when all of it was, or when whoever reads it left.
pub trait SendProgress: Send + std::fmt::Debug {
    /// So many tokens were sent by now.
    fn said(&self, tokens: u32);
}

/// The body of an answer.
#[derive(Debug)]
pub struct ServedBody {
    bytes: Bytes,
    sent: usize,
    /// How long it is said to be, where that is not how long it is.
    announced: Option<u64>,
    /// When it was begun, and where each bit ends; nothing when all of it comes at once.
    paced: Option<Paced>,
    /// Whether it breaks off after what is there.
    cut: Option<BreakProgress>,
    progress: Option<Box<dyn SendProgress>>,
}

/// How far a break has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakProgress {
    /// What came before it may still be in a buffer.
    Pending,
    /// It was sent.
    Ready,
}

#[derive(Debug)]
struct Paced {
    start: Instant,
    marks: Vec<Mark>,
    next: usize,
    sleep: Pin<Box<Sleep>>,
}

impl ServedBody {
    /// All at once.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), sent: 0, announced: None, paced: None, cut: None, progress: None }
    }

    /// Bits, each when it is due.
    pub fn paced(bytes: Bytes, marks: Vec<Mark>, start: Instant) -> Self {
        let paced = Paced { start, marks, next: 0, sleep: Box::pin(sleep_until(start)) };
        Self { paced: Some(paced), ..Self::whole(bytes) }
    }

    /// The same, with someone who is told how far it was sent.
    #[must_use]
    pub fn told_to(self, progress: Box<dyn SendProgress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// The same, broken off at the end.
    #[must_use]
    pub fn cut(self) -> Self {
        Self { cut: Some(BreakProgress::Pending), ..self }
    }

    /// The first half of it, said to be the whole and then broken off.
    pub fn halved(mut bytes: Bytes) -> Self {
        // An answer of nothing can not break off.
        let announced = Some(bytes.len().max(1) as u64);
        bytes.truncate(bytes.len() / 2);
        Self { announced, ..Self::whole(bytes).cut() }
    }
}

impl Paced {
    /// How many tokens were sent.
    fn said(&self) -> u32 {
        let last = self.next.checked_sub(1).and_then(|last| self.marks.get(last));
        last.map_or(0, |mark| if self.next == self.marks.len() { u32::MAX } else { mark.tokens })
    }

    /// How far the speech may be sent by now.
    fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        let mut due = None;
        while let Some(mark) = self.marks.get(self.next) {
            // A moment too far away to be said never comes.
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
                    // The connection sends what it has whenever there is nothing more to be had.
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
            progress.said(this.paced.as_ref().map_or(u32::MAX, Paced::said));
        }
        if end == this.bytes.len() {
            // Before the reader has it, and can go on.
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
