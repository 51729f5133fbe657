//! Finds checks that are judged differently since the last version, for `agentci check`. A check is reported only if it
//! is used in a way that may change its verdict.

use agentci_plan::{Case, Check, ModelRule, ModelWorld, Suite, Target, Verdicts};
use agentci_source::{Files, Node, Reading, Span};
use serde_json::Value;

use crate::output::parts;
use crate::registry::OF_OUTPUT;
use crate::vacuous::{items, schema_of};

/// A verdict that changed.
struct VerdictChange {
    /// The suites that the change applies to.
    scope: ChangedSuites,
    /// What is judged differently, and how to get the old behaviour if that is possible.
    sentence: &'static str,
    /// Whether the verdict of a check may change.
    concerns: fn(&CheckUse<'_>) -> bool,
}

/// A check and its surroundings.
struct CheckUse<'c> {
    check: &'c Check,
    case: &'c Case,
    /// Whether it is a check of the whole case rather than of a turn.
    of_case: bool,
    folder: &'c std::path::Path,
    files: &'c dyn Files,
}

/// A changed verdict that concerns checks of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedVerdict {
    /// The name of the suite.
    pub suite: String,
    /// What changed.
    pub sentence: &'static str,
    /// The place of the first of these checks.
    pub first: Span,
    /// The number of these checks.
    pub count: usize,
}

/// The suites that a change applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangedSuites {
    /// Suites with strict verdicts, which follow every new rule.
    Strict,
    /// All suites that use the check in this way.
    All,
}

const CHANGES: &[VerdictChange] = &[
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "with a scripted model, `tool_called`, `call_order` and `tool_result` count the calls that the agent \
                   made, not those that the script only requests; `seen: requested` in the first two counts requests",
        concerns: |used| {
            let behind = matches!(&*used.case.target, Target::Process(_) | Target::Http(_));
            // A script that continues after a tool result is for an agent that sends one.
            let goes_on = |rule: &ModelRule| rule.goes_on();
            let ends = |model: &ModelWorld| !model.script.rules.iter().any(goes_on);
            behind
                && used.of(&["tool_called", "call_order", "tool_result"])
                && used.check.arguments.get("seen").is_none()
                && used.case.world.model.as_ref().is_some_and(ends)
        },
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`json_path` without `value` fails if the path does not exist; `value: null` expects null",
        concerns: |used| used.is("json_path") && used.check.arguments.get("value").is_none(),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "`json_path` reads brackets as JSONPath even if the path does not begin with `$`: `items[*]`, \
                   `items[-1]`",
        concerns: |used| used.is("json_path") && used.text("path").is_some_and(|path| has_brackets(&path)),
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`call_order` fails if a tool is called before the first call of a tool that is listed before it; \
                   `{ order: [..], anywhere: true }` allows it",
        concerns: |used| used.is("call_order") && used.check.arguments.items().is_some_and(|order| order.len() > 1),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "numbers in `args` of `tool_called` and in `tool_result` are compared by value: `20` is `20.0`",
        concerns: |used| {
            let data = match used.check.kind.value.as_str() {
                "tool_called" => used.check.arguments.get("args"),
                "tool_result" => used.check.arguments.get("result"),
                _ => None,
            };
            data.is_some_and(has_number)
        },
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "checks of data (`equals`, `json_path`, `type`, `json_schema`, `required_fields`, `script`, `agent`) \
                   fail if the agent gave no output",
        concerns: |used| {
            let silent = matches!(&*used.case.target, Target::Agui(_) | Target::A2a(_) | Target::Mcp(_));
            silent && used.of(&OF_OUTPUT)
        },
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "checks of a case with several turns look only at the output of the last turn; put a check of an \
                   earlier turn on that turn, or use `of: conversation` in `contains` and `matches` for all turns",
        concerns: |used| {
            // Negated checks look at all turns.
            used.of_case
                && !used.check.negate
                && used.case.turns.len() > 1
                && used.text("of").is_none_or(|of| of == "text")
                && used.of(&[
                    "contains",
                    "matches",
                    "equals",
                    "json_path",
                    "type",
                    "json_schema",
                    "required_fields",
                    "valid_json",
                    "semantic",
                    "script",
                    "agent",
                    "tool_evidence",
                ])
        },
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`json_schema` enforces `format` under 2020-12; `format: annotate` does not",
        concerns: |used| used.is("json_schema") && used.enforces_format(),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "`script` under `not` fails if the function returns neither a boolean nor `{ pass: boolean }`",
        concerns: |used| used.is("script") && used.check.negate,
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`contains` ignores the newline at the end of a YAML block (`contains: |`)",
        concerns: |used| used.is("contains") && used.texts("text").iter().any(|text| text.ends_with('\n')),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "`no_pii`, and `contains` and `matches` under `not`, also search the data that an A2A agent or an \
                   MCP server sends with its text",
        concerns: |used| {
            let parts = matches!(&*used.case.target, Target::A2a(_) | Target::Mcp(_));
            parts && (used.is("no_pii") || (used.check.negate && used.of(&["contains", "matches"])))
        },
    },
];

/// The changes that concern each suite, in the order of the suites.
pub fn changed<'s>(suites: impl IntoIterator<Item = &'s Suite>, files: &dyn Files) -> Vec<ChangedVerdict> {
    let mut found = Vec::new();
    for suite in suites {
        let strict = suite.conventions.verdicts == Verdicts::Strict;
        for change in CHANGES.iter().filter(|change| strict || change.scope == ChangedSuites::All) {
            let mut spans: Vec<Span> = Vec::new();
            for case in suite.cases.iter().filter(|case| case.broken.is_none()) {
                let of_turns = case.turns.iter().flat_map(|turn| turn.checks.iter()).map(|check| (check, false));
                for (check, of_case) in case.checks.iter().map(|check| (check, true)).chain(of_turns) {
                    let used = CheckUse { check, case, of_case, folder: &suite.folder, files };
                    if (change.concerns)(&used) {
                        spans.push(check.kind.span);
                    }
                }
            }
            spans.sort_unstable();
            spans.dedup();
            if let Some(first) = spans.first() {
                let (suite, sentence) = (suite.name.clone(), change.sentence);
                found.push(ChangedVerdict { suite, sentence, first: *first, count: spans.len() });
            }
        }
    }
    found
}

impl CheckUse<'_> {
    fn is(&self, kind: &str) -> bool {
        self.check.kind.value == kind
    }

    fn of(&self, kinds: &[&str]) -> bool {
        kinds.iter().any(|kind| self.is(kind))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.check.arguments.get(key)?.as_text()
    }

    /// The strings under a key, or the arguments themselves if they are not a mapping.
    fn texts(&self, key: &str) -> Vec<String> {
        items(self.check.arguments.get(key).unwrap_or(&self.check.arguments)).iter().filter_map(Node::as_text).collect()
    }

    /// Whether its schema has a `format` and uses the draft in which it was not enforced.
    fn enforces_format(&self) -> bool {
        let arguments = &self.check.arguments;
        let Some((schema, _)) = schema_of(self.check, self.folder, self.files) else { return false };
        let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or("2020-12");
        draft.contains("2020-12")
            && arguments.get("format").is_none()
            && has(&schema, |schema| schema["format"].is_string())
    }
}

fn has_number(node: &Node) -> bool {
    node.value(Reading::Core).is_ok_and(|value| has(&value, Value::is_number))
}

/// Whether a value, or a part of it, meets a condition.
fn has(value: &Value, is: fn(&Value) -> bool) -> bool {
    is(value) || parts(value).any(|part| has(part, is))
}

/// Whether a path without `$` has something in brackets that is not an index.
fn has_brackets(path: &str) -> bool {
    let inside = path.split('[').skip(1).map(|part| part.split(']').next().expect("a split has a first part"));
    !path.starts_with('$') && inside.into_iter().any(|inside| !inside.bytes().all(|byte| byte.is_ascii_digit()))
}
