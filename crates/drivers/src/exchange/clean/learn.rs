//! What is secret in a recording.

use agentci_trace::Redactor;
use serde_json::Value;

use super::super::recording::{Part, Recording};
use super::cleaner::frame;
use super::streams::Streamed;

/// JSON within the text of JSON is followed this deep.
const DEEPEST: usize = 4;

/// Takes note of everything that stands under a secret key. The streams are those of each exchange.
pub(super) fn learn(recording: &Recording, streams: &[Vec<Streamed>], redactor: &mut Redactor) {
    for printed in &recording.variables {
        for (name, value) in &printed.variables {
            learn_value(&serde_json::json!({ name: value }), redactor);
        }
    }
    for exchange in &recording.exchanges {
        learn_value(&exchange.identity, redactor);
        for (name, value) in exchange.response.iter().flat_map(|head| &head.headers) {
            redactor.learn_pair(name, value);
        }
        for (index, piece) in exchange.pieces.iter().enumerate() {
            let data = match piece.part {
                Part::Body | Part::Line => String::from_utf8_lossy(&piece.raw).into_owned(),
                Part::Frame | Part::Rest => frame(piece, index == 0).map(|frame| frame.data).unwrap_or_default(),
            };
            if let Ok(mut value) = serde_json::from_str(&data) {
                if piece.part != Part::Body {
                    take_word(&mut value);
                }
                learn_value(&value, redactor);
            }
        }
    }
    for streamed in streams.iter().flatten() {
        within_text(streamed.text(), DEEPEST, redactor);
    }
}

/// The most characters of a word that is called a token.
const LONGEST_WORD: usize = 20;

/// Takes out what an event calls a token and is a word of the answer: many agents stream them so, and none is a secret.
pub(super) fn take_word(event: &mut Value) -> Option<String> {
    let token = event.as_object_mut()?.get_mut("token")?;
    let word = token.as_str().filter(|text| text.contains(' ') || text.chars().count() <= LONGEST_WORD)?.to_owned();
    *token = Value::Null;
    Some(word)
}

/// Takes note of everything in a value that stands under a secret key, also in JSON that is a text of it.
pub(in super::super) fn learn_value(value: &Value, redactor: &mut Redactor) {
    redactor.learn(value);
    within(value, DEEPEST, redactor);
}

/// Takes note of what stands in JSON that is the text of a value.
fn within(value: &Value, depth: usize, redactor: &mut Redactor) {
    match value {
        Value::String(text) => within_text(text, depth, redactor),
        Value::Array(items) => items.iter().for_each(|item| within(item, depth, redactor)),
        Value::Object(map) => map.values().for_each(|value| within(value, depth, redactor)),
        _ => {}
    }
}

fn within_text(text: &str, depth: usize, redactor: &mut Redactor) {
    // Most texts are none, and a number or a word has no keys.
    if depth == 0 || !text.trim_start().starts_with(['{', '[', '"']) {
        return;
    }
    if let Ok(value) = serde_json::from_str(text) {
        redactor.learn(&value);
        within(&value, depth - 1, redactor);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_within_text_is_followed_so_deep() {
        let mut value = json!({"token": "swordfish"});
        for depth in 0..=DEEPEST + 1 {
            let mut redactor = Redactor::default();
            learn_value(&value, &mut redactor);
            let learnt = redactor.text("a swordfish") == "a [REDACTED]";
            assert_eq!(learnt, depth <= DEEPEST, "{value}");
            value = json!([{"content": value.to_string()}]);
        }
    }
}
