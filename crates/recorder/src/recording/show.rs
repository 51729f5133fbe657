//! A recording for people: one line per exchange.
//!
//! ```text
//! python3 agent.py
//! in /home/me/shop, 2026-11-16 03:37:43 UTC
//!
//!    1   0.152 s  python3  POST  https://api.openai.com/v1/responses  200  1.752 s  12 frames  1204 in, 31 out
//!    2 ~ 0.160 s  node     POST  https://telemetry.example.com/log    202  0.020 s  1 frame
//!
//! 1 of 2 exchanges is chatter (~)
//! exit code 0 after 3.100 s
//! ```

use std::fmt::Write as _;

use agentci_text::{excerpt, one_line};
use serde_json::Value;

use super::clean::values_of;
use super::{EndKind, Exchange, RecordedResponse, Recording};
use crate::is_stdio;

/// Maximum number of characters of an address.
const ADDRESS: usize = 100;

/// The names of input tokens, by API.
const INPUT: [&str; 5] = ["prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"];
/// The names of output tokens.
const OUTPUT: [&str; 5] = ["completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "eval_count"];

/// The timeline of a recording.
pub fn show(recording: &Recording) -> String {
    let mut text = head(recording);
    let rows: Vec<Vec<String>> = recording.exchanges.iter().map(row).collect();
    text.push_str(&table(&rows));
    text.push_str(&tail(recording));
    text
}

fn head(recording: &Recording) -> String {
    let header = &recording.header;
    let mut text = String::new();
    if !header.command.is_empty() {
        let _ = writeln!(text, "{}", one_line(&header.command.join(" ")));
    }
    let moment = i64::try_from(header.now_ms).ok().and_then(|now| jiff::Timestamp::from_millisecond(now).ok());
    let moment = moment.map(|moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default();
    let _ = writeln!(text, "in {}, {moment}", one_line(&header.roots.cwd.to_string_lossy()));
    if !header.keys.is_empty() {
        let _ = writeln!(text, "keys: {}", one_line(&header.keys.join(", ")));
    }
    text.push('\n');
    text
}

fn row(exchange: &Exchange) -> Vec<String> {
    let request = &exchange.request;
    let response = exchange.response.as_ref();
    let frames = response.map_or(0, |response| response.frames.len());
    let plural = if frames == 1 { "" } else { "s" };
    let mark = if exchange.chatter { "~" } else { " " };
    let tokens = response.filter(|_| !exchange.chatter).and_then(usage);
    let mut last = tokens.map(|(input, output)| format!("{input} in, {output} out")).unwrap_or_default();
    if let Some(end) = ending(&exchange.end.how) {
        let gap = if last.is_empty() { "" } else { "  " };
        last = format!("{last}{gap}{end}");
    }
    vec![
        format!("{:>4} {mark}", exchange.id),
        seconds(request.at_us),
        one_line(request.by.as_deref().unwrap_or("-")).into_owned(),
        one_line(&request.method).into_owned(),
        address(exchange),
        response.map_or("-".into(), |response| response.status.to_string()),
        seconds(exchange.end.at_us.saturating_sub(request.at_us)),
        if response.is_some() { format!("{frames} frame{plural}") } else { "-".into() },
        last,
    ]
}

impl Exchange {
    /// Its number, method and address, on one line: `call 3 POST https://api.openai.com/v1/responses`.
    pub fn named(&self) -> String {
        format!("call {} {} {}", self.id, one_line(&self.request.method), address(self))
    }
}

/// The address of a request, on one line.
pub(super) fn address(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let body = request.body.as_json().filter(|_| is_stdio(&request.origin));
    let tool = body.and_then(|body| body["params"]["name"].as_str());
    let tool = tool.map(|tool| format!(" {tool}")).unwrap_or_default();
    one_line(&excerpt(&format!("{}{}{tool}", request.origin, request.path), ADDRESS)).into_owned()
}

fn ending(how: &EndKind) -> Option<String> {
    match how {
        EndKind::Closed => None,
        EndKind::Left => Some("the client left".into()),
        EndKind::Broken(message) => Some(format!("broke off: {}", one_line(message))),
        EndKind::Unreachable(message) => Some(format!("not reached: {}", one_line(message))),
        EndKind::TooLarge => Some("too large to be recorded".into()),
    }
}

fn seconds(microseconds: u64) -> String {
    let milliseconds = microseconds / 1_000;
    format!("{}.{:03} s", milliseconds / 1_000, milliseconds % 1_000)
}

/// A table; columns with seconds are aligned to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let length = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let widths: Vec<usize> =
        (0..columns).map(|column| rows.iter().map(|row| length(row, column)).max().unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let gap = if line.is_empty() { "" } else { "  " };
            let _ = if cell.ends_with(" s") {
                write!(line, "{gap}{cell:>width$}")
            } else {
                write!(line, "{gap}{cell:<width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn tail(recording: &Recording) -> String {
    let mut text = String::from("\n");
    let chatter = recording.exchanges.iter().filter(|exchange| exchange.chatter).count();
    if chatter > 0 {
        let is = if chatter == 1 { "is" } else { "are" };
        let _ = writeln!(text, "{chatter} of {} exchanges {is} chatter (~)", recording.exchanges.len());
    }
    for hole in &recording.holes {
        let api = hole.speaks.map_or("every request", crate::ProviderApi::name);
        let _ = writeln!(text, "may differ: {} in {api} ({})", one_line(&hole.at), one_line(&hole.from));
    }
    if let Some(exit) = &recording.exit {
        let how = exit.code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
        let _ = writeln!(text, "{how} after {}", seconds(exit.at_us));
    }
    if text == "\n" { String::new() } else { text }
}

/// Input and output tokens, if an answer has them. The last count of a stream is used.
fn usage(response: &RecordedResponse) -> Option<(u64, u64)> {
    let mut found = (None, None);
    for value in values_of(response) {
        find(&value, &mut found);
    }
    match found {
        (None, None) => None,
        (input, output) => Some((input.unwrap_or_default(), output.unwrap_or_default())),
    }
}

fn find(value: &Value, found: &mut (Option<u64>, Option<u64>)) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value.as_u64() {
                    Some(count) if INPUT.contains(&key.as_str()) => found.0 = Some(count),
                    Some(count) if OUTPUT.contains(&key.as_str()) => found.1 = Some(count),
                    Some(_) => {}
                    None => find(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AnswerFrame, CommandExit, ExchangeEnd, Header, RecordedBody, RecordedRequest, RecordedResponse, Roots,
    };

    #[test]
    fn shows_a_timeline() {
        let frames = [
            "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":1204,\"output_tokens\":1}}}\n\n",
            "data: {\"usage\":{\"output_tokens\":31}}\n\n",
        ];
        let frames = frames.map(|text| AnswerFrame { at_us: 1, bytes: text.into() }).to_vec();
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        let exchange = |id: u64, path: &str, response, how| Exchange {
            id,
            request: RecordedRequest {
                at_us: 152_034,
                by: Some("python3".into()),
                method: "POST".into(),
                origin: "https://api.example.com".into(),
                path: path.into(),
                body: RecordedBody::Empty,
                ..RecordedRequest::default()
            },
            response,
            end: ExchangeEnd { at_us: 1_904_410, how },
            chatter: id == 2,
            after: None,
        };
        let answer = RecordedResponse { at_us: 2, status: 200, headers, frames };
        let recording = Recording {
            header: Header {
                command: vec!["python3".into(), "agent\u{1b}[31m.py".into()],
                now_ms: 1_794_800_263_838,
                roots: Roots { cwd: "/home/me/shop".into(), ..Roots::default() },
                ..Header::default()
            },
            exchanges: vec![
                exchange(1, "/v1/messages", Some(answer), EndKind::Left),
                exchange(2, "/log", None, EndKind::Unreachable("no\nroute".into())),
            ],
            holes: vec![crate::LearnedHole { speaks: None, at: "/session".into(), from: "rehearsal".into() }],
            exit: Some(CommandExit { at_us: 3_100_000, code: Some(0) }),
        };
        let shown = "\
python3 agent\\u{1b}[31m.py
in /home/me/shop, 2026-11-16 03:37:43 UTC

   1    0.152 s  python3  POST  https://api.example.com/v1/messages  200  1.752 s  2 frames  1204 in, 31 out  the client left
   2 ~  0.152 s  python3  POST  https://api.example.com/log          -    1.752 s  -         not reached: no\\nroute

1 of 2 exchanges is chatter (~)
may differ: /session in every request (rehearsal)
exit code 0 after 3.100 s\n\
        ";
        assert_eq!(show(&recording), shown);
    }
}
