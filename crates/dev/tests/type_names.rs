//! Type names are unique in the workspace, so that a name in a message, a review or a search refers to one type.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Names that several types share on purpose, each with the reason.
const SHARED: &[(&str, &str)] =
    &[("Message", "`agentci::mock` has the names of the Python library whose suites it runs")];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Every type that the crates define outside of tests, with its files.
fn types() -> BTreeMap<String, Vec<PathBuf>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in std::fs::read_dir(&crates).expect("a folder of the project") {
        let source = name.expect("an entry of it").path().join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    let defined =
        Regex::new(r"(?m)^(?:\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait)|(?:pub(?:\([^)]*\))? )?type) (\w+)")
            .expect("a pattern");
    let mut types: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file of the project");
        let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for name in defined.captures_iter(shipped) {
            types
                .entry(name[1].to_owned())
                .or_default()
                .push(file.strip_prefix(&crates).expect("a file below it").to_owned());
        }
    }
    types
}

#[test]
fn type_names_are_unique() {
    let types = types();
    assert!(types.len() > 500, "only {} types were found", types.len());
    let shared = |name: &str| SHARED.iter().any(|(known, _)| *known == name);
    let twice: Vec<_> = types.iter().filter(|(name, files)| files.len() > 1 && !shared(name)).collect();
    assert!(twice.is_empty(), "give each its own name, or say in SHARED why they share it: {twice:#?}");
    let stale: Vec<_> =
        SHARED.iter().filter(|(name, _)| types.get(*name).is_none_or(|files| files.len() < 2)).collect();
    assert!(stale.is_empty(), "these names are not shared any more: {stale:?}");
}
