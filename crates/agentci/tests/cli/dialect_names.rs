//! Checks that no code after the front ends depends on the dialect of a suite: everything that follows from the dialect
//! is in the suite's conventions. Files that still name a dialect are listed here, each with its reason.

use std::collections::BTreeSet;

use crate::docs_page::{files_below, text_of};

/// Code that may be about one dialect: its front end, flags, reports and mock runner, and the generator of its
/// reference.
const AT_HOME: [&str; 8] = [
    "crates/formats/src/",
    "crates/agentci/src/cli/dialect/",
    "crates/agentci/src/mock/",
    "crates/dev/src/",
    "crates/report/src/ananke.rs",
    "crates/report/src/aumai/",
    "crates/report/src/scenario.rs",
    "crates/report/src/yao/",
];

/// Files elsewhere that name a dialect, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/drivers/src/chat/assistant/context.rs", "the name that assistants know their tester by"),
    ("crates/fuzz/src/bases.rs", "a suite of each dialect to begin with"),
    ("crates/fuzz/src/dialects.rs", "a fuzz target for each dialect"),
    ("crates/fuzz/src/lib.rs", "the list of fuzz targets"),
    ("crates/plan/src/suite.rs", "the label itself"),
    ("crates/report/src/lib.rs", "the reports that a program may use"),
    ("crates/report/src/registry.rs", "one line for each dialect with reports of its own"),
    ("crates/report/src/summary/mod.rs", "the version that tools of that format look for in every summary"),
    ("crates/report/src/summary/report.rs", "the same"),
];

/// Lower-case names that can only mean a dialect.
const NAMES: [&str; 4] = ["ananke", "aumai", "runledger", "yao"];

/// Phrases that mean a dialect whose name is also an ordinary word.
const PLAIN_WORD: [&str; 3] = ["Dialect::Scenario", "\"scenario\"", "scenario format"];

#[test]
fn only_listed_files_mention_a_dialect() {
    let sources = files_below("crates", "rs").into_iter().filter(|path| path.contains("/src/"));
    let elsewhere = sources.filter(|path| !AT_HOME.iter().any(|home| path.starts_with(home)));
    let named = |path: &String| names_dialect(&text_of(path), path.starts_with("crates/agentci/src/cli/"));
    let found: BTreeSet<String> = elsewhere.filter(named).collect();
    let allowed: BTreeSet<String> = ALLOWED.iter().map(|(path, _)| (*path).to_owned()).collect();
    let new: Vec<_> = found.difference(&allowed).collect();
    assert!(new.is_empty(), "these files name a dialect; use the conventions of the suite instead: {new:#?}");
    let stale: Vec<_> = allowed.difference(&found).collect();
    assert!(stale.is_empty(), "these files no longer name a dialect; remove them from the list: {stale:#?}");
    assert_eq!(ALLOWED.len(), allowed.len(), "a file is listed twice");
}

/// Whether the code of a file names a dialect. Tests at the end of the file are ignored, and so are comments, except
/// doc comments if `with_docs` is set: on flags, `--help` prints them.
fn names_dialect(text: &str, with_docs: bool) -> bool {
    let is_read = |line: &str| !line.starts_with("//") || (with_docs && line.starts_with("///"));
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.lines().map(str::trim).filter(|line| is_read(line));
    code.into_iter().any(|line| {
        let small = line.to_ascii_lowercase();
        NAMES.iter().any(|name| small.contains(name)) || PLAIN_WORD.iter().any(|word| line.contains(word))
    })
}

#[test]
fn name_list_includes_every_dialect() {
    let native = agentci::plan::Dialect::Native;
    for dialect in agentci::formats::dialects().filter(|dialect| *dialect != native) {
        let plain = format!("Dialect::{dialect:?}");
        let known = NAMES.contains(&dialect.name()) || PLAIN_WORD.contains(&plain.as_str());
        assert!(known, "add `{}` to the names above", dialect.name());
    }
}

#[test]
fn distinguishes_dialect_names_from_plain_words() {
    for named in ["match dialect {\n    Dialect::Yao => 1,\n}", "use x::YaoOptions;", "if name == \"scenario\" {}"] {
        assert!(names_dialect(named, false), "{named}");
    }
    for plain in [
        "//! suite demo (runledger)",
        "/// As in yao.\nfn a() {}",
        "let scenario = 1;",
        "x\n#[cfg(test)]\nmod tests {\nyao",
    ] {
        assert!(!names_dialect(plain, false), "{plain}");
    }
    assert!(names_dialect("/// Tests of the aumai format", true));
}
