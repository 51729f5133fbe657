//! The body of a response: whole, or message by message.

use std::pin::Pin;
use std::task::{Context, Poll};

use agentci_wire::serve::{BrokenOffError, ServedBody};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::mpsc::UnboundedReceiver;

/// The body of a response.
#[derive(Debug)]
pub(super) enum Talk {
    /// A body that is known from the start.
    Said(ServedBody),
    /// A stream that ends when its sender is dropped.
    Stream(UnboundedReceiver<Bytes>),
}

impl Talk {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Talk::Said(ServedBody::whole(bytes))
    }
}

impl Body for Talk {
    type Data = Bytes;
    type Error = BrokenOffError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOffError>>> {
        match &mut *self {
            Talk::Said(speech) => Pin::new(speech).poll_frame(context),
            Talk::Stream(events) => events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Talk::Said(speech) if speech.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Talk::Said(speech) => speech.size_hint(),
            Talk::Stream(_) => SizeHint::default(),
        }
    }
}
