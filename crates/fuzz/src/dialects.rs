//! Suites of every dialect, as files in memory.

use agentci_formats::{Loaded, load, print_native};
use agentci_plan::Suite;
use agentci_report::Paint;

use crate::bases::{self, Base};

pub(crate) fn native(bytes: &[u8]) {
    look(&bases::NATIVE, bytes);
}

pub(crate) fn runledger(bytes: &[u8]) {
    look(&bases::RUNLEDGER, bytes);
}

pub(crate) fn aumai(bytes: &[u8]) {
    look(&bases::AUMAI, bytes);
}

pub(crate) fn ananke(bytes: &[u8]) {
    look(&bases::ANANKE, bytes);
}

pub(crate) fn scenario(bytes: &[u8]) {
    look(&bases::SCENARIO, bytes);
}

pub(crate) fn yao(bytes: &[u8]) {
    look(&bases::YAO, bytes);
}

/// A suite that is printed in the native dialect is read back as the same plan.
pub(crate) fn convert(bytes: &[u8]) {
    let read = |text: &[u8]| load(&bases::NATIVE.files().with("s/agentci.yaml", text), &["s".into()]);
    let first = read(bytes);
    let [suite] = first.plan.suites.as_slice() else { return };
    if first.diagnostics.has_errors() || suite.cases.iter().any(|case| case.broken.is_some()) {
        return;
    }
    let text = print_native(suite, None);
    let second = read(text.as_bytes());
    assert!(!second.diagnostics.has_errors(), "{text}\n{:?}", second.diagnostics);
    let again = &second.plan.suites[0];
    assert_eq!(without_places(again), without_places(suite), "{text}");
    assert_eq!(print_native(again, None), text);
}

/// Loads and compiles a suite, and renders its diagnostics as a user would see them.
fn look(base: &Base, bytes: &[u8]) {
    let files = base.with(bytes);
    let Loaded { plan, diagnostics } = load(&files, &[base.path.into()]);
    let (_, uncompiled) = agentci_checks::compile(&plan, &files);
    for problem in diagnostics.iter().chain(uncompiled.iter()) {
        let shown = agentci_report::diagnostic(problem, &plan.sources, Paint::new(false));
        assert!(shown.contains(": "), "{shown}");
    }
    // Broken cases have nothing to print.
    for suite in plan.suites.iter().filter(|suite| suite.cases.iter().all(|case| case.broken.is_none())) {
        print_native(suite, None);
    }
}

/// The debug output of a suite without positions, for comparison.
fn without_places(suite: &Suite) -> String {
    let full = format!("{suite:#?}");
    let mut kept = String::with_capacity(full.len());
    let mut rest = full.as_str();
    while let Some((before, after)) = rest.split_once("Span {\n") {
        kept.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    kept + rest
}
