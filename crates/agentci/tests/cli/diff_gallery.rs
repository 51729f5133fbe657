//! The gallery of comparisons: each folder of `fixtures/diffs` has two runs, or a baseline and a run, and exactly what
//! `agentci diff` makes of them in every format.

use std::fs;
use std::path::{Path, PathBuf};

use crate::docs_page::project;
use crate::suite::Suite;

const ACCEPT: &str = "AGENTCI_ACCEPT=1 cargo test -p agentci --test cli diff_gallery";

/// The style, the script and their hashes are in the page, but not in the golden file: what they do is tested in a
/// browser.
fn without_assets(page: &str) -> String {
    let parts = [r"(?s)<style>.*?</style>", r"(?s)<script>.*?</script>", r"(?m)^<meta http-equiv=.*$"];
    parts
        .iter()
        .fold(page.to_owned(), |page, part| regex::Regex::new(part).unwrap().replace_all(&page, "").into_owned())
}

/// What is printed on a terminal of this width.
fn printed(folder: &Path, old: &str, width: &str) -> String {
    let mut command = Suite::empty().command(&["diff", old, "new"]);
    let output = command.current_dir(folder).env("COLUMNS", width).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}: {output:?}", folder.display());
    String::from_utf8(output.stdout).unwrap()
}

/// The content of a file that `-o` writes.
fn written(folder: &Path, old: &str, extension: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join(format!("diff.{extension}"));
    let mut command = Suite::empty().command(&["diff", old, "new", "-o", path.to_str().unwrap()]);
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}: {output:?}", folder.display());
    fs::read_to_string(path).unwrap()
}

fn pairs() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(project().join("fixtures/diffs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

#[test]
fn every_pair_has_exactly_this_output() {
    let pairs = pairs();
    assert!(pairs.len() >= 10, "{pairs:?}");
    let mut changed = Vec::new();
    for folder in pairs {
        let old = if folder.join("old").is_dir() { "old" } else { "old.json" };
        let outputs = [
            ("diff.txt", printed(&folder, old, "80")),
            ("wide.txt", printed(&folder, old, "140")),
            ("diff.md", written(&folder, old, "md")),
            ("diff.json", written(&folder, old, "json")),
            ("diff.html", without_assets(&written(&folder, old, "html"))),
        ];
        for (name, text) in outputs {
            let path = folder.join(name);
            if std::env::var_os("AGENTCI_ACCEPT").is_some() {
                fs::write(&path, &text).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            if expected != text {
                changed.push(format!("--- {}\n{expected}\n+++ now\n{text}", path.display()));
            }
        }
    }
    assert!(changed.is_empty(), "if this is meant, accept it with `{ACCEPT}`\n{}", changed.join("\n"));
}

#[test]
fn hostile_text_stays_text() {
    let folder = project().join("fixtures/diffs/hostile-text");
    for text in [printed(&folder, "old", "80"), printed(&folder, "old", "140"), written(&folder, "old", "md")] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    let page = without_assets(&written(&folder, "old", "html"));
    assert!(!page.contains("<script>alert") && !page.contains("<img") && page.contains("&lt;script&gt;"), "{page}");
    let markdown = written(&folder, "old", "md");
    let outside: String = markdown.split("`````").step_by(2).collect();
    assert!(!outside.contains("<script>") && !outside.contains("\n# "), "{outside}");
    assert_eq!(outside.matches("</details>").count(), 1, "{outside}");
}
