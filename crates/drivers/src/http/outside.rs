//! The answers of agents over plain HTTP, within reach of the fuzz targets.

use super::reader::Reader;
use super::{refusal, seen};

/// Reads an answer as a whole, as lines, and as events, whose names stand before their data.
pub(crate) fn answer(body: &[u8]) {
    for pointer in [None, Some("/a/0".to_owned())] {
        let mut whole = Reader::new(pointer.clone());
        let _ = whole.whole(body).map(|_| whole.finish());
        let (mut lines, mut events) = (Reader::new(pointer.clone()), Reader::new(pointer));
        for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
            let _ = lines.line(index + 1, line);
            let text = String::from_utf8_lossy(line);
            let (name, data) = text.split_once(' ').map_or((None, &*text), |(name, data)| (Some(name), data));
            let _ = events.event(name, data);
        }
        let _ = (lines.finish(), events.finish());
    }
    let _ = refusal::refused(500, body);
    if let Ok(value) = serde_json::from_slice(body) {
        let _ = seen::read(&value);
    }
}
