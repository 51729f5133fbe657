//! The library, as other programs use it.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::fs;

use agentci::plan::CasePosition;
use agentci::runner::{RunFacts, Stopper};
use agentci::verdict::{Body, CaseStatus};
use agentci::{Settings, Suites};

const SUITE: &str = "suite: twice\ntarget: { mock: { model_name: m, responses: [{ content: hello, model: m, tokens_used: 1, latency_ms: 1 }] } }\n\
    cases: [{ id: a, input: {}, checks: [{ contains: hello }] }, { id: b, input: {}, checks: [{ contains: hello }] }]\n";

fn suites() -> Suites {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agentci.yaml");
    fs::write(&path, SUITE).unwrap();
    let suites = Suites::load([&path]);
    assert!(suites.problems().is_empty(), "{:?}", suites.problems());
    suites
}

#[test]
fn cloned_suites_can_be_run_again() {
    let suites = suites();
    for _ in 0..2 {
        let mut ended = Vec::new();
        let status = suites.clone().run(&Settings::default(), |event| {
            if let Body::CaseEnd(end) = &event.body {
                ended.push(end.id.to_string());
            }
        });
        assert_eq!(status.unwrap(), CaseStatus::Pass);
        ended.sort();
        assert_eq!(ended, ["a", "b"]);
    }
}

#[test]
fn running_a_consumed_case_again_is_an_error() {
    let mut suites = suites();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_stopper, stop) = Stopper::new();
    let (facts, settings) = (RunFacts::default(), Settings::default());
    let mut run = |selected: &[u32]| {
        let mut not_run = 0;
        let mut note = |event: agentci::verdict::RunEvent| {
            if let Body::RunEnd(end) = &event.body {
                not_run = end.not_run;
            }
        };
        let at = |case: &u32| CasePosition { case: *case, row: 0 };
        suites.loaded_mut()[0].selected = selected.iter().map(at).collect();
        let status = runtime.block_on(suites.run_suite(0, &facts, &settings, &stop, &mut note));
        (status, not_run)
    };
    // Both are the same case, which is gone after the first run.
    assert_eq!(run(&[1, 1]), (CaseStatus::Error, 1));
    assert_eq!(run(&[0, 1]), (CaseStatus::Error, 2));
}
