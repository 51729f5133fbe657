//! Writes the stored form of a recording.

use agentci_trace::Redactor;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::clean::clean;
use crate::{AgentExchange, AgentExchangeEnd, AgentRecording, AnswerPiece, ExchangeError, PieceKind};

impl AgentRecording {
    /// The stored form, without secrets.
    pub fn write(&self, redactor: &Redactor) -> String {
        let clean = clean(self, redactor);
        let mut text = String::new();
        let mut line = |value: Value| {
            text.push_str(&value.to_string());
            text.push('\n');
        };
        line(json!({"v": 1, "type": "recording", "seed": clean.seed}));
        for printed in &clean.variables {
            line(json!({"type": "variables", "hook": printed.hook, "variables": printed.variables}));
        }
        for exchange in &clean.exchanges {
            write_exchange(exchange, &mut line);
        }
        text
    }
}

fn write_exchange(exchange: &AgentExchange, line: &mut impl FnMut(Value)) {
    let AgentExchange { at_us, method, identity, response, pieces, end } = exchange;
    line(json!({"type": "request", "at_us": at_us, "method": method.name(), "identity": identity}));
    if let Some(head) = response {
        let headers: Map<String, Value> =
            head.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        line(json!({"type": "response", "at_us": head.at_us, "status": head.status, "headers": headers}));
    }
    for piece in pieces {
        line(piece_line(piece));
    }
    let (how, detail) = ending(&end.how);
    let mut last = json!({"type": "end", "at_us": end.at_us, "how": how});
    if let Some((name, value)) = detail {
        last[name] = value;
    }
    line(last);
}

fn piece_line(piece: &AnswerPiece) -> Value {
    let name = match piece.part {
        PieceKind::Frame => "frame",
        PieceKind::Rest => "rest",
        PieceKind::Line => "line",
        PieceKind::Body => "body",
    };
    match str::from_utf8(&piece.raw) {
        Ok(raw) => json!({"type": name, "at_us": piece.at_us, "raw": raw}),
        Err(_) => json!({"type": name, "at_us": piece.at_us, "raw_base64": STANDARD.encode(&piece.raw)}),
    }
}

/// The name of an ending, and its additional field.
fn ending(how: &AgentExchangeEnd) -> (&'static str, Option<(&'static str, Value)>) {
    let (name, words) = match how {
        AgentExchangeEnd::Closed => return ("closed", None),
        AgentExchangeEnd::Failed(ExchangeError::Unsendable(words)) => ("unsendable", words),
        AgentExchangeEnd::Failed(ExchangeError::Unreachable(words)) => ("unreachable", words),
        AgentExchangeEnd::Failed(ExchangeError::Broken(words)) => ("broken", words),
        AgentExchangeEnd::Failed(ExchangeError::TooLarge(words)) => ("too_large", words),
        AgentExchangeEnd::Failed(ExchangeError::Timeout { after }) => {
            let after_us = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
            return ("timeout", Some(("after_us", after_us.into())));
        }
        // The other errors do not belong to the exchange itself and do not end it.
        AgentExchangeEnd::Left | AgentExchangeEnd::Failed(_) => return ("left", None),
    };
    (name, Some(("message", words.as_str().into())))
}
