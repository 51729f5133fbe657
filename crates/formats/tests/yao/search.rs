//! Finds tests below a folder.

use agentci_formats::{LoadOptions, Loaded, load};
use agentci_source::MemoryFiles;

use super::{TESTS, app, load_from, told};

const TEST: &str = "{\"id\": \"a\", \"input\": \"x\"}\n";

fn names(files: &MemoryFiles, path: &str) -> Vec<String> {
    let loaded: Loaded = load(files, &[path.into()]);
    assert_eq!(told(&loaded), Vec::<String>::new());
    loaded.plan.suites.iter().map(|suite| suite.name.clone()).collect()
}

#[test]
fn finds_only_test_files_of_assistants() {
    let files = app()
        .with(TESTS, TEST)
        .with("app/assistants/keyword/prompts.yml", "[]")
        .with("app/assistants/keyword/tests/model.yaml", "default: x\n")
        .with("app/agent/prompts.yml", "[]")
        .with("app/assistants/keyword/tests/output-20241217100000.jsonl", TEST)
        .with("app/assistants/keyword/tests/cassette.jsonl", "{\"tool\": \"t\", \"args\": {}}\n")
        .with("app/data/rows.jsonl", TEST)
        .with("app/models/a.yaml", "default: x\n");
    assert_eq!(names(&files, "app"), ["keyword"]);
    assert_eq!(names(&files, TESTS), ["keyword"]);
    assert_eq!(names(&files, "app/assistants/keyword/tests"), ["keyword"]);
}

#[test]
fn multiple_files_are_distinguished_by_file_name() {
    let files = app()
        .with(TESTS, TEST)
        .with("app/assistants/keyword/tests/more.jsonl", TEST)
        .with("app/assistants/other/package.yao", "{\"connector\": \"mock\"}")
        .with("app/assistants/other/tests/inputs.jsonl", TEST);
    assert_eq!(names(&files, "app"), ["keyword.inputs", "keyword.more", "other"]);
}

#[test]
fn reports_given_file_without_tests() {
    let files = MemoryFiles::default().with("rows.jsonl", "{\"tool\": \"t\"}\n");
    assert_eq!(told(&load(&files, &["rows.jsonl".into()])), ["1:1 `rows.jsonl` does not match any known suite format"]);
    let files = app().with(TESTS, "{\"id\": \"a\", \"input\": \n");
    assert_eq!(told(&load(&files, &["app".into()])), ["1:1 `{` is never closed"]);
    let files = app().with(TESTS, "{\"id\": \n");
    assert_eq!(told(&load(&files, &[TESTS.into()])), ["1:1 `{` is never closed"]);
}

#[test]
fn refuses_oversized_files() {
    let told_of = |path: &str, bytes: usize| {
        let files = app().with(TESTS, TEST).with(path, " ".repeat(bytes));
        told(&load_from(&files, &LoadOptions::default())).join("; ")
    };
    for (path, mib) in [(TESTS, 64), ("app/assistants/keyword/package.yao", 10), ("app/.env", 1)] {
        let limit = mib << 20;
        let told = told_of(path, limit + 1);
        assert!(told.contains(&format!("the file has {} bytes, the limit is {limit}", limit + 1)), "{path}: {told}");
    }
}

#[test]
fn reports_tests_without_assistant_and_ignores_data_files() {
    let native = "suite: n\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";
    let files = MemoryFiles::default().with("p/n/agentci.yaml", native);
    let asserting = "{\"id\": \"a\", \"input\": \"x\", \"assert\": {\"type\": \"contains\", \"value\": \"x\"}}\n";
    for (path, text) in [("p/a/tests/inputs.jsonl", TEST), ("p/a/some.jsonl", asserting)] {
        let loaded = load(&files.clone().with(path, text), &["p".into()]);
        assert_eq!(loaded.plan.suites.len(), 1);
        assert!(told(&loaded)[0].contains("no `package.yao` found in `p/a"), "{:?}", told(&loaded));
    }
    for (path, text) in [("p/a/rows.jsonl", TEST), ("p/a/tests/inputs.jsonl", "{\"row\": 1}\n")] {
        assert_eq!(names(&files.clone().with(path, text), "p"), ["n"]);
    }
}

#[test]
fn refuses_empty_test_file() {
    for text in ["", "\n\n"] {
        let files = app().with(TESTS, text).with("app/assistants/keyword/tests/cassette.jsonl", "");
        let loaded = load(&files, &["app".into()]);
        assert_eq!(told(&loaded), [format!("0:0 `{TESTS}` contains no tests")]);
    }
}
