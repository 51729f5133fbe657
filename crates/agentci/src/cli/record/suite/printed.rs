//! Prints the generated suite as YAML.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use agentci::source::yaml;
use serde_json::Value;

use super::draft::{DraftCall, SuiteDraft};
use crate::cli::init;

/// The limits as a multiple of the recorded usage.
const ROOM: u64 = 2;

/// The shortest time limit of a case.
const LEAST_WALL: Duration = Duration::from_mins(1);

/// The contents of the suite.
#[derive(Debug)]
pub(super) struct PrintedSuite<'a> {
    pub(super) command: &'a [String],
    /// The standard input of the agent; empty without one.
    pub(super) input: &'a str,
    /// Whether the agent printed anything.
    pub(super) prints: bool,
    pub(super) folder: &'a Path,
    pub(super) recording: &'a Path,
    pub(super) case: &'a str,
    pub(super) took: Duration,
    pub(super) drawn: &'a SuiteDraft,
}

impl PrintedSuite<'_> {
    /// The text of `agentci.yaml`.
    pub(super) fn text(&self) -> String {
        let output = if self.prints { "" } else { "\n    output: none" };
        let mut text = format!(
            "# A first suite, made from a recorded run. The agent runs every time; its model and tools are replayed.\n\
             suite: {}\ntarget:\n  process:\n    command: {}\n    folder: {}\n    speaks: text{output}\n\
             world: {{ recording: {} }}\nlimits: {{ {} }}\ncases:\n  - id: {}\n    turns: [{{ user: {} }}]\n",
            init::suite_name(self.folder),
            init::command_in_suite(self.command, self.folder),
            quoted(&init::from_suite(self.folder, Path::new("."))),
            quoted(&init::from_suite(self.folder, self.recording)),
            self.limits(),
            quoted(self.case),
            // The agent gets it with a newline at its end.
            quoted(self.input.strip_suffix('\n').unwrap_or(self.input)),
        );
        let checks = self.checks();
        if !checks.is_empty() {
            text += "    checks:\n";
            for check in checks {
                let _ = writeln!(text, "      - {check}");
            }
        }
        text
    }

    fn limits(&self) -> String {
        let wall = LEAST_WALL.max(self.took * 10).as_secs();
        let mut limits = vec![format!("wall: {wall}s")];
        let mut limit = |name: &str, used: u64| {
            if used > 0 {
                limits.push(format!("{name}: {}", used * ROOM));
            }
        };
        limit("model_calls", self.drawn.model_calls as u64);
        limit("tool_calls", self.drawn.tool_calls as u64);
        if let Some((tokens_in, tokens_out)) = self.drawn.tokens {
            limit("tokens_in", tokens_in);
            limit("tokens_out", tokens_out);
        }
        limits.join(", ")
    }

    fn checks(&self) -> Vec<String> {
        let order = self.drawn.order();
        let mut checks = Vec::new();
        if order.len() > 1 {
            let names: Vec<String> = order.iter().map(|name| quoted(name)).collect();
            checks.push(format!("call_order: [{}]", names.join(", ")));
        }
        checks.extend(self.drawn.calls.iter().map(called));
        let (numbers, texts): (Vec<_>, Vec<_>) = self.drawn.numbers.iter().partition(|text| number(text).is_some());
        checks.extend(numbers.into_iter().filter_map(|text| number(text)).map(|number| format!("number: {number}")));
        if !texts.is_empty() {
            let texts: Vec<String> = texts.into_iter().map(|text| quoted(text)).collect();
            checks.push(format!("contains: [{}]", texts.join(", ")));
        }
        if checks.is_empty() && self.drawn.model_calls > 0 {
            checks.push("model_called".into());
        }
        checks
    }
}

fn called(call: &DraftCall) -> String {
    if call.arguments.is_empty() {
        return format!("tool_called: {}", quoted(&call.name));
    }
    let arguments = Value::Object(call.arguments.clone()).to_string().replace("${", "$${");
    format!("tool_called: {{ name: {}, args: {arguments} }}", quoted(&call.name))
}

/// The value of a text that is nothing but a number in English notation. Other texts with digits are dates, ids or
/// ambiguous.
fn number(text: &str) -> Option<String> {
    /// Longer numbers are ids.
    const DIGITS: usize = 6;
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let grouped =
        !whole.contains(',') || (first.len() <= 3 && groups.all(|group| group.len() == 3 && is_digits(group)));
    let exact = fraction.is_none_or(|fraction| (1..3).contains(&fraction.len()) && is_digits(fraction));
    let value = text.replace(',', "");
    let is_number = !first.is_empty()
        && is_digits(first)
        && (first == "0" || !first.starts_with('0'))
        && grouped
        && exact
        && value.len() <= DIGITS + 1;
    is_number.then_some(value)
}

/// A literal string in YAML: in quotes, with variables escaped.
fn quoted(text: &str) -> String {
    yaml::quoted(&text.replace("${", "$${"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_are_numbers() {
        for (text, value) in [
            ("4711", Some("4711")),
            ("20.50", Some("20.50")),
            ("1,234.5", Some("1234.5")),
            ("0.5", Some("0.5")),
            ("007", None),
            ("2024-05-03", None),
            ("12.345", None),
            ("1.234,5", None),
            ("1,23", None),
            ("12345678", None),
            ("10:30", None),
            ("", None),
        ] {
            assert_eq!(number(text).as_deref(), value, "{text}");
        }
    }
}
