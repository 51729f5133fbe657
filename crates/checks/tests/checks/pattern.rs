//! Invalid patterns, wherever they occur, and patterns with variables.

use std::path::Path;

use agentci_checks::{Lookup, refill, single};
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Node, Sources, Span};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::trial::{Story, check};

const TWO_CHECKS: &str = "such patterns can take too long; write two checks instead: one for what must match, and a \
                          negated one for what must not";
const WRITE_OUT: &str = r"such patterns can take too long; write out what the group may match: `aa|bb` for `([ab])\1`";
const BACKSLASH: &str = r"put a backslash before a special character that is meant literally: `\(`, `\[`, `\+`, `\?`";
const REPEAT_LESS: &str = "repeat less: `{1000}` stands for a thousand copies of what is before it";

#[test]
fn invalid_pattern_is_reported_with_help() {
    for (pattern, message, label, help) in [
        ("(?=x)", "this pattern cannot be used: look-around is not supported", "not supported", TWO_CHECKS),
        ("(?!x)", "this pattern cannot be used: look-around is not supported", "not supported", TWO_CHECKS),
        ("(?<=x)y", "this pattern cannot be used: look-around is not supported", "not supported", TWO_CHECKS),
        (r"([ab])\1", "this pattern cannot be used: backreferences are not supported", "not supported", WRITE_OUT),
        ("order (", "this pattern cannot be used: unclosed group", "not a regular expression", BACKSLASH),
        (
            "*",
            "this pattern cannot be used: repetition operator missing expression",
            "not a regular expression",
            BACKSLASH,
        ),
        (
            r"\p{Klingon}",
            "this pattern cannot be used: Unicode property not found",
            "not a regular expression",
            BACKSLASH,
        ),
        (r"(?:\w{1000}){1000}", "this pattern is too large: it compiles to more than 4 MiB", "too large", REPEAT_LESS),
    ] {
        let trial = check("matches", &json!(pattern), false);
        let problem = trial.problem();
        assert_eq!(
            (problem.message.as_str(), problem.label.as_str(), problem.help.as_deref()),
            (message, label, Some(help)),
            "{pattern}"
        );
    }
}

#[test]
fn every_invalid_pattern_is_reported_with_its_location() {
    let called = |key: &str, value: Value| json!({"name": "pay", key: value});
    for (kind, arguments, places) in [
        ("matches", json!("("), vec![vec![]]),
        ("matches", json!(["a", "(", "[", "b"]), vec![vec!["1"], vec!["2"]]),
        ("matches", json!({"pattern": ["("], "ignore_case": true}), vec![vec!["pattern", "0"]]),
        (
            "tool_called",
            called("args_match", json!({"a": "(", "b": "b", "c.d": "["})),
            vec![vec!["args_match", "a"], vec!["args_match", "c.d"]],
        ),
        ("tool_called", called("result_match", json!("(")), vec![vec!["result_match"]]),
        ("tool_called", called("result_not_match", json!("(")), vec![vec!["result_not_match"]]),
        (
            "tool_called",
            json!({"name": "pay", "args_match": {"a": "("}, "result_match": "(", "result_not_match": "["}),
            vec![vec!["args_match", "a"], vec!["result_match"], vec!["result_not_match"]],
        ),
    ] {
        for negate in [false, true] {
            let trial = check(kind, &arguments, negate);
            let Err(problems) = &trial.ready else { panic!("{arguments} was taken") };
            let spans: Vec<Span> = problems.iter().map(|problem| problem.span).collect();
            let wanted: Vec<Span> = places.iter().map(|steps| trial.place(steps)).collect();
            assert_eq!(spans, wanted, "{arguments}");
        }
    }
}

#[test]
fn patterns_with_variables_are_compiled_once_known() {
    let span = Span::whole(Sources::default().add(Path::new("s"), ""));
    let files = MemoryFiles::default();
    let trace = Story::default().says("order A-17").called("pay", json!({"id": "A-17"}), json!("paid A-17")).told();
    for (kind, arguments) in [
        ("matches", json!("order ${ID}$")),
        ("matches", json!({"pattern": ["${ID}"], "ignore_case": true})),
        ("tool_called", json!({"name": "pay", "args_match": {"id": "^${ID}$"}})),
        ("tool_called", json!({"name": "pay", "result_match": "paid ${ID}"})),
    ] {
        let check = Check { templated: true, ..Check::new(kind, span, Node::from_value(&arguments, span)) };
        let waiting = single(check, &files, Path::new("")).unwrap();
        assert!(waiting.waits_for_variables());
        let filled = |id: &str| {
            let lookup = |name: &str| (name == "ID").then(|| id.to_owned());
            refill(&waiting, &files, Path::new(""), Lookup::of_text(&lookup)).unwrap()
        };
        assert_eq!(filled("A-17").unwrap().evaluate(&trace), Outcome::Passed, "{arguments}");
        assert!(matches!(filled("A-18").unwrap().evaluate(&trace), Outcome::Failed(_)), "{arguments}");
        let problems = filled("(").unwrap_err();
        assert_eq!(problems.iter().next().unwrap().message, "this pattern cannot be used: unclosed group");
    }
}
