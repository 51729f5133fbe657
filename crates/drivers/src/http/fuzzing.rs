//! Entry point of the fuzz targets to the readers of HTTP answers.

use agentci_plan::{Strictness, TextEvents};
use agentci_protocols::sse::SseEvent;

use super::reader::{HttpReader, ReadingManner};
use super::{observer, refusal};

/// Reads an answer whole, as lines, and as events; in the latter the event name precedes the data on each line.
pub(crate) fn answer(body: &[u8]) {
    let (named, listed) = (Some("/a/0".to_owned()), TextEvents::Named(vec!["a".into()]));
    for (pointer, events, protocol) in [
        (None, TextEvents::Usual, Strictness::Fail),
        (named, TextEvents::All, Strictness::Warn),
        (None, listed, Strictness::Off),
    ] {
        let manner = ReadingManner { pointer, events, protocol };
        for content_type in ["text/plain", "application/json", ""] {
            let mut whole = HttpReader::new(manner.clone());
            let _ = whole.whole(content_type, body).and_then(|()| whole.end()).and_then(|()| whole.finish());
        }
        let (mut lines, mut stream) = (HttpReader::new(manner.clone()), HttpReader::new(manner));
        for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
            let _ = lines.line(index + 1, line);
            let text = String::from_utf8_lossy(line);
            let (name, data) = text.split_once(' ').map_or((None, &*text), |(name, data)| (Some(name), data));
            let event = name.filter(|name| !name.is_empty()).map(str::to_owned);
            let (unfinished, torn) = (line.ends_with(b"}"), line.ends_with(b" "));
            let _ = stream.event(&SseEvent { event, data: data.to_owned(), unfinished, torn, ..SseEvent::default() });
        }
        let _ = stream.torn_line(body);
        let _ = (lines.finish(), stream.end(), stream.finish());
    }
    let _ = refusal::refused(500, body);
    if let Ok(value) = serde_json::from_slice(body) {
        let _ = observer::read(&value);
    }
}
