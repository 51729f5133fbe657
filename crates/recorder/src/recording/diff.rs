//! The difference of two recordings, as people read it.
//!
//! ```text
//! 5 exchanges are equal
//! 2 | 2  POST https://api.openai.com/v1/responses
//!   request /input/0/content line 3:
//!   - Today's goal is refunds
//!   + Today's goal is returns
//! only in the first:
//!   4  GET https://shop.example.com/orders/17
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agentci_text::{excerpt, first_difference, one_line};
use serde_json::Value;

use super::clean::values_of;
use super::show::address;
use super::{Body, Exchange, Recording, Response};

/// The most characters that are shown of a value.
const SHOWN: usize = 120;

/// How two recordings differ. Exchanges are compared that stand at the same place of the same conversation; chatter is not.
pub fn diff(first: &Recording, second: &Recording) -> String {
    let (one, mut other) = (placed(first), placed(second));
    let (mut equal, mut text, mut removed) = (0, String::new(), String::new());
    for (place, exchange) in one {
        let Some(counterpart) = other.remove(&place) else {
            let _ = writeln!(removed, "  {}", named(exchange));
            continue;
        };
        let differences = differences(exchange, counterpart);
        if differences.is_empty() {
            equal += 1;
        } else {
            let _ = writeln!(text, "{} | {}\n{differences}", exchange.id, named(counterpart));
        }
    }
    let added = other.values().fold(String::new(), |text, exchange| format!("{text}  {}\n", named(exchange)));
    let is = if equal == 1 { "exchange is" } else { "exchanges are" };
    let mut shown = format!("{equal} {is} equal\n{text}");
    for (title, list) in [("only in the first:", removed), ("only in the second:", added)] {
        if !list.is_empty() {
            let _ = write!(shown, "{title}\n{list}");
        }
    }
    shown
}

fn named(exchange: &Exchange) -> String {
    format!("{}  {} {}", exchange.id, one_line(&exchange.request.method), address(exchange))
}

/// Where an exchange stands: the order in which its conversation began among those at its address, how far into it, and which
/// of several that go on from there.
type Place = (String, usize, usize, usize);

fn placed(recording: &Recording) -> BTreeMap<Place, &Exchange> {
    let mut conversations: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    let mut branches = BTreeMap::new();
    let mut placed = BTreeMap::new();
    for exchange in recording.exchanges.iter().filter(|exchange| !exchange.chatter) {
        let request = &exchange.request;
        let address = format!("{} {}{}", request.method, request.origin, request.path);
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

fn differences(one: &Exchange, other: &Exchange) -> String {
    let mut text = String::new();
    match (&one.request.body, &other.request.body) {
        (Body::Json(one), Body::Json(other)) => text.push_str(&of_values("request", one, other)),
        (Body::Text(one), Body::Text(other)) => {
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

fn of_answers(one: &Response, other: &Response) -> String {
    if one.status != other.status {
        return format!("  answer: status {}, then {}\n", one.status, other.status);
    }
    let whole = |response: &Response| response.frames.iter().flat_map(|frame| frame.bytes.to_vec()).collect::<Vec<_>>();
    if whole(one) == whole(other) {
        return String::new();
    }
    let (values, others) = (Value::from(values_of(one)), Value::from(values_of(other)));
    match of_values("answer", &values, &others) {
        same if same.is_empty() => "  answer: the bytes differ\n".into(),
        differences => differences,
    }
}

/// The first difference of two values, by pointer and line.
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
    use crate::{End, Frame, How, Request};

    fn exchange(id: u64, path: &str, body: Value, answer: &str, after: Option<u64>) -> Exchange {
        Exchange {
            id,
            request: Request {
                method: "POST".into(),
                origin: "https://a.example".into(),
                path: path.into(),
                body: Body::Json(body),
                ..Request::default()
            },
            response: Some(Response {
                status: 200,
                frames: vec![Frame { at_us: id, bytes: answer.to_owned().into() }],
                ..Response::default()
            }),
            end: End { at_us: id, how: How::Closed },
            chatter: path == "/log",
            after,
        }
    }

    #[test]
    fn the_first_difference_of_each_exchange_is_told() {
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
                // Another conversation that came first does not take the place of the one that goes on.
                exchange(1, "/chat", json!({"a": ["same\nnew line\nsame"]}), "{\"n\":1}", None),
                exchange(2, "/chat", json!({"other": true}), "{}", None),
                exchange(3, "/chat", json!({"b": 1}), "{\"n\":2}", Some(1)),
            ],
            ..Recording::default()
        };
        let shown = "\
0 exchanges are equal
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
  2  POST https://a.example/chat
";
        assert_eq!(diff(&first, &second), shown);
        assert_eq!(diff(&first, &first), "3 exchanges are equal\n");
    }
}
