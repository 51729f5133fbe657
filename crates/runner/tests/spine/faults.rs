//! Injected faults.

use agentci_drivers::testing::{FakeScript, ScriptedStep, note, script};
use agentci_verdict::Cause;
use serde_json::json;

use crate::run::{Bench, Ran, WORKER};

async fn with_fault(fault: &str) -> Ran {
    script("a", |_| {
        let call = || ScriptedStep::call("find", json!({}));
        let went = ScriptedStep::Meanwhile(Box::new(|| note("went on")));
        FakeScript::turns([vec![call(), call(), went, ScriptedStep::result(json!({"done": true}))]])
    });
    let shared = format!(
        "{WORKER}world: {{ faults: [{{ {fault} }}], tools: {{ scripted: {{ find: [{{ reply: 1 }}, {{ reply: 2 }}] }} }} }}\n"
    );
    let case = "  - { id: a, input: {}, checks: [{ tool_called: find }], timeout: 10s }\n";
    Bench::new(&shared, case).run().await
}

/// The answers in the run's events: the result, the error and the fault.
fn answers(ran: &Ran) -> Vec<(serde_json::Value, Option<String>, Option<String>)> {
    let results = ran.events.iter().filter_map(|event| match &event.body {
        agentci_verdict::Body::ToolResult(result) => Some(result),
        _ => None,
    });
    results.map(|result| ((*result.result).clone(), result.error.clone(), result.fault.clone())).collect()
}

#[tokio::test(start_paused = true)]
async fn injected_error_leaves_response_for_the_next_call() {
    let ran = with_fault("tool: find, call: 1, error: torn").await;
    let failed = (json!(null), Some("torn".to_owned()), Some("error".to_owned()));
    assert_eq!(answers(&ran), [failed, (json!(1), None, None)]);
    assert_eq!(ran.end("a").cause, None);
}

#[tokio::test(start_paused = true)]
async fn injected_hang_ends_the_case_at_its_timeout() {
    let ran = with_fault("tool: find, call: 2, hang: true").await;
    assert_eq!(ran.end("a").cause, Some(Cause::Timeout));
    let notes = &ran.end("a").findings[0].notes;
    assert!(notes.iter().any(|note| note == "the fault `hang` was injected into the answer to `find`"), "{notes:?}");
    assert_eq!(ran.effects_of(&["went", "close"]), ["close a/1"]);
}

#[tokio::test(start_paused = true)]
async fn delayed_responses_arrive() {
    let begun = tokio::time::Instant::now();
    let ran = with_fault("tool: find, delay: 4s").await;
    assert_eq!((ran.end("a").cause, answers(&ran).len()), (None, 2));
    assert!((8..9).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn warns_about_fault_that_never_happens() {
    let ran = with_fault("tool: find, call: 3, error: torn").await;
    let warnings = &ran.end("a").warnings;
    assert_eq!(
        *warnings,
        [
            "the fault `error` at agentci.yaml:3:19 never happened: it is for call 3 of `find`, which was called 2 times at most"
        ]
    );
    assert_eq!(ran.end("a").cause, None);
}
