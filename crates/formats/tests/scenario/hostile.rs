//! Malformed files.

use agentci_source::MemoryFiles;
use proptest::prelude::*;

use crate::project::{load, project, scenario};

proptest! {
    #[test]
    fn any_fixture_is_accepted_or_rejected(yaml in "[-a:\\[\\]{},&*!|>'\"#?~ \\n0]{0,40}", key in "(request|response|status|headers|delay_ms|method|name|id)") {
        let text = scenario("a", &format!("tool_fixtures:\n  slips:\n    - {key}: {yaml}\n      response: 1\n"));
        let loaded = load(&project(&text), &["tests"]);
        for suite in &loaded.plan.suites {
            prop_assert!(suite.cases.iter().all(|case| case.broken.is_none()) || loaded.diagnostics.has_errors());
        }
    }

    #[test]
    fn no_response_path_escapes_the_tests_folder(parts in prop::collection::vec(prop::sample::select(vec!["..", ".", "us", "uk", "__files", "x.json", "tests", "/"]), 1..8)) {
        let written = parts.join("/");
        let places = ["x.json", "uk/x.json", "other/x.json", "tests/x.json", "tests/uk/x.json", "tests/us/__files/x.json"];
        let text = scenario("a", &format!("tool_fixtures: {{ slips: [{{ response_file: '{written}' }}] }}\n"));
        let files = places.iter().fold(MemoryFiles::default().with("tests/us/a.yaml", text), |files, place| files.with(*place, ""));
        let loaded = load(&files, &["tests"]);
        let answer = format!("{:?}", loaded.plan.suites[0].cases[0].world.tools);
        if loaded.plan.suites[0].cases[0].broken.is_none() {
            prop_assert!(answer.contains("value: \"tests/"), "{written}: {answer}");
        }
    }
}
