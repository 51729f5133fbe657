//! The body of a live answer: every piece is recorded and passed on immediately.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::EndKind;
use crate::proxy::{OngoingExchange, words};

/// Closes the connection to the client, because the one to the server was closed.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
pub(crate) struct UpstreamBrokenError;

/// An aborted answer. Waits for one poll, in which the connection sends the earlier data: an immediate error would drop
/// it.
#[derive(Debug, Default)]
pub(crate) struct AnswerAbort {
    flushed: bool,
}

impl AnswerAbort {
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<UpstreamBrokenError> {
        if self.flushed {
            return Poll::Ready(UpstreamBrokenError);
        }
        self.flushed = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A live answer that is sent to the client.
pub(crate) struct Tee {
    inner: reqwest::Body,
    /// The exchange that it belongs to, until it ends; `None` if nothing is kept.
    ongoing: Option<OngoingExchange>,
    /// Set when the server disconnected.
    breaking: Option<AnswerAbort>,
}

impl Tee {
    pub(crate) fn new(inner: reqwest::Body, ongoing: Option<OngoingExchange>) -> Self {
        let mut tee = Self { inner, ongoing, breaking: None };
        tee.close_if_over();
        tee
    }

    /// A body with a known length ends with its last byte: it is not polled again.
    fn close_if_over(&mut self) {
        if self.inner.is_end_stream() {
            self.end(EndKind::Closed);
        }
    }

    fn end(&mut self, how: EndKind) {
        if let Some(ongoing) = self.ongoing.take() {
            ongoing.end(how);
        }
    }
}

impl Body for Tee {
    type Data = Bytes;
    type Error = UpstreamBrokenError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, UpstreamBrokenError>>> {
        if self.breaking.is_none() {
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let (Some(ongoing), Some(data)) = (&mut self.ongoing, frame.data_ref()) {
                        ongoing.chunk(data);
                    }
                    self.close_if_over();
                    return Poll::Ready(Some(Ok(frame)));
                }
                Some(Err(error)) => self.end(EndKind::Broken(words(error))),
                None => {
                    self.end(EndKind::Closed);
                    return Poll::Ready(None);
                }
            }
        }
        self.breaking.get_or_insert_default().poll(context).map(|broken_off| Some(Err(broken_off)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Tee {
    /// Many clients disconnect after the last event of a stream, without waiting for its end, which may have arrived
    /// with it.
    fn drop(&mut self) {
        if self.ongoing.is_some() {
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(None) = Pin::new(&mut self.inner).poll_frame(&mut context) {
                self.end(EndKind::Closed);
            }
        }
    }
}

/// The body of a request that is too large to keep: the part that was read, and the rest.
#[derive(Debug)]
pub(crate) struct Upload {
    /// Pieces that were already read, in reverse order.
    read: Vec<Bytes>,
    rest: Incoming,
    sent: Arc<AtomicU64>,
}

impl Upload {
    pub(crate) fn new(mut read: Vec<Bytes>, rest: Incoming) -> (Self, Arc<AtomicU64>) {
        read.reverse();
        let sent = Arc::new(AtomicU64::new(0));
        (Self { read, rest, sent: Arc::clone(&sent) }, sent)
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let next = match self.read.pop() {
            Some(bytes) => Some(Ok(Frame::data(bytes))),
            None => ready!(Pin::new(&mut self.rest).poll_frame(context)),
        };
        let data = next.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
        self.sent.fetch_add(data.map_or(0, |bytes| bytes.len() as u64), Ordering::Relaxed);
        Poll::Ready(next)
    }
}
