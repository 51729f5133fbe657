//! The body of a response: whole, or message by message.

use std::pin::Pin;
use std::task::{Context, Poll};

use agentci_wire::serve::{BrokenOffError, ServedBody};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::mpsc::UnboundedReceiver;

/// The body of a response.
#[derive(Debug)]
pub(super) enum McpAnswerBody {
    /// A body that is known from the start.
    Whole(ServedBody),
    /// A stream that ends when its sender is dropped.
    Stream(UnboundedReceiver<Bytes>),
}

impl McpAnswerBody {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        McpAnswerBody::Whole(ServedBody::whole(bytes))
    }
}

impl Body for McpAnswerBody {
    type Data = Bytes;
    type Error = BrokenOffError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOffError>>> {
        match &mut *self {
            McpAnswerBody::Whole(body) => Pin::new(body).poll_frame(context),
            McpAnswerBody::Stream(events) => {
                events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, McpAnswerBody::Whole(body) if body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            McpAnswerBody::Whole(body) => body.size_hint(),
            McpAnswerBody::Stream(_) => SizeHint::default(),
        }
    }
}
