//! The `yao` dialect from files to a plan.

mod agents;
mod assertions;
mod choices;
mod inputs;
mod search;

use std::path::PathBuf;

use agentci_formats::{LoadOptions, Loaded, load_with};
use agentci_plan::{Case, ChatTarget, Target};
use agentci_source::MemoryFiles;

/// An application with one assistant, `keyword`, and the mock model.
pub(crate) fn app() -> MemoryFiles {
    MemoryFiles::default()
        .with("app/app.yao", "{ \"name\": \"shop\" }")
        .with("app/assistants/keyword/package.yao", "// it\n{ \"name\": \"Keywords\", \"connector\": \"mock\", }")
}

pub(crate) const TESTS: &str = "app/assistants/keyword/tests/inputs.jsonl";

/// The application with these tests, loaded by naming their file.
pub(crate) fn load_tests(text: &str) -> Loaded {
    load_from(&app().with(TESTS, text), &LoadOptions::default())
}

pub(crate) fn load_from(files: &MemoryFiles, options: &LoadOptions) -> Loaded {
    load_with(files, &[PathBuf::from(TESTS)], options)
}

/// The only case of the only suite, which must be valid.
pub(crate) fn one_case(loaded: &Loaded) -> &Case {
    assert_eq!(told(loaded), Vec::<String>::new());
    let [suite] = loaded.plan.suites.as_slice() else { panic!("one suite") };
    &suite.cases[0]
}

pub(crate) fn chat(case: &Case) -> &ChatTarget {
    let Target::Chat(chat) = &*case.target else { panic!("no chat") };
    chat
}

/// Every problem as `line:column message`.
pub(crate) fn told(loaded: &Loaded) -> Vec<String> {
    let told = |problem: &agentci_source::Diagnostic| {
        format!("{}:{} {}", problem.span.line, problem.span.column, problem.message)
    };
    loaded.diagnostics.iter().map(told).collect()
}
