//! An open exchange. It is reported however it ends, also when its task is dropped because the client disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::proxy::{ClientProgram, ExchangeLog, Listening, Splitter};
use crate::{
    AnswerFrame, EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse, SeenHow, is_chatter,
};

/// Maximum number of bytes of an answer that are kept.
pub(crate) const LARGEST_ANSWER: u64 = 64 * 1024 * 1024;
/// Maximum number of pieces of an answer that are kept: an event of one byte takes fifty bytes of memory.
pub(crate) const MOST_FRAMES: usize = 500_000;

/// An open exchange.
pub(crate) struct OngoingExchange {
    ledger: Arc<ExchangeLog>,
    exchange: Exchange,
    is_over: bool,
    splitter: Splitter,
    how: SeenHow,
    /// Reads the answer if it contains the answers to other requests.
    listening: Option<Listening>,
    /// The number of bytes of the answer that are kept.
    kept: u64,
    too_large: bool,
    /// The number of forwarded bytes of a request that is not kept.
    upload: Option<Arc<AtomicU64>>,
    /// The program that sent the request.
    program: Option<ClientProgram>,
    /// Whether the exchange ends like the recorded one that answers it.
    ends_as_recorded: bool,
}

impl OngoingExchange {
    /// An exchange whose answer is in a recording.
    pub(crate) fn replayed(ledger: &Arc<ExchangeLog>, exchange: Exchange, how: SeenHow) -> Self {
        ledger.open();
        Self::of(Arc::clone(ledger), exchange, how)
    }

    /// An exchange that the recording has no answer to.
    pub(crate) fn missed(ledger: &Arc<ExchangeLog>, request: RecordedRequest) -> Self {
        ledger.open();
        let exchange = Exchange { chatter: is_chatter(&request), request, ..Exchange::default() };
        Self::of(Arc::clone(ledger), exchange, SeenHow::Missed)
    }

    pub(super) fn of(ledger: Arc<ExchangeLog>, exchange: Exchange, how: SeenHow) -> Self {
        let listening = exchange.response.as_ref().and_then(|response| Listening::to(&exchange.request, response));
        let ends_as_recorded = matches!(how, SeenHow::Replayed | SeenHow::Spoilt(_));
        Self {
            ledger,
            exchange,
            is_over: false,
            splitter: Splitter::new("", ""),
            how,
            listening,
            kept: 0,
            too_large: false,
            upload: None,
            program: None,
            ends_as_recorded,
        }
    }

    /// Keeps the parts of a recorded answer that are sent, with their current times.
    pub(crate) fn afresh(mut self) -> Self {
        if let Some(head) = self.exchange.response.take() {
            self.head(head.status, head.headers);
        }
        self.ends_as_recorded = false;
        self
    }

    /// Its id; 0 if it is not kept.
    pub(crate) fn id(&self) -> u64 {
        self.exchange.id
    }

    /// Sets the exchange that this one follows.
    pub(crate) fn continuing(mut self, after: Option<u64>) -> Self {
        self.exchange.after = after.filter(|after| *after > 0);
        self
    }

    /// Sets the program that sent the request. Its name is looked up in the background.
    pub(crate) fn by(mut self, program: ClientProgram) -> Self {
        program.look();
        self.program = Some(program);
        self
    }

    /// The request is forwarded and counted, not kept.
    pub(crate) fn counts_upload(&mut self, counter: Arc<AtomicU64>) {
        self.upload = Some(counter);
    }

    /// Adds the head of the answer.
    pub(crate) fn head(&mut self, status: u16, headers: Vec<(String, String)>) {
        let response = RecordedResponse { at_us: self.ledger.now_us(), status, headers, frames: Vec::new() };
        self.splitter = Splitter::of(&response);
        self.listening = Listening::to(&self.exchange.request, &response);
        self.exchange.response = Some(response);
    }

    /// Adds bytes of the answer.
    pub(crate) fn chunk(&mut self, chunk: &Bytes) {
        if self.too_large {
            return;
        }
        let length = chunk.len() as u64;
        self.kept += length;
        if !self.ledger.keeps(length) || self.kept > LARGEST_ANSWER || self.frames() >= MOST_FRAMES {
            self.forget();
            return;
        }
        let at_us = self.ledger.now_us();
        let pieces = self.splitter.push(chunk);
        for piece in &pieces {
            self.hear(piece);
        }
        self.keep(at_us, pieces);
    }

    /// Reads an event of the answer that is sent to the client.
    pub(crate) fn hear(&mut self, event: &[u8]) {
        if let Some(answer) = self.listening.as_mut().and_then(|listening| listening.hear(event)) {
            self.ledger.hear(answer);
        }
    }

    /// Ends the exchange.
    pub(crate) fn end(mut self, how: EndKind) {
        self.finish(how);
    }

    fn finish(&mut self, how: EndKind) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let at_us = self.ledger.now_us();
        let rest = self.splitter.rest();
        self.keep(at_us, rest.into_iter().collect());
        let mut exchange = std::mem::take(&mut self.exchange);
        if let Some(upload) = &self.upload {
            exchange.request.body = RecordedBody::TooLarge { bytes: upload.load(Ordering::Relaxed) };
        }
        if !self.ends_as_recorded {
            exchange.end = ExchangeEnd { at_us, how: if self.too_large { EndKind::TooLarge } else { how } };
        }
        exchange.request.by = self.program.as_ref().and_then(ClientProgram::known);
        self.ledger.end(exchange, self.how, self.program.take());
    }

    fn frames(&self) -> usize {
        self.exchange.response.as_ref().map_or(0, |response| response.frames.len())
    }

    fn keep(&mut self, at_us: u64, pieces: Vec<Bytes>) {
        if let Some(response) = &mut self.exchange.response {
            response.frames.extend(pieces.into_iter().map(|bytes| AnswerFrame { at_us, bytes }));
        }
    }

    /// Drops the answer, including the parts received later.
    fn forget(&mut self) {
        self.too_large = true;
        self.ledger.forgets(self.kept);
        self.splitter = Splitter::new("", "");
        if let Some(response) = &mut self.exchange.response {
            response.frames = Vec::new();
        }
    }
}

impl Drop for OngoingExchange {
    fn drop(&mut self) {
        self.finish(EndKind::Left);
    }
}

#[cfg(test)]
mod tests {
    use agentci_trace::Redactor;

    use super::*;

    #[test]
    fn drops_response_with_too_many_frames() {
        let ledger = Arc::new(ExchangeLog::new(Redactor::default(), Vec::new(), None, 0));
        let mut ongoing = ledger.begin(RecordedRequest::default(), true);
        ongoing.head(200, vec![("content-type".into(), "application/jsonl".into())]);
        ongoing.chunk(&"1\n".repeat(MOST_FRAMES).into());
        assert_eq!(ongoing.frames(), MOST_FRAMES);
        ongoing.chunk(&Bytes::from_static(b"2\n"));
        ongoing.end(EndKind::Closed);
        let exchange = ledger.seen().exchanges[0].clone().unwrap();
        assert_eq!(exchange.end.how, EndKind::TooLarge);
        assert!(exchange.response.as_ref().unwrap().frames.is_empty());
    }
}
