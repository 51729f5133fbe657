//! The differences between two recordings, for people.
//!
//! ```text
//! 5 exchanges are equal, 1 of them except for ids, times and folders
//! the first difference is at call 2
//! 2 | 2  POST https://api.openai.com/v1/responses
//!   request /input/0/content line 3:
//!   - Today's goal is refunds
//!   + Today's goal is returns
//! only in the first:
//!   4  GET https://shop.example.com/orders/17
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use agentci_text::{excerpt, first_difference, one_line};
use serde_json::Value;

use super::clean::values_of;
use super::show::address;
use super::{Exchange, Header, RecordedBody, RecordedResponse, Recording};
use crate::{Circumstances, MatchRules, Matcher};

/// Maximum number of characters shown of a value.
const SHOWN: usize = 120;

/// Describes the differences between two recordings. Compares exchanges at the same place of the same conversation;
/// chatter is skipped.
pub fn diff(first: &Recording, second: &Recording) -> String {
    let (one, mut other) = (placed(first), placed(second));
    let (mut pairs, mut removed) = (Vec::new(), Vec::new());
    for (place, exchange) in one {
        match other.remove(&place) {
            Some(counterpart) => pairs.push((exchange, counterpart)),
            None => removed.push(exchange),
        }
    }
    let mut added: Vec<&Exchange> = other.into_values().collect();
    pairs.sort_by_key(|(exchange, _)| exchange.id);
    removed.sort_by_key(|exchange| exchange.id);
    added.sort_by_key(|exchange| exchange.id);
    let alike = alike(first, second, &pairs);
    let (mut equal, mut of_holes, mut text) = (0, 0, String::new());
    let mut begins = removed.first().map(|exchange| exchange.id);
    for ((exchange, counterpart), alike) in pairs.into_iter().zip(alike) {
        let differences = differences(exchange, counterpart, alike);
        if differences.is_empty() {
            equal += 1;
            of_holes += usize::from(exchange.request.body != counterpart.request.body);
        } else {
            begins = Some(begins.map_or(exchange.id, |known| known.min(exchange.id)));
            let _ = writeln!(text, "{} | {}\n{differences}", exchange.id, named(counterpart));
        }
    }
    let mut shown = head(equal, of_holes, begins);
    shown.push_str(&text);
    for (title, list) in [("only in the first:", removed), ("only in the second:", added)] {
        if !list.is_empty() {
            let _ = writeln!(shown, "{title}");
            let lines = list.iter().map(|exchange| format!("  {}\n", named(exchange)));
            shown.extend(lines);
        }
    }
    shown
}

/// The number of equal exchanges, and the call of the first recording with the first difference.
fn head(equal: usize, of_holes: usize, begins: Option<u64>) -> String {
    let is = if equal == 1 { "exchange is" } else { "exchanges are" };
    let mut text = format!("{equal} {is} equal");
    if of_holes > 0 {
        let _ = write!(text, ", {of_holes} of them except for ids, times and folders");
    }
    text.push('\n');
    if let Some(call) = begins {
        let _ = writeln!(text, "the first difference is at call {call}");
    }
    text
}

/// Which requests of the second recording match those of the first except for ids, times and folders, as in a replay.
fn alike(first: &Recording, second: &Recording, pairs: &[(&Exchange, &Exchange)]) -> Vec<bool> {
    let same = |(one, other): &(&Exchange, &Exchange)| one.request.body == other.request.body;
    if pairs.iter().all(same) {
        return vec![true; pairs.len()];
    }
    let Header { now_ms, zone, offset_s, roots, .. } = second.header.clone();
    let there = Circumstances { now_ms, zone, offset_s, roots };
    let mut matcher = Matcher::new(Arc::new(first.clone()), there, MatchRules::default());
    pairs.iter().map(|(one, other)| matcher.fits(one.id, &other.request)).collect()
}

fn named(exchange: &Exchange) -> String {
    format!("{}  {} {}", exchange.id, one_line(&exchange.request.method), address(exchange))
}

/// The place of an exchange: its address, the number of its conversation among those at the address, its depth in the
/// conversation, and its number among those that continue the same one.
type ExchangePlace = (String, usize, usize, usize);

fn placed(recording: &Recording) -> BTreeMap<ExchangePlace, &Exchange> {
    let mut conversations: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    let mut branches = BTreeMap::new();
    let mut placed = BTreeMap::new();
    for exchange in recording.exchanges.iter().filter(|exchange| !exchange.chatter) {
        let address = exchange.request.line();
        let continued = exchange.after.and_then(|after| conversations.get(&after)).copied();
        let (conversation, depth) = continued.map_or_else(
            || {
                let count = begun.entry(address.clone()).or_default();
                *count += 1;
                (*count, 0)
            },
            |(conversation, depth)| (conversation, depth + 1),
        );
        conversations.insert(exchange.id, (conversation, depth));
        let branch = branches.entry((address.clone(), conversation, depth)).or_insert(0_usize);
        placed.insert((address, conversation, depth, *branch), exchange);
        *branch += 1;
    }
    placed
}

fn differences(one: &Exchange, other: &Exchange, alike: bool) -> String {
    let mut text = String::new();
    match (&one.request.body, &other.request.body) {
        _ if alike => {}
        (RecordedBody::Json(one), RecordedBody::Json(other)) => text.push_str(&of_values("request", one, other)),
        (RecordedBody::Text(one), RecordedBody::Text(other)) => {
            text.push_str(&of_values("request", &Value::from(one.as_str()), &Value::from(other.as_str())));
        }
        (one, other) if one != other => text.push_str("  request: the bodies differ\n"),
        _ => {}
    }
    match (&one.response, &other.response) {
        (Some(one), Some(other)) => text.push_str(&of_answers(one, other)),
        (None, Some(_)) => text.push_str("  answer: only in the second\n"),
        (Some(_), None) => text.push_str("  answer: only in the first\n"),
        (None, None) => {}
    }
    if one.end.how != other.end.how {
        let _ = writeln!(text, "  end: {}, then {}", how(one), how(other));
    }
    text
}

fn how(exchange: &Exchange) -> String {
    one_line(&excerpt(&format!("{:?}", exchange.end.how), SHOWN)).to_lowercase()
}

fn of_answers(one: &RecordedResponse, other: &RecordedResponse) -> String {
    if one.status != other.status {
        return format!("  answer: status {}, then {}\n", one.status, other.status);
    }
    if one.whole() == other.whole() {
        return String::new();
    }
    let (values, others) = (Value::from(values_of(one)), Value::from(values_of(other)));
    match of_values("answer", &values, &others) {
        same if same.is_empty() => "  answer: the bytes differ\n".into(),
        differences => differences,
    }
}

/// The first difference of two values, with its pointer and line.
fn of_values(what: &str, one: &Value, other: &Value) -> String {
    let Some(difference) = first_difference(one, other, |one, other| one == other) else { return String::new() };
    let (mut one, mut other) = (shown(difference.expected.as_ref()), shown(difference.actual.as_ref()));
    let mut line = String::new();
    let of_line = |text: &str, number: usize| text.lines().nth(number).unwrap_or("(no such line)").to_owned();
    if let (Some(Value::String(first)), Some(Value::String(second))) = (&difference.expected, &difference.actual) {
        let number = first.lines().zip(second.lines()).take_while(|(first, second)| first == second).count();
        if first.lines().count().max(second.lines().count()) > 1 {
            line = format!(" line {}", number + 1);
            one = of_line(first, number);
            other = of_line(second, number);
        }
    }
    let cut = |text: &str| one_line(&excerpt(text, SHOWN)).into_owned();
    let path = if difference.path.is_empty() { String::new() } else { format!(" {}", cut(&difference.path)) };
    format!("  {what}{path}{line}:\n  - {}\n  + {}\n", cut(&one), cut(&other))
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "(nothing)".into(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedRequest};

    fn exchange(id: u64, path: &str, body: Value, answer: &str, after: Option<u64>) -> Exchange {
        Exchange {
            id,
            request: RecordedRequest {
                method: "POST".into(),
                origin: "https://a.example".into(),
                path: path.into(),
                body: RecordedBody::Json(body),
                ..RecordedRequest::default()
            },
            response: Some(RecordedResponse {
                status: 200,
                frames: vec![AnswerFrame { at_us: id, bytes: answer.to_owned().into() }],
                ..RecordedResponse::default()
            }),
            end: ExchangeEnd { at_us: id, how: EndKind::Closed },
            chatter: path == "/log",
            after,
        }
    }

    #[test]
    fn reports_first_difference_of_each_exchange() {
        let first = Recording {
            exchanges: vec![
                exchange(1, "/chat", json!({"a": ["same\nold line\nsame"]}), "{\"n\":1}", None),
                exchange(2, "/log", json!({"at": 1}), "", None),
                exchange(3, "/chat", json!({"b": 1}), "{\"n\":1}", Some(1)),
                exchange(4, "/gone", json!({}), "", None),
            ],
            ..Recording::default()
        };
        let second = Recording {
            exchanges: vec![
                // A new conversation in between does not take the place of the one that continues.
                exchange(1, "/chat", json!({"a": ["same\nnew line\nsame"]}), "{\"n\":1}", None),
                exchange(2, "/chat", json!({"other": true}), "{}", None),
                exchange(3, "/chat", json!({"b": 1}), "{\"n\":2}", Some(1)),
            ],
            ..Recording::default()
        };
        let shown = "\
0 exchanges are equal
the first difference is at call 1
1 | 1  POST https://a.example/chat
  request /a/0 line 2:
  - old line
  + new line

3 | 3  POST https://a.example/chat
  answer /0/n:
  - 1
  + 2

only in the first:
  4  POST https://a.example/gone
only in the second:
  2  POST https://a.example/chat\n\
        ";
        assert_eq!(diff(&first, &second), shown);
        assert_eq!(diff(&first, &first), "3 exchanges are equal\n");
    }

    #[test]
    fn ignores_ids_and_times_and_keeps_call_order() {
        let ran = |id: &str, now_ms: u64, day: &str, answer: &str| Recording {
            header: Header { now_ms, ..Header::default() },
            exchanges: vec![
                exchange(1, "/z", json!({"session": id, "day": day}), "{}", None),
                exchange(2, "/z", json!({"session": id, "next": 1}), answer, Some(1)),
                exchange(3, "/a", json!({"session": id}), answer, None),
            ],
            ..Recording::default()
        };
        let first = ran("1fe7d1e2-d166-42de-b7a7-c4dbac87138d", 1_794_887_674_000, "2026-11-17", "1");
        let second = ran("0c5d1c1e-9f6e-4c39-8f0d-6a8f3a1e2b4c", 1_794_974_074_000, "2026-11-18", "2");
        let shown = diff(&first, &second);
        let begins = "1 exchange is equal, 1 of them except for ids, times and folders\nthe first difference is at call 2\n2 | 2";
        assert!(shown.starts_with(begins) && shown.contains("\n3 | 3") && !shown.contains("request"), "{shown}");
        // One id in place of two is a difference.
        let mut mixed = second.clone();
        mixed.exchanges[2].request.body =
            RecordedBody::Json(json!({"session": "7d1c0b52-1c3e-4b7f-9a8e-2f6d5c4b3a21"}));
        assert!(diff(&first, &mixed).contains("request /session"), "{}", diff(&first, &mixed));
    }
}
