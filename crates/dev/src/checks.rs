//! Generates `checks.md`: every check, from the documentation at the top of its own file.

use std::fmt::Write as _;
use std::fs;

use agentci::plan::observability::{TABLE, TARGETS};

use super::{Generated, cell, generated_from, project};

pub(crate) fn page() -> Generated {
    let mut page = format!("# Checks\n\n{}", generated_from("the documentation of each check"));
    page += "The checks that `checks:` of a suite, a case or a turn may contain. `not: { .. }` around a check inverts \
             it, and a `message:` next to it is shown when it fails. See [the native format](native.md#checks) for \
             more. The assertions of the other formats are converted to these checks.\n\n";
    page += "| check | passes if |\n|---|---|\n";
    let checks: Vec<(&str, Documented)> = agentci::checks::names().map(|name| (name, Documented::of(name))).collect();
    for (name, check) in &checks {
        let _ = writeln!(page, "| [`{name}`](#{name}) | {} |", cell(first_sentence(&check.what)));
    }
    for (name, check) in &checks {
        let _ = write!(page, "\n## {name}\n\n{}\n\n**Why:** {}\n\n{}", check.what, check.why, check.example);
    }
    page += &observable();
    page += CANNOT_FAIL;
    Generated::new("checks.md", page)
}

/// The warnings of `agentci check`.
const CANNOT_FAIL: &str = "\n## Checks that cannot fail\n\n`agentci check` warns about checks that pass whatever the \
    agent does and about settings that have no effect. `--strict` makes these warnings fail.\n\n\
    - A `json_schema` that accepts everything (`{}`, `true`), a `matches` that matches every text (`.*`, `(?s)^.*$`).\n\
    - `not` around `contains`, `matches`, `tool_called` or `tool_evidence` with an empty list: it forbids nothing. \
    Other formats allow such lists.\n\
    - A `contains` or `equals` of a text that the [scripted model](mock-llm.md) behind the agent always replies, and a \
    `matches` that matches such a reply. They only show that the agent returns the reply of the model. This is fine if \
    the rule of the script depends on the agent (`tool_result: true`, or a `turn` after the first), and for `mock` \
    and `chat` targets, whose script is the thing under test.\n\
    - A `contains` of nothing but a number: `20` is also part of `120` and `2026-11-20`. [`number`](#number) finds the number itself.\n\
    - A `count` of `tool_called` or `model_called` that allows any number: `{ min: 0 }` without `max`. With `after`, \
    and with `of: all`, `first` or `last`, the check can still fail.\n\
    - A `tool_called` whose `after` names the tool itself.\n\
    - A pattern of `model_called` or of `by` that matches every text, and `parameters: {}` of a tool.\n\
    - A `tool_result` whose `result` is `{}` or a pattern that matches every text (`regex:.*`).\n\
    - A pattern in [`world.tools.refusals`](tools.md#refused-calls) that makes every result a refusal.\n\
    - [Rules of a script that are never used](mock-llm.md#settings-without-effect), and similar settings.\n\n\
    It also lists, as notes, the checks of a suite whose behavior changed in the last version.\n";

/// Which limits and checks can be evaluated for which target, and which source reports the values.
fn observable() -> String {
    let mut text =
        "\n## What can be observed\n\nChecks of the answer work for every target. Other checks, and limits, \
        need a source that reports the values they depend on. A limit or a check without any source for the target of \
        its case is an error of the suite (reported by `agentci check`). If there is a source but it reported nothing \
        although a model was called, the case fails. If no model was called, tokens and costs are zero; if no tool was \
        run, no tool failed.\n\n"
            .to_owned();
    let _ = writeln!(text, "| limits and checks | {} |", TARGETS.join(" | "));
    let _ = writeln!(text, "|---{}|", "|---".repeat(TARGETS.len()));
    for row in TABLE {
        let limits = row.limits.iter().map(|key| format!("`limits.{key}`"));
        let checks = row.checks.iter().map(|name| format!("[`{name}`](#{name})"));
        let _ = write!(text, "| {} ", limits.chain(checks).collect::<Vec<_>>().join(", "));
        for sources in row.sources {
            let words: Vec<&str> = sources.iter().map(|source| source.words()).collect();
            let _ = write!(text, "| {} ", if words.is_empty() { "none".into() } else { words.join(", ") });
        }
        text += "|\n";
    }
    text += "\n\"The agent\" reports in its own protocol: `tool_call` and `usage` lines of a [process](protocol.md), \
             events of an AG-UI server, tool calls in the answer of an HTTP server, the answer of the model that a \
             `chat` target calls. `world.model` is [a scripted model](mock-llm.md) behind the agent, \
             `world.tools.routes` are [its tools over HTTP](stub-server.md), `world.recording` is [its HTTP \
             traffic](native.md#a-recorded-world), recorded and replayed.\n";
    text
}

/// The documentation in the file of a check.
struct Documented {
    what: String,
    why: String,
    example: String,
}

impl Documented {
    fn of(name: &str) -> Self {
        let folder = project().join("crates/checks/src");
        let files = [format!("{name}.rs"), format!("{name}/mod.rs"), format!("{name}_of.rs")];
        let text = files.iter().find_map(|file| fs::read_to_string(folder.join(file)).ok());
        let text = text.unwrap_or_else(|| panic!("no file of the check `{name}` in {}", folder.display()));
        let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
        let text: String = lines.flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect();
        let parts: Vec<&str> =
            ["# What it checks\n", "# Why\n", "# Example\n"].iter().fold(vec![text.as_str()], |parts, heading| {
                let (last, before) = parts.split_last().unwrap();
                let split = last.split_once(heading).unwrap_or_else(|| panic!("`{name}` has no heading {heading:?}"));
                [before, &[split.0, split.1]].concat()
            });
        Self { what: joined(parts[1]), why: joined(parts[2]), example: parts[3].trim().to_owned() + "\n" }
    }
}

/// A text with each paragraph, and each item of a list, on one line.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    for line in text.trim().lines() {
        let point = line.starts_with("- ") || line.chars().next().is_some_and(|first| first.is_ascii_digit());
        let separator = match () {
            () if joined.is_empty() => "",
            () if line.is_empty() => "\n",
            () if point || joined.ends_with('\n') => "\n",
            () => " ",
        };
        joined += separator;
        joined += line.trim();
    }
    joined
}

fn first_sentence(text: &str) -> &str {
    let paragraph = text.lines().next().unwrap_or_default();
    let end = paragraph.match_indices(". ").map(|(at, _)| at).next();
    end.map_or(paragraph, |end| &paragraph[..end]).trim_end_matches(['.', ':'])
}

#[test]
fn joins_lines_of_a_paragraph() {
    assert_eq!(joined("a\nb\n\n- c\n  d\n- e\n\nf\n"), "a b\n\n- c d\n- e\n\nf");
    assert_eq!(first_sentence("It is `a.b` here. And there.\n\nMore."), "It is `a.b` here");
}
