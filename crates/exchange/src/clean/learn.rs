//! Collects the secrets of a recording.

use agentci_trace::Redactor;
use serde_json::Value;

use super::super::recording::{AgentRecording, PieceKind};
use super::cleaner::frame;
use super::streams::Streamed;

/// Registers all values of secret keys. `streams` are those of each exchange.
pub(super) fn learn(recording: &AgentRecording, streams: &[Vec<Streamed>], redactor: &mut Redactor) {
    for printed in &recording.variables {
        for (name, value) in &printed.variables {
            redactor.learn(&serde_json::json!({ name: value }));
        }
    }
    for exchange in &recording.exchanges {
        redactor.learn(&exchange.identity);
        for (name, value) in exchange.response.iter().flat_map(|head| &head.headers) {
            redactor.learn_pair(name, value);
        }
        for (index, piece) in exchange.pieces.iter().enumerate() {
            let data = match piece.part {
                PieceKind::Body | PieceKind::Line => String::from_utf8_lossy(&piece.raw).into_owned(),
                PieceKind::Frame | PieceKind::Rest => {
                    frame(piece, index == 0).map(|frame| frame.data).unwrap_or_default()
                }
            };
            if let Ok(mut value) = serde_json::from_str(&data) {
                if piece.part != PieceKind::Body {
                    take_word(&mut value);
                }
                redactor.learn(&value);
            }
        }
    }
    for streamed in streams.iter().flatten() {
        redactor.learn_text(&streamed.text);
    }
}

/// The maximum length of a `token` that counts as a word, in characters.
const LONGEST_WORD: usize = 20;

/// Takes a `token` that is a word of the answer out of an event: many agents stream their text like this.
pub(super) fn take_word(event: &mut Value) -> Option<String> {
    let token = event.as_object_mut()?.get_mut("token")?;
    let word = token.as_str().filter(|text| text.contains(' ') || text.chars().count() <= LONGEST_WORD)?.to_owned();
    *token = Value::Null;
    Some(word)
}
