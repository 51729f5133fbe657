//! Checks that project files named in backticks on a page exist.

use std::sync::LazyLock;

use regex::Regex;

use crate::docs_page::{files_below, project, text_of};

/// A path relative to the project folder; paths with placeholders such as `<check>` do not match.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`((?:crates|docs|fixtures|examples|fuzz|interop|benches|stress|action)/[\w./-]*)`").unwrap()
});

/// Folders whose pages are checked.
const FOLDERS: [&str; 5] = ["docs", "fixtures", "fuzz", "stress", "benches"];

#[test]
fn files_named_in_docs_exist() {
    let pages = FOLDERS.into_iter().flat_map(|folder| files_below(folder, "md"));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in pages.chain(["README.md", "CONTRIBUTING.md", "interop/README.md"].map(str::to_owned)) {
        for (at, line) in text_of(&path).lines().enumerate() {
            for name in NAMED.captures_iter(line).map(|found| found[1].to_owned()) {
                seen += 1;
                if !project().join(&name).exists() {
                    wrong.push(format!("{path}:{}: there is no `{name}`", at + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 50, "only {seen} names of files were found");
}
