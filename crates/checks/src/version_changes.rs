//! Checks that are judged differently since the last version, for `agentci check`: which, in which suites, and how. A check is
//! named only where it is used in a way that may come out differently.

use agentci_plan::{Case, Check, ModelRule, ModelWorld, Suite, Target, Verdicts};
use agentci_source::{Files, Node, Reading, Span};
use serde_json::Value;

use crate::output::parts;
use crate::registry::OF_OUTPUT;
use crate::vacuous::{items, schema_of};

/// A verdict that changed.
struct VerdictChange {
    /// The suites in which it changed.
    scope: ChangedSuites,
    /// What is judged differently, and how to say what was meant before where there is a way.
    sentence: &'static str,
    /// Whether a check of a case may come out differently.
    concerns: fn(&CheckUse<'_>) -> bool,
}

/// A check where it is used.
struct CheckUse<'c> {
    check: &'c Check,
    case: &'c Case,
    /// Whether it is of the whole case rather than of a turn.
    of_case: bool,
    folder: &'c std::path::Path,
    files: &'c dyn Files,
}

/// Checks of one suite that are judged differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The suite.
    pub suite: String,
    /// What changed.
    pub sentence: &'static str,
    /// Where the first of them stands.
    pub first: Span,
    /// How many there are.
    pub count: usize,
}

/// The suites in which a verdict changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangedSuites {
    /// Those that have every rule, also newer ones.
    Strict,
    /// All that use the check in this way.
    All,
}

const CHANGES: &[VerdictChange] = &[
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "with a scripted model, `tool_called`, `call_order` and `tool_result` see the calls that the agent made and not those \
                   that the script only asks for; `seen: requested` in the first two asks for those",
        concerns: |used| {
            let behind = matches!(&*used.case.target, Target::Process(_) | Target::Http(_));
            // A script that goes on after the result of a tool is of an agent that sends one.
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
        sentence: "`json_path` without `value` fails where the path leads nowhere; `value: null` asks for null",
        concerns: |used| used.is("json_path") && used.check.arguments.get("value").is_none(),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "`json_path` reads brackets as JSONPath also where the path does not begin with `$`: `items[*]`, `items[-1]`",
        concerns: |used| used.is("json_path") && used.text("path").is_some_and(|path| has_brackets(&path)),
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`call_order` fails where a tool is called before the first call of one that is listed before it; \
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
        sentence: "checks of data (`equals`, `json_path`, `type`, `json_schema`, `required_fields`, `script`, `agent`) fail where \
                   the agent put nothing out",
        concerns: |used| {
            let silent = matches!(&*used.case.target, Target::Agui(_) | Target::A2a(_) | Target::Mcp(_));
            silent && used.of(&OF_OUTPUT)
        },
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "checks of a case with several turns look at the output of the last turn alone; a check of an earlier one belongs \
                   to that turn, and `of: conversation` beside `contains` and `matches` means all turns",
        concerns: |used| {
            // What must not be said must not be said in any turn.
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
        sentence: "`script` under `not` is an error where the function returns neither a boolean nor `{ pass: boolean }`",
        concerns: |used| used.is("script") && used.check.negate,
    },
    VerdictChange {
        scope: ChangedSuites::Strict,
        sentence: "`contains` ignores the line end at the end of a block of text (`contains: |`)",
        concerns: |used| used.is("contains") && used.texts("text").iter().any(|text| text.ends_with('\n')),
    },
    VerdictChange {
        scope: ChangedSuites::All,
        sentence: "`no_pii`, and `contains` and `matches` under `not`, also look at data that an A2A agent or an MCP server sends \
                   beside its text",
        concerns: |used| {
            let parts = matches!(&*used.case.target, Target::A2a(_) | Target::Mcp(_));
            parts && (used.is("no_pii") || (used.check.negate && used.of(&["contains", "matches"])))
        },
    },
];

/// What is judged differently in each suite, in their order.
pub fn changed<'s>(suites: impl IntoIterator<Item = &'s Suite>, files: &dyn Files) -> Vec<Changed> {
    let mut found = Vec::new();
    for suite in suites {
        let strict = suite.habits.verdicts == Verdicts::Strict;
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
                found.push(Changed { suite, sentence, first: *first, count: spans.len() });
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

    /// The texts under a key, or those that the check is given without one.
    fn texts(&self, key: &str) -> Vec<String> {
        items(self.check.arguments.get(key).unwrap_or(&self.check.arguments)).iter().filter_map(Node::as_text).collect()
    }

    /// Whether its schema has a `format`, and is of the draft that did not enforce it.
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

/// Whether a value is like this, or a part of it.
fn has(value: &Value, is: fn(&Value) -> bool) -> bool {
    is(value) || parts(value).any(|part| has(part, is))
}

/// Whether a path without `$` has something in brackets that is not an index.
fn has_brackets(path: &str) -> bool {
    let inside = path.split('[').skip(1).map(|part| part.split(']').next().expect("a split has a first part"));
    !path.starts_with('$') && inside.into_iter().any(|inside| !inside.bytes().all(|byte| byte.is_ascii_digit()))
}
