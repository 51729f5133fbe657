//! The body of an answer: at once, or message by message.

use std::pin::Pin;
use std::task::{Context, Poll};

use agentci_wire::serve::{BrokenOff, Speech};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::mpsc::UnboundedReceiver;

/// The body of an answer.
#[derive(Debug)]
pub(super) enum Talk {
    /// All at once; nothing is left when it was sent.
    Whole(Option<Bytes>),
    /// The beginning of something, and then the connection breaks off.
    Broken(Speech),
    /// As it comes, until whoever sends is gone.
    Stream(UnboundedReceiver<Bytes>),
}

impl Talk {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Talk::Whole((!bytes.is_empty()).then_some(bytes))
    }
}

impl Body for Talk {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        match &mut *self {
            Talk::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Talk::Broken(speech) => Pin::new(speech).poll_frame(context),
            Talk::Stream(events) => events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Talk::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Talk::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Talk::Broken(speech) => speech.size_hint(),
            Talk::Stream(_) => SizeHint::default(),
        }
    }
}
