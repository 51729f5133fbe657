//! The body of an answer: at once, or bit by bit at the moments it is due.
//!
//! Each bit has its moment counted from the beginning of the answer, so that one that is late makes no other late. A reader that
//! does not read holds up its own answer alone.

use std::pin::Pin;
use std::task::{Context, Poll};

use agentci_plan::Pace;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// The connection is broken off on purpose.
#[derive(Debug, thiserror::Error)]
#[error("broken off on purpose")]
pub(crate) struct BrokenOff;

/// The end of a bit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    /// Where it ends in the buffer.
    pub(crate) end: usize,
    /// How many tokens have been said with it.
    pub(crate) tokens: u32,
}

/// The body of an answer.
#[derive(Debug)]
pub(crate) struct Speech {
    bytes: Bytes,
    sent: usize,
    /// How long it is said to be, where that is not how long it is.
    announced: Option<u64>,
    /// When it was begun, and where each bit ends; nothing when all of it comes at once.
    paced: Option<Paced>,
    /// Whether it breaks off after what is there.
    cut: Option<Cut>,
    /// Who is told if the reader leaves before the end.
    left: Option<Left>,
}

/// Who is told all that was to be said, and how much of it was sent.
type Tell = Box<dyn FnOnce(&[u8], usize) + Send + Sync>;

/// Tells someone how much of a speech was sent when its reader left before the end.
pub(crate) struct Left {
    bytes: Bytes,
    sent: usize,
    tell: Option<Tell>,
}

impl std::fmt::Debug for Left {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Left").field("sent", &self.sent).finish_non_exhaustive()
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        if self.sent < self.bytes.len()
            && let Some(tell) = self.tell.take()
        {
            tell(&self.bytes, self.sent);
        }
    }
}

/// How far a break has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// What came before it may still be in a buffer.
    Pending,
    /// It was sent.
    Ready,
}

#[derive(Debug)]
struct Paced {
    start: Instant,
    pace: Pace,
    marks: Vec<Mark>,
    next: usize,
    sleep: Pin<Box<Sleep>>,
}

impl Speech {
    /// All at once.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), sent: 0, announced: None, paced: None, cut: None, left: None }
    }

    /// Bits, each when it is due.
    pub(crate) fn paced(bytes: Bytes, marks: Vec<Mark>, pace: Pace, start: Instant) -> Self {
        let immediate = Pace { latency: pace.latency, ..Pace::default() } == pace;
        let paced = (!immediate).then(|| Paced { start, pace, marks, next: 0, sleep: Box::pin(sleep_until(start)) });
        Self { bytes, sent: 0, announced: None, paced, cut: None, left: None }
    }

    /// The same; `tell` hears of a reader that leaves before the end: all that was to be said, and how much of it was sent.
    pub(crate) fn watched(self, tell: impl FnOnce(&[u8], usize) + Send + Sync + 'static) -> Self {
        let left = Left { bytes: self.bytes.clone(), sent: self.sent, tell: Some(Box::new(tell)) };
        Self { left: Some(left), ..self }
    }

    /// The same, broken off at the end.
    pub(crate) fn cut(self) -> Self {
        Self { cut: Some(Cut::Pending), ..self }
    }

    /// The first half of it, said to be the whole and then broken off.
    pub(crate) fn halved(mut bytes: Bytes) -> Self {
        // An answer of nothing can not break off.
        let announced = Some(bytes.len().max(1) as u64);
        bytes.truncate(bytes.len() / 2);
        Self { announced, ..Self::whole(bytes).cut() }
    }
}

impl Paced {
    /// How far the speech may be sent by now.
    fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        let mut due = None;
        while let Some(mark) = self.marks.get(self.next) {
            let after = if mark.tokens == 0 { std::time::Duration::ZERO } else { self.pace.due(mark.tokens) };
            // A moment too far away to be said never comes.
            let Some(at) = self.start.checked_add(after) else { break };
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

impl Body for Speech {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let this = &mut *self;
        if this.sent == this.bytes.len() {
            return match this.cut {
                None => Poll::Ready(None),
                Some(Cut::Pending) => {
                    // The connection sends what it has whenever there is nothing more to be had.
                    this.cut = Some(Cut::Ready);
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                Some(Cut::Ready) => Poll::Ready(Some(Err(BrokenOff))),
            };
        }
        let end = match &mut this.paced {
            None => this.bytes.len(),
            Some(paced) => std::task::ready!(paced.poll_due(context)),
        };
        let bytes = this.bytes.slice(this.sent..end);
        this.sent = end;
        if let Some(left) = &mut this.left {
            left.sent = end;
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
