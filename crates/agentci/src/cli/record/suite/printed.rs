//! Prints the generated suite as YAML.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

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
        if !self.drawn.numbers.is_empty() {
            let numbers: Vec<String> = self.drawn.numbers.iter().map(|number| quoted(number)).collect();
            checks.push(format!("contains: [{}]", numbers.join(", ")));
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

/// A literal string in YAML: quoted as JSON, with variables escaped.
fn quoted(text: &str) -> String {
    Value::from(text.replace("${", "$${")).to_string()
}
