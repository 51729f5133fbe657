//! Suites of every dialect, as files in memory.

use std::path::PathBuf;

use agentci_formats::{LoadOptions, Loaded, load, load_with, print_native};
use agentci_plan::Suite;
use agentci_report::Paint;
use agentci_source::MemoryFiles;

const PROCESS: &str = "suite_name: s\nagent_command: [a]\nmode: replay\ncases_path: cases\ntool_registry: [search]\n";

pub(crate) fn native(bytes: &[u8]) {
    let names = ["s/agentci.yaml", "s/model.yaml", "s/schema.json", "s/.env", "s/index.ts"];
    look(&files(bytes, &names), &["s"]);
}

pub(crate) fn runledger(bytes: &[u8]) {
    let names = ["s/cases/one.yaml", "s/suite.yaml", "s/schema.json", "s/cases/two.yaml", "s/baseline.json"];
    let base = MemoryFiles::default().with("s/suite.yaml", PROCESS).with("s/c.jsonl", "");
    look(&add(base, bytes, &names), &["s"]);
}

pub(crate) fn aumai(bytes: &[u8]) {
    look(&files(bytes, &["s/test.yaml", "s/mock_config.yaml", "s/other.json"]), &["s"]);
}

pub(crate) fn ananke(bytes: &[u8]) {
    let config = "version: 1.0\ntarget: { type: agui, agui: { endpoint: 'http://127.0.0.1:1/', agentId: a } }\n";
    let base = MemoryFiles::default().with("s/ananke.config.yaml", config);
    look(&add(base, bytes, &["s/one.test.yaml", "s/ananke.config.yaml", "s/blocks.yaml"]), &["s"]);
}

pub(crate) fn scenario(bytes: &[u8]) {
    let base = MemoryFiles::default().with("agentci.yaml", "scenario: { agent_url: 'http://127.0.0.1:1/' }\n");
    let base = base.with("tests/a/__files/answer.json", "{}");
    look(&add(base, bytes, &["tests/a/one.yaml", "agentci.yaml", "tests/a/two.yaml"]), &["tests"]);
}

pub(crate) fn yao(bytes: &[u8]) {
    let base = MemoryFiles::default()
        .with("app/app.yao", "{}")
        .with("app/connectors/mock.conn.yao", r#"{"type": "mock", "options": {}}"#)
        .with("app/assistants/a/package.yao", r#"{"connector": "mock"}"#)
        .with("app/assistants/a/prompts.yml", "- { role: system, content: hello }\n");
    let names = [
        "app/assistants/a/tests/inputs.jsonl",
        "app/assistants/a/package.yao",
        "app/assistants/a/prompts.yml",
        "app/connectors/mock.conn.yao",
        "app/assistants/a/src/index.ts",
    ];
    look(&add(base, bytes, &names), &["app/assistants/a/tests/inputs.jsonl"]);
}

/// What is printed in the native dialect is read back as the same plan.
pub(crate) fn convert(bytes: &[u8]) {
    let base = || files(b"", &[]).with("s/model.yaml", "default: hi\n").with("s/.env", "A=b\n").with("s/a.json", "{}");
    let first = load(&base().with("s/agentci.yaml", bytes), &["s".into()]);
    let [suite] = first.plan.suites.as_slice() else { return };
    if first.diagnostics.has_errors() || suite.cases.iter().any(|case| case.broken.is_some()) {
        return;
    }
    let text = print_native(suite, None);
    let second = load(&base().with("s/agentci.yaml", text.as_str()), &["s".into()]);
    assert!(!second.diagnostics.has_errors(), "{text}\n{:?}", second.diagnostics);
    let again = &second.plan.suites[0];
    assert_eq!(without_places(again), without_places(suite), "{text}");
    assert_eq!(print_native(again, None), text);
}

/// A zero byte ends a file and begins the next.
fn files(bytes: &[u8], names: &[&str]) -> MemoryFiles {
    add(MemoryFiles::default(), bytes, names)
}

fn add(files: MemoryFiles, bytes: &[u8], names: &[&str]) -> MemoryFiles {
    let parts = bytes.splitn(names.len().max(1), |byte| *byte == 0);
    parts.zip(names).fold(files, |files, (part, name)| files.with(*name, part))
}

/// Loads and compiles, and shows everything that is wrong as a user would see it.
fn look(files: &MemoryFiles, paths: &[&str]) {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let Loaded { plan, diagnostics } = load_with(files, &paths, &LoadOptions::default());
    let (_, uncompiled) = agentci_checks::compile(&plan, files);
    for problem in diagnostics.iter().chain(uncompiled.iter()) {
        let shown = agentci_report::diagnostic(problem, &plan.sources, Paint::new(false));
        assert!(shown.contains(": "), "{shown}");
    }
    // Broken cases have nothing to print.
    for suite in plan.suites.iter().filter(|suite| suite.cases.iter().all(|case| case.broken.is_none())) {
        print_native(suite, None);
    }
}

/// A suite in full, places left out, so that two can be compared.
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
