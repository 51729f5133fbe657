//! Scenarios converted by `agentci convert`.

use agentci_formats::{load as load_paths, print_native};
use agentci_plan::{Dialect, FormatConventions, Suite, Target, ToolSource};
use std::sync::Arc;

use crate::project::{good_suite, project, scenario};

/// The debug output of a suite without spans, without its dialect, and without the recording target of scenarios.
fn comparable(suite: &Suite) -> String {
    let mut suite = suite.clone();
    suite.dialect = Dialect::Native;
    suite.conventions = FormatConventions::USUAL;
    suite.path = "p".into();
    for case in &mut suite.cases {
        let mut world = (*case.world).clone();
        if let ToolSource::Routes(routes) = &mut world.tools {
            Arc::make_mut(routes).record = None;
        }
        case.world = Arc::new(world);
    }
    let full = format!("{suite:#?}");
    let mut kept = String::with_capacity(full.len());
    let mut rest = full.as_str();
    while let Some((before, after)) = rest.split_once("Span {\n") {
        kept.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    kept + rest
}

#[test]
fn scenario_suite_round_trips_through_native_format() {
    let files = project(&scenario(
        "a",
        "variables: { land: NO, price: '${X}' }\nsemantic_threshold: { builtin: 0.550 }\ntags: [x]\n\
         faults: [{ tool: slips, error: down }]\ntool_fixtures:\n  slips:\n    - request: { id: 1 }\n      \
         response_file: slips/1.json\n    - { request: [], response: null, status: 404, delay_ms: 20, name: gone, \
         headers: { x-a: '1' }, method: post }\n    - response: '${Y}'\n",
    ))
    .with("tests/us/b.yaml", scenario("b", ""))
    .with("bin/agent.py", "")
    .with(
        "agentci.yaml",
        "embedder: builtin\nstub_miss: warn\ntool_bases: { A_BASE: { live: 'https://a.test/' }, B_BASE: }\ntargets:\n  \
         us: { url: 'http://127.0.0.1:${ENV.P}/', body: { q: '${INPUT.user_input}' }, answer: /a, timeout: 5s, \
         agent_command: [python3, bin/agent.py], folder: bin, env: { A: b }, ready: 'http://x/', patience: 2s }\n",
    );
    let suite = good_suite(&files);
    let Target::Http(_) = &*suite.cases[0].target else { panic!("no http") };
    let text = print_native(&suite, None);
    let again = load_paths(&files.with("tests/us/agentci.yaml", text.as_str()), &["tests/us/agentci.yaml".into()]);
    assert!(again.diagnostics.is_empty(), "{text}\n{:?}", again.diagnostics);
    assert_eq!(comparable(&again.plan.suites[0]), comparable(&suite), "{text}");
    assert!(!text.contains("mode:"), "{text}");
}
