//! Removes secrets from the parts of a recording.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agentci_protocols::sse::{Decoder, SseEvent};
use agentci_trace::Redactor;
use serde_json::Value;

use super::learn::{learn, take_word};
use super::streams::{Streamed, streams};
use crate::{AgentExchange, AgentExchangeEnd, AgentRecording, AnswerPiece, ExchangeError, PieceKind};

/// The recording without its secrets. A value that is secret anywhere in the recording is removed everywhere: a token
/// in an answer may be sent with the next request.
pub(in super::super) fn clean(recording: &AgentRecording, redactor: &Redactor) -> AgentRecording {
    let mut redactor = redactor.clone();
    let streams: Vec<_> = recording.exchanges.iter().map(|exchange| streams(&exchange.pieces)).collect();
    learn(recording, &streams, &mut redactor);
    let mut clean = recording.clone();
    for printed in &mut clean.variables {
        let mut variables = Value::Object(std::mem::take(&mut printed.variables));
        redactor.value(&mut variables);
        if let Value::Object(variables) = variables {
            printed.variables = variables;
        }
    }
    for (exchange, streams) in clean.exchanges.iter_mut().zip(&streams) {
        clean_exchange(exchange, streams, &redactor);
    }
    clean
}

fn clean_exchange(exchange: &mut AgentExchange, streams: &[Streamed], redactor: &Redactor) {
    redactor.value(&mut exchange.identity);
    for (_, value) in exchange.response.iter_mut().flat_map(|head| &mut head.headers) {
        redactor.scrub(value);
    }
    let deltas: BTreeMap<_, _> = streams.iter().flat_map(|streamed| streamed.clean(redactor)).collect();
    for (index, piece) in exchange.pieces.iter_mut().enumerate() {
        let cleaned = match piece.part {
            PieceKind::Line => clean_line(&String::from_utf8_lossy(&piece.raw), redactor),
            PieceKind::Body => clean_text(&String::from_utf8_lossy(&piece.raw), false, None, redactor),
            PieceKind::Frame | PieceKind::Rest => clean_frame(piece, index == 0, deltas.get(&index), redactor),
        };
        if let Some(cleaned) = cleaned {
            piece.raw = cleaned.into();
        }
    }
    if let AgentExchangeEnd::Failed(
        ExchangeError::Unsendable(words)
        | ExchangeError::Unreachable(words)
        | ExchangeError::Broken(words)
        | ExchangeError::TooLarge(words),
    ) = &mut exchange.end.how
    {
        redactor.scrub(words);
    }
}

/// A text without secrets; `None` if it has none. JSON stays JSON, and `delta` replaces its own delta.
fn clean_text(text: &str, of_stream: bool, delta: Option<&String>, redactor: &Redactor) -> Option<String> {
    let by_text = changed(text, redactor.text(text));
    let Ok(value) = serde_json::from_str::<Value>(text) else { return by_text };
    let mut clean = value.clone();
    if let (Some(said), Some(delta)) = (clean.get_mut("delta"), delta) {
        *said = delta.as_str().into();
    }
    let word = if of_stream { take_word(&mut clean) } else { None };
    redactor.value(&mut clean);
    if let Some(word) = word {
        clean["token"] = redactor.text(&word).into();
    }
    (clean != value || by_text.is_some()).then(|| clean.to_string())
}

/// A line without secrets; `None` if it has none.
fn clean_line(line: &str, redactor: &Redactor) -> Option<String> {
    let text = line.trim_end_matches(['\r', '\n']);
    let clean = clean_text(text, true, None, redactor)?;
    Some(clean + &line[text.len()..])
}

/// An event without secrets; `None` if it has none. A changed event is rewritten without its comments.
fn clean_frame(piece: &AnswerPiece, first: bool, delta: Option<&String>, redactor: &Redactor) -> Option<String> {
    let text = String::from_utf8_lossy(&piece.raw);
    let by_text = changed(&text, redactor.text(&text));
    let Some(frame) = frame(piece, first) else { return by_text };
    let data = clean_text(&frame.data, true, delta, redactor);
    if data.is_none() && by_text.is_none() {
        return None;
    }
    let event = frame.event.map(|event| format!("event: {}\n", redactor.text(&event)));
    let id = frame.id.map(|id| format!("id: {}\n", redactor.text(&id)));
    let retry = frame.retry.map(|retry| format!("retry: {retry}\n"));
    let data = data.unwrap_or(frame.data);
    let data = data.split('\n').map(|part| format!("data: {part}\n"));
    let end = (!frame.unfinished).then(|| "\n".to_owned());
    Some(event.into_iter().chain(id).chain(retry).chain(data).chain(end).collect())
}

/// The event in a piece of a stream, if any.
pub(super) fn frame(piece: &AnswerPiece, first: bool) -> Option<SseEvent> {
    let mut decoder = Decoder::new(usize::MAX);
    if !first {
        // A byte order mark counts only at the start of a stream.
        decoder.push(b"\n");
    }
    decoder.push(&piece.raw);
    decoder.finish()
}

fn changed(before: &str, after: Cow<'_, str>) -> Option<String> {
    (after != before).then(|| after.into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::recording::{AnswerHead, ConversationEnding, HookOutput};
    use super::*;
    use crate::HttpMethod;

    fn piece(part: PieceKind, raw: &str) -> AnswerPiece {
        AnswerPiece { part, at_us: 1, raw: raw.to_owned().into() }
    }

    fn raws(pieces: Vec<AnswerPiece>, redactor: &Redactor) -> Vec<String> {
        let exchange = AgentExchange {
            at_us: 0,
            method: HttpMethod::Post,
            identity: json!({"note": "has hunter22 in it"}),
            response: Some(AnswerHead {
                at_us: 0,
                status: 200,
                headers: vec![("location".into(), "/?a=hunter22".into())],
            }),
            pieces,
            end: ConversationEnding {
                at_us: 2,
                how: AgentExchangeEnd::Failed(ExchangeError::Broken("no hunter22".into())),
            },
        };
        let variables = json!({"thread": "t-1", "login": {"password": "hunter22"}}).as_object().cloned().unwrap();
        let recording =
            AgentRecording { seed: 0, variables: vec![HookOutput { hook: 0, variables }], exchanges: vec![exchange] };
        let text = recording.write(redactor);
        assert!(!text.contains("hunter22"), "{text}");
        assert!(text.contains(r#""message":"no [REDACTED]""#), "{text}");
        let clean = AgentRecording::parse(&text).unwrap();
        assert_eq!(clean.variables(0).unwrap()["thread"], "t-1");
        let raw = |piece: &AnswerPiece| String::from_utf8(piece.raw.to_vec()).unwrap();
        clean.exchanges[0].pieces.iter().map(raw).collect()
    }

    #[test]
    fn rewrites_only_pieces_with_secrets() {
        let harmless = ": ping\r\n\r\ndata: {\"a\":  1.50}\r\n\r";
        let pieces = vec![
            piece(PieceKind::Frame, harmless),
            piece(
                PieceKind::Frame,
                "\n: hello\nid: 7\nevent: x\ndata: {\"b\": [\"hunter22\"],\ndata:  \"n\": 1.50}\n\n",
            ),
            piece(PieceKind::Frame, "data: plain hunter22\ndata: text\n\n"),
            piece(PieceKind::Frame, "data: {\"api_key\":\"abc\"}"),
        ];
        assert_eq!(
            raws(pieces, &Redactor::default()),
            [
                harmless,
                "event: x\nid: 7\ndata: {\"b\":[\"[REDACTED]\"],\"n\":1.50}\n\n",
                "data: plain [REDACTED]\ndata: text\n\n",
                "data: {\"api_key\":\"[REDACTED]\"}\n",
            ]
        );
    }

    #[test]
    fn secret_found_in_one_response_is_redacted_everywhere() {
        let pieces = vec![
            piece(PieceKind::Body, r#"{"said": "it is swordfish", "ok": true}"#),
            piece(PieceKind::Body, r#"{"access_token": "swordfish"}"#),
            piece(PieceKind::Body, "not JSON: swordfish"),
        ];
        assert_eq!(
            raws(pieces, &Redactor::default()),
            [r#"{"said":"it is [REDACTED]","ok":true}"#, r#"{"access_token":"[REDACTED]"}"#, "not JSON: [REDACTED]"]
        );
    }

    #[test]
    fn streamed_text_under_key_token_is_not_a_secret() {
        let kept = ["data: {\"token\":\" according\"}\n\n", "data: {\"token\":\"to the records of this year\"}\n\n"];
        let pieces = vec![
            piece(PieceKind::Frame, kept[0]),
            piece(PieceKind::Frame, kept[1]),
            piece(PieceKind::Line, "{\"token\":\"hunter22!\"}\r\n"),
            piece(PieceKind::Line, "{\"token\":\"ABCDEFGHIJKLMNOPQRSTUVWXYZ\",\"text\":\" according\"}\n"),
            piece(PieceKind::Body, "{\"token\":\"abcdefgh\"}"),
        ];
        assert_eq!(
            raws(pieces, &Redactor::default()),
            [
                kept[0],
                kept[1],
                "{\"token\":\"[REDACTED]!\"}\r\n",
                "{\"token\":\"[REDACTED]\",\"text\":\" according\"}\n",
                "{\"token\":\"[REDACTED]\"}",
            ]
        );
    }

    #[test]
    fn redacts_comments_and_truncated_events_as_text() {
        let pieces = vec![piece(PieceKind::Rest, ": hunter22\n\n"), piece(PieceKind::Rest, "data: {\"a\":\"hunter22")];
        assert_eq!(raws(pieces, &Redactor::default()), [": [REDACTED]\n\n", "data: {\"a\":\"[REDACTED]\n"]);
    }

    #[test]
    fn removes_secret_in_shadowed_duplicate_key() {
        let pieces = vec![piece(PieceKind::Frame, "data: {\"a\":\"hunter22\",\"a\":1}\n\n")];
        assert_eq!(raws(pieces, &Redactor::default()), ["data: {\"a\":1}\n\n"]);
    }
}
