//! Schemas accept every valid file: examples, templates, the output of `convert`, and complete files on the reference
//! pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::documents::{Document, below};
use super::validators;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn every_example_and_template_matches_its_schema() {
    let validators = validators();
    let mut met: Vec<&str> = Vec::new();
    for folder in ["examples", "crates/agentci/templates"] {
        for document in below(&root().join(folder)) {
            let refusals = document.refusals(&validators[document.schema]);
            assert!(refusals.is_empty(), "{} by `{}`: {refusals:#?}", document.path.display(), document.schema);
            met.push(document.schema);
        }
    }
    met.sort_unstable();
    met.dedup();
    let mut known: Vec<&str> = validators.keys().copied().collect();
    known.sort_unstable();
    assert_eq!(met, known, "left: schemas that an example is held against, right: all of them");
}

#[test]
fn output_of_convert_matches_the_schema() {
    let native = &validators()["native"];
    let examples = [
        "examples/quickstart",
        "examples/evals/demo",
        "examples/evals/polling",
        "examples/conversations",
        "examples/a2a",
        "examples/mcp",
        "examples/scenario/tests/us_payroll",
        "examples/yao/assistants/keyword",
        "examples/yao/assistants/planner",
        "crates/agentci/templates/answers",
    ];
    for example in examples {
        let output = Command::new(env!("CARGO_BIN_EXE_agentci"))
            .args(["convert", example])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{example}: {}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let refusals = Document::of(&printed, "native").refusals(native);
        assert!(refusals.is_empty(), "{example}: {refusals:#?}\n{printed}");
    }
}

/// Complete suites among the examples are recognised by their first key.
#[test]
fn complete_files_in_reference_pages_match_their_schema() {
    let validators = validators();
    let marks = [("suite: ", "native"), ("suite_name: ", "runledger"), ("test_name: ", "scenario"), ("version: ", "")];
    let mut taken = 0;
    for page in fs::read_dir(root().join("docs/reference")).unwrap().map(|entry| entry.unwrap().path()) {
        if page.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            let begins = |mark: &str| {
                block.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with(mark))
            };
            let Some((mark, schema)) = marks.iter().find(|(mark, _)| begins(mark)) else { continue };
            let whole = match *mark {
                "suite: " => block.contains("\ncases:"),
                "version: " => block.contains("\nturns:") || block.contains("\ntarget:"),
                _ => true,
            };
            if !whole || block.contains("...") {
                continue;
            }
            let schema = match (*mark, block.contains("\nturns:")) {
                ("version: ", true) => "ananke",
                ("version: ", false) => "ananke-config",
                _ => schema,
            };
            let refusals = Document::of(block, schema).refusals(&validators[schema]);
            assert!(refusals.is_empty(), "{}: {refusals:#?}\n{block}", page.display());
            taken += 1;
        }
    }
    assert!(taken >= 6, "only {taken} examples of whole files were found");
}
