//! A plan that is printed in the native dialect and read back is the same plan, for any strings and numbers.

mod printed;
mod routed;
mod suites;
mod targets;
mod values;
mod worlds;

use std::path::Path;

use agentci_formats::{load, print_native};
use agentci_plan::Suite;
use agentci_source::yaml;
use agentci_source::{MemoryFiles, Sources};
use proptest::prelude::*;

use crate::suites::suite;

/// The debug output of a suite without its spans, for comparison.
pub(crate) fn without_places(suite: &Suite) -> String {
    let full = format!("{suite:#?}");
    let mut kept = String::with_capacity(full.len());
    let mut rest = full.as_str();
    while let Some((before, after)) = rest.split_once("Span {\n") {
        kept.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    kept + rest
}

proptest! {
    #[test]
    fn printed_suite_round_trips(suite in suite()) {
        let text = print_native(&suite, None);
        let files = MemoryFiles::default().with("s/agentci.yaml", text.as_str()).with("s/model.yaml", "default: hi\n");
        let files = files.with("s/orders.mcp.yaml", worlds::SERVER).with("s/stock.jsonl", "");
        let files = files.with("s/.env", "A=b\n").with("index.ts", "function Next() {}");
        let files = routed::ANSWERS.iter().fold(files, |files, answer| files.with(*answer, ""));
        let loaded = load(&files, &["s".into()]);
        prop_assert!(loaded.diagnostics.is_empty(), "{text}\n{:?}", loaded.diagnostics);
        prop_assert_eq!(without_places(&loaded.plan.suites[0]), without_places(&suite), "{}", text);
        prop_assert_eq!(print_native(&loaded.plan.suites[0], None), text);
    }

    #[test]
    fn yaml_parser_never_panics_on_arbitrary_text(text in any::<String>()) {
        let file = Sources::default().add(Path::new("a"), text.as_str());
        let _ = yaml::parse(&text, file);
    }

    #[test]
    fn yaml_errors_have_valid_locations(text in "[-a:\\[\\]{},&*!|>'\"#%@`?~<\\\\ \\t\\r\\n0é\u{2028}]{0,60}") {
        let file = Sources::default().add(Path::new("a"), text.as_str());
        if let Err(problem) = yaml::parse(&text, file) {
            prop_assert!(problem.span.line >= 1 && problem.span.column >= 1 && problem.span.width >= 1);
        }
    }
}
