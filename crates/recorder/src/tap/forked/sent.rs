//! A message of a host, and what is needed to answer it or to pass it on.

use serde_json::Value;

use super::super::message::{self, Kind};
use crate::proxy::{Replay, Shared};
use crate::{Request, is_chatter};

/// A message of the host.
pub(super) struct Sent {
    pub(super) message: Value,
    pub(super) kind: Kind,
    /// With its line end.
    pub(super) line: Vec<u8>,
    pub(super) request: Request,
    /// The request without secrets.
    pub(super) clean: Request,
    /// Which request of the session it is; 0 for a notification.
    pub(super) number: usize,
    /// Whether it answers a question of the recording, which the live server did not ask.
    pub(super) is_of_recording: bool,
}

impl Sent {
    /// The messages of a line. Those of a batch have a line each.
    pub(super) fn all(line: &[u8], origin: &str, shared: &Shared) -> Vec<Self> {
        let messages = message::messages(line);
        let is_batch = messages.len() != 1;
        let line_of = |message: &Value| if is_batch { message.to_string().into_bytes() } else { line.to_vec() };
        let of = |message: Value| Self::new(line_of(&message), message, origin, shared);
        messages.into_iter().filter_map(of).collect()
    }

    fn new(mut line: Vec<u8>, message: Value, origin: &str, shared: &Shared) -> Option<Self> {
        let kind = message::kind(&message)?;
        line.push(b'\n');
        let request = message::request(origin, message.clone(), shared.ledger.now_us());
        let clean = request.redacted(&shared.ledger.secrets());
        let counted = shared.replay.as_ref().filter(|_| !is_chatter(&request));
        let number = counted.map_or(0, Replay::ask);
        Some(Self { message, kind, line, request, clean, number, is_of_recording: false })
    }
}
