//! Compares requests of two runs.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::pairs::samples::{case, run};
use crate::{Baseline, BaselineCase, CaseStatus, Gate, GateStatus, Thresholds, compare};

/// A request with these lines; a line that starts with `now ` contains the present time.
fn prompt(id: &str, model: &str, system: &[&str], tools: &[&str]) -> KeptPrompt {
    let times = system.iter().enumerate().filter(|(_, line)| line.starts_with("now ") || line.starts_with("on "));
    let times =
        times.map(|(number, line)| (number.to_string(), vec![line.trim_start_matches("on ").to_owned()])).collect();
    let lines = system.iter().map(|line| {
        let hash = if line.starts_with("now ") || line.starts_with("on ") {
            "time".to_owned()
        } else {
            line.replace(' ', "_")
        };
        format!("{hash} {line}")
    });
    let system_prompt = SystemPrompt { id: system.join("|"), lines: lines.collect(), times, last_is: None };
    KeptPrompt {
        id: id.into(),
        model: Some(model.into()),
        parameters: PromptParameters {
            hash: "p".into(),
            values: Some([("temperature".into(), json!(0))].into()),
            ..PromptParameters::default()
        },
        system: (!system.is_empty()).then_some(system_prompt),
        tools: tools
            .iter()
            .map(|name| PromptTool { id: (*name).into(), name: (*name).into(), ..PromptTool::default() })
            .collect(),
    }
}

/// A run of these cases, each with the ids of its prompts.
fn asked(cases: &[(&str, CaseStatus, &[&str])], prompts: &[KeptPrompt]) -> Baseline {
    let mut all = run([]);
    all.cases = cases
        .iter()
        .map(|(id, status, ids)| BaselineCase {
            asked: Some(ids.iter().map(ToString::to_string).collect()),
            ..case(id, *status, &[])
        })
        .collect();
    let mut table = Prompts { rule: PROMPTS_RULE, ..Prompts::default() };
    for prompt in prompts {
        table.add(prompt);
    }
    all.prompts = Some(Arc::new(table));
    all
}

/// The status of the gate, and the changes.
fn held(old: &Baseline, new: &Baseline) -> (GateStatus, Vec<String>) {
    let thresholds = Thresholds { no_changed_prompts: true, ..Thresholds::default() };
    let comparison = compare(Some(old), new, &thresholds, true);
    let check = comparison.checks.iter().find(|check| check.id == Gate::NoChangedPrompts).unwrap();
    let said = comparison.case_diffs.prompts_changed.iter().map(|change| match &change.agent {
        Some(agent) => format!("{agent}: {}", change.change),
        None => change.change.clone(),
    });
    (check.status, said.chain(check.note.clone()).collect())
}

const PASS: CaseStatus = CaseStatus::Pass;

#[test]
fn request_order_does_not_matter() {
    let (a, b) = (prompt("1", "m", &["a"], &[]), prompt("2", "m", &["b"], &[]));
    let old = asked(&[("x", PASS, &["1"]), ("y", PASS, &["2"])], &[a.clone(), b.clone()]);
    let new = asked(&[("x", PASS, &["2", "1"]), ("y", PASS, &["1"])], &[b, a]);
    assert_eq!(held(&old, &new), (GateStatus::Pass, Vec::new()));
}

#[test]
fn only_current_dates_may_differ() {
    let of = |id: &str, line: &str| asked(&[("x", PASS, &[id])], &[prompt(id, "m", &["a", line], &[])]);
    assert_eq!(held(&of("1", "now Monday"), &of("2", "now Tuesday")), (GateStatus::Pass, Vec::new()));
    // A fixed date was once the present.
    assert_eq!(held(&of("1", "now Monday"), &of("2", "on Monday")), (GateStatus::Pass, Vec::new()));
    let (status, said) = held(&of("1", "on Monday"), &of("2", "on Friday"));
    assert_eq!(
        (status, said),
        (
            GateStatus::Fail,
            vec!["system prompt: 1 line changed; line 2 was \"on Monday\", is \"on Friday\"".to_owned()]
        )
    );
    assert_eq!(held(&of("1", "now Monday"), &of("2", "on Friday")).0, GateStatus::Fail);
}

#[test]
fn each_agent_is_paired_with_most_similar_prompt() {
    let old = [
        prompt("1", "m", &["common", "route", "x"], &["hand_over"]),
        prompt("2", "m", &["common", "bill", "y"], &["pay"]),
        prompt("3", "m", &["common", "greet", "z"], &[]),
    ];
    let new = [
        prompt("4", "m", &["common", "greet", "Z"], &[]),
        prompt("5", "m", &["common", "bill", "Y"], &["pay", "refund"]),
        prompt("1", "m", &["common", "route", "x"], &["hand_over"]),
    ];
    let (status, mut said) =
        held(&asked(&[("x", PASS, &["1", "2", "3"])], &old), &asked(&[("x", PASS, &["1", "4", "5"])], &new));
    said.sort();
    assert_eq!(status, GateStatus::Fail);
    assert_eq!(
        said,
        [
            "bill: system prompt: 1 line changed; line 3 was \"y\", is \"Y\"",
            "bill: tool `refund` is new",
            "greet: system prompt: 1 line changed; line 3 was \"z\", is \"Z\"",
        ]
    );
}

#[test]
fn removed_requests_are_reported_only_for_completed_cases() {
    let (a, b) = (prompt("1", "m", &["a"], &[]), prompt("2", "m", &["b"], &[]));
    let old = asked(&[("x", PASS, &["1"]), ("y", PASS, &["2"])], &[a.clone(), b.clone()]);
    // The prompt of a removed case is removed too.
    assert_eq!(held(&old, &asked(&[("x", PASS, &["1"])], std::slice::from_ref(&a))).0, GateStatus::Pass);
    // A case that was aborted says nothing about requests it did not send.
    let broke_off = asked(&[("x", PASS, &["1"]), ("y", CaseStatus::Error, &[])], std::slice::from_ref(&a));
    assert_eq!(held(&old, &broke_off).0, GateStatus::Pass);
    assert_eq!(held(&broke_off, &old).0, GateStatus::Pass, "nor does it in the baseline");
    let (status, said) = held(&old, &asked(&[("x", PASS, &["1"]), ("y", PASS, &[])], &[a]));
    assert_eq!(
        (status, said),
        (GateStatus::Fail, vec!["a kind of request is gone: model m, system prompt of 1 line, \"b\"".to_owned()])
    );
}

#[test]
fn prompts_stored_only_by_id_are_compared() {
    let old = asked(&[("x", PASS, &["1"])], &[]);
    assert_eq!(held(&old, &old).0, GateStatus::Pass);
    let (status, said) = held(&old, &asked(&[("x", PASS, &["2"])], &[]));
    assert!(status == GateStatus::Fail && said[0].contains("only their fingerprints are kept"), "{said:?}");
}

#[test]
fn unobserved_requests_are_not_compared() {
    let seen = asked(&[("x", PASS, &["1"]), ("y", PASS, &["1"])], &[prompt("1", "m", &["a"], &[])]);
    let mut unseen = seen.clone();
    unseen.cases[0].asked = None;
    let thresholds = Thresholds { no_changed_prompts: true, ..Thresholds::default() };
    let comparison = compare(Some(&seen), &unseen, &thresholds, true);
    assert_eq!(comparison.checks.last().map(|check| check.status), Some(GateStatus::Pass));
    assert!(comparison.warnings[0].starts_with("the requests of `x` to a model are not compared"), "{comparison:?}");
    let none = Baseline { prompts: None, ..run([case("x", PASS, &[])]) };
    for (old, new, why) in [
        (&seen, &none, "the requests to models could not be observed in this run"),
        (&none, &seen, "the baseline has no prompts"),
        (&none, &none, "no case calls an observed model"),
    ] {
        let (status, said) = held(old, new);
        assert!(status == GateStatus::Skipped && said[0].starts_with(why), "{said:?}");
    }
}

#[test]
fn prompt_table_round_trips() {
    let whole = prompt("1", "m", &["a", "now Monday"], &["find", "pay"]);
    let mut table = Prompts { rule: PROMPTS_RULE, ..Prompts::default() };
    table.add(&whole);
    let read: Prompts = serde_json::from_value(json!(table)).unwrap();
    assert_eq!(read.get("1"), Some(whole));
    assert_eq!(read.get("2"), None);
}
