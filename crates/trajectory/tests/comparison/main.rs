//! What counts as a difference, and what does not. Runs are made of run events, as they are stored.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]
#![expect(clippy::needless_pass_by_value, reason = "the values are written where they are used")]

mod applied;

use std::sync::Arc;

use agentci_trajectory::{
    CaseDiff, RowRole, RunReader, RunTrajectories, TrajectoryStep, as_baseline, compare_runs, of_baseline,
};
use agentci_verdict::{Baseline, Body, CallStep, CaseEnd, CaseStatus, Rows, RunEnd, RunEvent};
use proptest::prelude::*;
use serde_json::{Value, json};

use applied::applied;

/// 2026-11-19.
const DAY: u64 = 1_795_046_400_000;

/// Makes the events of a run, from lines as in `run.jsonl` without their envelope.
fn events(start: u64, attempts: &[(&str, Vec<Value>)]) -> Vec<RunEvent> {
    let mut events = Vec::new();
    for (index, (id, lines)) in attempts.iter().enumerate() {
        let mut line = |at: u64, kind: &str, mut body: Value| {
            body["v"] = 1.into();
            body["type"] = kind.into();
            body["suite"] = "shop".into();
            body["case_id"] = (*id).into();
            body["attempt"] = 1.into();
            body["timestamp"] = (start + at).into();
            events.push(RunEvent::from_line(&body.to_string()).unwrap());
        };
        line(0, "task_start", json!({"task_id": id, "input": {"q": "?"}}));
        for (at, body) in lines.iter().enumerate() {
            let kind = body["type"].as_str().unwrap().to_owned();
            line(at as u64, &kind, body.clone());
        }
        let end = CaseEnd { index, runs: 1, status: CaseStatus::Pass, passed: true, wall_ms: 5, ..CaseEnd::default() };
        let body = Body::CaseEnd(Arc::new(end));
        let (suite, case_id) = ("shop".into(), Some((*id).into()));
        events.push(RunEvent { suite, case_id, attempt: Some(1), timestamp: start + 99, body });
    }
    let body = Body::RunEnd(RunEnd::default());
    events.push(RunEvent { suite: "shop".into(), case_id: None, attempt: None, timestamp: start + 100, body });
    events
}

fn read(events: Vec<RunEvent>) -> (RunTrajectories, Rows) {
    let mut reader = RunReader::default();
    for event in events {
        reader.add(event);
    }
    reader.finish()
}

fn run(start: u64, lines: Vec<Value>) -> RunTrajectories {
    read(events(start, &[("c", lines)])).0
}

fn call(id: &str, name: &str, args: Value) -> Value {
    json!({"type": "tool_call", "turn": 0, "name": name, "call_id": id, "args": args})
}

fn result(id: &str, value: Value) -> Value {
    json!({"type": "tool_result", "turn": 0, "call_id": id, "ok": true, "result": value, "error": null})
}

fn failed(id: &str, error: &str) -> Value {
    json!({"type": "tool_result", "turn": 0, "call_id": id, "ok": false, "result": null, "error": error})
}

fn output(value: Value) -> Value {
    json!({"type": "final_output", "output": value})
}

fn model(messages: Value, response: Value) -> Value {
    json!({"type": "model_call", "turn": 0, "request": {"model": "m", "messages": messages}, "response": response})
}

/// A row as `3 first /amount`: its number in the new run, its role and its changes; `-2` is a step that is gone.
fn told(case: &CaseDiff<'_>) -> Vec<String> {
    let differing = case.rows.iter().filter(|row| row.differs());
    let told = differing.map(|row| {
        let number = match (row.old_number, row.new_number) {
            (Some(old), None) => format!("-{old}"),
            (None, Some(new)) => format!("+{new}"),
            (_, new) => new.unwrap_or_default().to_string(),
        };
        let role = match row.role {
            RowRole::Same => "same",
            RowRole::First => "first",
            RowRole::Follows(_) => "follows",
            RowRole::After => "after",
        };
        let changes = row.changes.iter().map(|it| format!(" {}{}", it.part.name(), it.change.path()));
        format!("{number} {role}{}", changes.collect::<String>())
    });
    told.collect()
}

fn differences(old: Vec<Value>, new: Vec<Value>) -> Vec<String> {
    let (old, new) = (run(DAY, old), run(DAY + 30 * 86_400_000, new));
    let diff = compare_runs(&old, &new, false);
    let told = told(&diff.cases[0]);
    assert_eq!(diff.differs(), !told.is_empty(), "{told:?}");
    told
}

const ONE: &str = "1f0e7c1a-9d2b-4f6e-8a11-0123456789ab";
const TWO: &str = "2a9b3c4d-1111-4222-8333-abcdefabcdef";

#[test]
fn runs_that_differ_only_in_ids_times_and_batch_order_are_equal() {
    let old = vec![
        call("c1", "create", json!({"at": "2026-11-19T00:00:00Z"})),
        result("c1", json!({"id": ONE, "created": DAY})),
        call("c2", "stock", json!({"order": ONE})),
        call("c3", "price", json!({"order": ONE})),
        result("c2", json!(3)),
        result("c3", json!(20)),
        output(json!(format!("Order {ONE} costs 20."))),
    ];
    let new = vec![
        call("x9", "create", json!({"at": "2026-12-19T00:00:00Z"})),
        result("x9", json!({"id": TWO, "created": DAY + 30 * 86_400_000 + 5})),
        call("x7", "price", json!({"order": TWO})),
        call("x8", "stock", json!({"order": TWO})),
        result("x7", json!(20)),
        result("x8", json!(3)),
        output(json!(format!("Order {TWO} costs 20."))),
    ];
    assert!(differences(old, new).is_empty());
}

#[test]
fn changes_of_the_agent_are_shown() {
    let old = || {
        vec![
            call("c1", "find", json!({"q": {"order": "A-17", "fields": ["id", "sum"]}})),
            result("c1", json!({"sum": 20})),
            call("c2", "refund", json!({"amount": 20})),
            result("c2", json!("ok")),
            output(json!("refunded")),
        ]
    };
    let with = |at: usize, line: Value| {
        let mut lines = old();
        lines[at] = line;
        lines
    };
    let without = |range: std::ops::Range<usize>| {
        let mut lines = old();
        lines.drain(range);
        lines
    };
    let deep = call("c1", "find", json!({"q": {"order": "A-17", "fields": ["id", "total"]}}));
    assert_eq!(differences(old(), with(0, deep)), ["2 first arguments/q/fields/1"]);
    assert_eq!(differences(old(), without(3..4)), ["3 first result"], "the result was dropped");
    assert_eq!(differences(old(), without(4..5)), ["-4 first"], "the answer is missing");
    assert_eq!(differences(old(), without(2..4)), ["-3 first"]);
    assert_eq!(differences(old(), with(3, failed("c2", "declined"))), ["3 first result error"]);
    let mut retried = old();
    retried.splice(2..2, [call("c0", "refund", json!({"amount": 20})), failed("c0", "late")]);
    assert_eq!(differences(old(), retried), ["+3 first"]);
    let mut swapped = old();
    swapped.swap(0, 2);
    swapped.swap(1, 3);
    assert_eq!(differences(old(), swapped).len(), 2, "calls in sequence have an order");
}

#[test]
fn what_repeats_a_changed_value_follows_from_it_and_the_rest_does_not() {
    let lines = |order: &str, amount: u64, answer: &str| {
        vec![
            call("c1", "find", json!({})),
            result("c1", json!({"order": order})),
            call("c2", "refund", json!({"order": order, "amount": amount})),
            result("c2", json!(format!("refunded {order}"))),
            output(json!(answer)),
        ]
    };
    let old = || lines("A-17", 20, "Order A-17 was refunded.");
    assert_eq!(
        differences(old(), lines("A-18", 20, "Order A-18 was refunded.")),
        ["2 first result/order", "3 follows arguments/order result", "4 follows result"]
    );
    assert_eq!(
        differences(old(), lines("A-18", 200, "Order A-18 was not refunded.")),
        ["2 first result/order", "3 after arguments/order arguments/amount result", "4 after result"]
    );
}

#[test]
fn call_that_a_changed_model_answer_requests_follows_from_it() {
    let asks =
        |name: &str| json!({"choices": [{"message": {"tool_calls": [{"id": "1", "function": {"name": name}}]}}]});
    let question = json!([{"role": "user", "content": "refund A-17"}]);
    let wire = |name: &str| json!({"type": "tool_call", "turn": 0, "name": name, "call_id": "1", "args": {}, "observer": "model_wire"});
    let lines = |name: &str| vec![model(question.clone(), asks(name)), wire(name)];
    assert_eq!(
        differences(lines("refund"), lines("cancel")),
        ["2 first requested calls/0", "-3 follows", "+3 follows"]
    );
}

#[test]
fn each_model_request_is_compared_by_the_messages_it_adds() {
    let says = |text: &str| json!({"choices": [{"message": {"content": text}}]});
    let user = |text: &str| json!({"role": "user", "content": text});
    let agent = |text: &str| json!({"role": "assistant", "content": text});
    let lines = |first: &str| {
        vec![
            model(json!([user(first)]), says("hello")),
            model(json!([user(first), agent("hello"), user("more")]), says("bye")),
        ]
    };
    assert_eq!(differences(lines("hi"), lines("hey")), ["2 first messages/0/text"]);
}

#[test]
fn seed_of_a_request_is_no_difference_and_a_forced_tool_is_one() {
    let asked = |seed: u32, tool: &str| {
        let says = json!({"choices": [{"message": {"content": "hello"}}]});
        let mut line = model(json!([{"role": "user", "content": "hi"}]), says);
        line["request"]["generationConfig"] = json!({"seed": seed, "topK": 3});
        line["request"]["toolConfig"] = json!({"toolChoice": {"tool": {"name": tool}}});
        vec![line]
    };
    assert!(differences(asked(1, "find"), asked(2, "find")).is_empty());
    assert_eq!(
        differences(asked(1, "find"), asked(1, "refund")),
        ["2 first parameters/toolConfig/toolChoice/tool/name"]
    );
}

#[test]
fn cases_of_one_run_only_are_shown() {
    let lines = || vec![output(json!("ok"))];
    let old = read(events(DAY, &[("a", lines()), ("b", lines())])).0;
    let new = read(events(DAY, &[("b", lines()), ("c", lines()), ("b", lines())])).0;
    let diff = compare_runs(&old, &new, false);
    let sides: Vec<_> = diff.cases.iter().map(|case| (case.id, case.old.is_some(), case.new.is_some())).collect();
    assert_eq!(sides, [("b", true, true), ("c", false, true), ("b", false, true), ("a", true, false)]);
    let differ: Vec<bool> = diff.cases.iter().map(CaseDiff::differs).collect();
    assert_eq!(differ, [false, true, true, true]);
}

#[test]
fn run_that_was_cut_off_is_not_called_equal() {
    let mut lines = events(DAY, &[("c", vec![output(json!("ok"))])]);
    let old = read(lines.clone()).0;
    lines.truncate(2);
    let new = read(lines).0;
    let diff = compare_runs(&old, &new, false);
    assert!(diff.differs(), "the case did not end");
    assert!(diff.not_compared[0].contains("its run did not end"), "{:?}", diff.not_compared);
}

#[test]
fn change_in_several_cases_is_one_group() {
    let cases = |limit: Option<u32>| {
        let args = |q: &str| limit.map_or(json!({"q": q}), |limit| json!({"q": q, "limit": limit}));
        let names = ["a", "b", "c"];
        names.map(|id| (id, vec![call("c1", "search_docs", args(id)), result("c1", json!([]))]))
    };
    let (old, new) = (read(events(DAY, &cases(None))).0, read(events(DAY, &cases(Some(5)))).0);
    let diff = compare_runs(&old, &new, false);
    let [group] = &diff.repeated[..] else { panic!("{:?}", diff.repeated) };
    assert_eq!((group.name, group.path.as_str(), &group.new), ("search_docs", "/limit", &Some(json!(5))));
    assert_eq!(group.cases, ["a", "b", "c"]);
}

/// A run with several attempts at one case.
fn attempts(all: Vec<Vec<Value>>) -> RunTrajectories {
    let count = all.len();
    let mut run = RunTrajectories::default();
    for (number, lines) in all.into_iter().enumerate() {
        let mut one = self::run(DAY, lines);
        let mut attempt = one.cases[0].attempts.remove(0);
        attempt.number = u32::try_from(number + 1).unwrap();
        if number == 0 {
            run = one;
        }
        run.cases[0].attempts.push(attempt);
    }
    run.cases[0].runs = count as u64;
    run
}

#[test]
fn one_changed_attempt_among_many_is_found_and_shapes_are_counted() {
    let lines = |names: &[&str], amount: u32| {
        names
            .iter()
            .flat_map(|name| [call(name, name, json!({"amount": amount})), result(name, json!(1))])
            .collect::<Vec<_>>()
    };
    let good = || lines(&["find", "refund"], 20);
    let old = attempts((0..10).map(|_| good()).collect());
    let mut new: Vec<_> = (0..9).map(|_| good()).collect();
    new.insert(6, lines(&["find", "refund"], 200));
    let changed = attempts(new);
    let diff = compare_runs(&old, &changed, false);
    let case = &diff.cases[0];
    assert_eq!((case.compared, case.differing, case.new.unwrap().attempt), (10, 1, Some(7)));
    let twice = attempts(
        (0..10).map(|number| if number < 6 { good() } else { lines(&["find", "refund", "refund"], 20) }).collect(),
    );
    let diff = compare_runs(&old, &twice, false);
    let shapes: Vec<_> = diff.cases[0].shapes.iter().map(|it| (it.shape.as_str(), it.old, it.new)).collect();
    assert_eq!(shapes, [("find -> refund", 10, 6), ("find -> refund x2", 0, 4)]);
    assert!(!compare_runs(&twice, &twice, false).differs());
}

#[test]
fn runs_beyond_the_limit_are_named() {
    let lines = || vec![output(json!("ok"))];
    let (old, new) = (attempts(vec![lines()]), attempts((0..51).map(|_| lines()).collect()));
    let diff = compare_runs(&old, &new, false);
    assert_eq!((diff.cases[0].compared, diff.cases[0].left_out), (50, 1));
    assert_eq!(diff.not_compared, ["the runs of 1 case after the first 50"]);
    assert!(compare_runs(&old, &old, false).not_compared.is_empty());
}

#[test]
fn case_that_no_longer_always_passes_differs_although_its_steps_do_not() {
    let old = attempts((0..3).map(|_| vec![output(json!("ok"))]).collect());
    let mut new = old.clone();
    new.cases[0].passes = 2;
    let mut old = old;
    old.cases[0].passes = 3;
    assert!(compare_runs(&old, &new, false).differs());
    assert!(!compare_runs(&new, &new, false).differs());
}

fn baseline_step(tool: &str, args: &str, hash: &str) -> CallStep {
    let args = (!args.is_empty()).then(|| args.into());
    CallStep { tool: tool.into(), args_hash: hash.into(), args, ..CallStep::default() }
}

fn of_steps(lines: Vec<Value>, steps: Vec<CallStep>) -> (RunTrajectories, Rows) {
    let mut events = events(DAY, &[("c", lines)]);
    for event in &mut events {
        if let Body::CaseEnd(end) = &mut event.body {
            Arc::make_mut(end).metrics.steps.clone_from(&steps);
        }
    }
    read(events)
}

#[test]
fn baseline_is_compared_as_far_as_it_goes_and_the_rest_is_named() {
    let steps = |limit: u32, hash: &str| {
        vec![
            baseline_step("b", "{}", "1"),
            baseline_step("a", &format!("{{\"limit\":{limit}}}"), "2"),
            baseline_step("long", "", hash),
        ]
    };
    let parallel = || {
        vec![
            call("1", "a", json!({})),
            call("2", "b", json!({})),
            result("1", json!(1)),
            result("2", json!(2)),
            call("3", "long", json!({})),
            result("3", json!("other")),
        ]
    };
    let (run, rows) = of_steps(parallel(), steps(5, "3"));
    let old = of_baseline(&Baseline::of("shop", "replay", &rows));
    let reduced = as_baseline(&run, &rows);
    let diff = compare_runs(&old, &reduced, false);
    assert!(!diff.differs(), "{:?}", told(&diff.cases[0]));
    assert!(diff.not_compared[0].starts_with("results of calls"), "{:?}", diff.not_compared);
    let (run, rows) = of_steps(parallel(), steps(6, "4"));
    let changed = as_baseline(&run, &rows);
    let diff = compare_runs(&old, &changed, false);
    let mut found = told(&diff.cases[0]);
    found.sort();
    assert_eq!(found, ["1 first arguments/limit", "3 after arguments"]);
    assert!(diff.not_compared[1].contains("fingerprint"), "{:?}", diff.not_compared);
}

fn step() -> impl Strategy<Value = Vec<Value>> {
    let names = prop::sample::select(vec!["a", "b", "c"]);
    let one = (names.clone(), 0..3_u32, 0..3_u32).prop_map(|(name, arg, found)| {
        vec![
            call(name, name, json!({"n": arg, "list": vec![arg; arg as usize]})),
            result(name, json!({"found": found})),
        ]
    });
    let silent = names.prop_map(|name| vec![call(name, name, json!({}))]);
    let said = "[ab ]{1,4}".prop_map(|text| vec![json!({"type": "text", "turn": 0, "text": text})]);
    prop_oneof![4 => one, 1 => silent, 1 => said]
}

fn lines() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(step(), 0..12).prop_map(|steps| steps.concat())
}

/// Everything that is compared of a step.
fn compared(step: &TrajectoryStep) -> String {
    format!("{:?} {} {:?}", step.kind, step.name, step.parts)
}

proptest! {
    #[test]
    fn run_does_not_differ_from_itself(lines in lines()) {
        let run = run(DAY, lines);
        prop_assert!(!compare_runs(&run, &run, true).differs());
    }

    #[test]
    fn applying_the_changes_to_the_old_run_gives_the_new_one(old in lines(), new in lines()) {
        let (old, new) = (run(DAY, old), run(DAY, new));
        let diff = compare_runs(&old, &new, true);
        let made: Vec<String> = applied(&diff.cases[0]).unwrap().iter().map(compared).collect();
        let expected: Vec<String> = new.cases[0].attempts[0].steps.iter().map(compared).collect();
        prop_assert_eq!(made, expected);
        let seen = diff.cases[0].rows.iter().filter(|row| row.old.is_some()).count();
        prop_assert_eq!(seen, old.cases[0].attempts[0].steps.len(), "no step of the old run is left out");
    }
}
