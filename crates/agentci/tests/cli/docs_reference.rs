//! Checks that the examples on the generated reference pages are valid.

use crate::docs_page::{Page, text_of};
use crate::suite::Suite;

/// A suite whose cases have these checks.
fn suite_with(checks: &str) -> Suite {
    // Only A2A agents have tasks.
    let (target, asked) = if checks.contains("task:") {
        ("{ a2a: { card_url: \"http://127.0.0.1:1/\" } }", "turns: [{ user: Hi }]")
    } else {
        ("{ process: { command: [sh] } }", "input: {}")
    };
    let judge = "judge: { chat: { connector: { api: mock }, prompts: [{ role: system, content: Judge. }] } }";
    // Model requests are only observable with a scripted model.
    let played = checks.contains("model_called") || checks.contains("by:");
    let world = if played { "world: { model: { script: model.yaml } }\n" } else { "" };
    let head = format!("suite: s\ntarget: {target}\nagents: {{ {judge} }}\n{world}");
    let functions = "function addsUp() { return true }\nfunction isTotal() { return true }\n";
    Suite::empty()
        .file("agentci.yaml", format!("{head}{checks}cases:\n  - id: a\n    {asked}\n"))
        .file("schema.json", r#"{"type": "object"}"#)
        .file("checks/totals.ts", functions)
        .file("checks/tone.py", "def politeness(output): return 0.9\n")
        .file("model.yaml", "rules: [{ reply: Hello. }]\n")
}

#[test]
fn every_check_example_is_valid() {
    let page = Page::read("docs/reference/checks.md");
    let examples: Vec<_> = page.blocks().filter(|block| block.language == "yaml").collect();
    assert_eq!(examples.len(), agentci::checks::names().count(), "one example a check");
    for example in examples {
        let checked = suite_with(&example.text).agentci(&["check", ".", "--strict"]);
        assert_eq!(checked.code, Some(0), "{}:{}\n{}{checked:?}", page.path, example.line, example.text);
    }
}

#[test]
fn reports_page_has_a_row_for_every_report() {
    let page = text_of("docs/reference/reports.md");
    for kind in &agentci::report::REPORTS {
        let extensions: Vec<String> = kind.extensions.iter().map(|word| format!("`.{word}`")).collect();
        let cells = [format!("`{}`", kind.name), format!("`{}`", kind.file), extensions.join(", ")];
        let is_row = |line: &str| line.split('|').skip(1).map(str::trim).take(3).eq(cells.iter().map(String::as_str));
        assert!(page.lines().any(is_row), "docs/reference/reports.md has no row for {cells:?}");
    }
}

#[test]
fn every_dialect_has_a_page() {
    for dialect in agentci::formats::dialects() {
        let page = format!("docs/reference/{}.md", dialect.name());
        assert!(!text_of(&page).is_empty(), "{page} is empty");
    }
}

#[test]
fn native_page_describes_every_target_kind() {
    let native = agentci::formats::schemas().iter().find(|file| file.name == "native").unwrap();
    let tables = native.tables(&[]);
    let target = tables.iter().find(|table| table.what == "`target`").unwrap();
    let page = text_of("docs/reference/native.md");
    let (_, section) = page.split_once("\n### `target`\n").unwrap();
    let missing: Vec<_> = target.rows.iter().filter(|row| !section.contains(&format!("`{}`", row.key))).collect();
    assert!(missing.is_empty(), "docs/reference/native.md does not describe {missing:?}");
}

#[test]
fn detects_invalid_check_example() {
    let checked = suite_with("checks:\n  - contains: { txt: a }\n").agentci(&["check", ".", "--strict"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
}
