//! One event as it came.

use serde_json::Value;

use super::fields::{AguiError, AguiFields, quote};

/// How much of an offending event is shown.
const QUOTED: usize = 200;
const NOT_AGUI: &str = "each event is a JSON object with a `type`: check that the endpoint speaks AG-UI, and that nothing \
                        else is written into its stream";

/// Reads one event; `number` is its place in the stream, from 1.
pub(super) fn read(data: &str, number: usize) -> Result<AguiFields, AguiError> {
    let bad = |reason: String| AguiError {
        message: format!("event {number} {reason}\nthe event: {}", quote(data, QUOTED)),
        help: NOT_AGUI,
    };
    let value: Value = serde_json::from_str(data).map_err(|error| bad(format!("is not JSON: {}", words_of(&error))))?;
    let Value::Object(mut map) = value else {
        return Err(bad("is JSON, but not an object".into()));
    };
    let kind = match map.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(bad("has a `type` that is not a text".into())),
        None => return Err(bad("has no `type`".into())),
    };
    Ok(AguiFields { kind, number, length: data.len(), lane: None, map })
}

/// The JSON reader's words without the position, which is always on line 1 here.
fn words_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line").map_or(text.clone(), |(words, _)| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_read_is_named_and_shown() {
        for (data, why) in [
            ("<html>", "event 7 is not JSON: expected value\nthe event: <html>"),
            ("[1]", "event 7 is JSON, but not an object"),
            ("{}", "event 7 has no `type`"),
            (r#"{"type":5}"#, "event 7 has a `type` that is not a text"),
        ] {
            let seen = read(data, 7).unwrap_err().message;
            assert!(seen.starts_with(why), "{data}: {seen}");
        }
        let long = format!("[{}", "é".repeat(1000));
        assert!(read(&long, 1).unwrap_err().message.len() < 600);
    }
}
