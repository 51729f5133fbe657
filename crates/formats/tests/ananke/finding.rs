//! Which files are tests, and which config they belong to.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use agentci_formats::{LoadOptions, load_with};
use agentci_plan::Suite;
use agentci_source::{FileError, FileKind, Files, FolderEntry, MemoryFiles, Severity};

use crate::project::{CONFIG, load, messages, test};

const NATIVE: &str = "suite: native\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";

/// Suites, by the files that define them, with their cases.
fn suites(loaded: &agentci_formats::Loaded) -> Vec<String> {
    let cases = |suite: &Suite| suite.cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>().join(" ");
    loaded.plan.suites.iter().map(|suite| format!("{}: {}", suite.path.display(), cases(suite))).collect()
}

#[test]
fn tests_belong_to_the_nearest_parent_config() {
    let files = MemoryFiles::default()
        .with("p/ananke.config.yaml", CONFIG)
        .with("p/z.test.yaml", test("z", ""))
        .with("p/t/any-name.yml", test("t", ""))
        .with("p/t/other.yaml", "services: {}\n")
        .with("p/t/chart.yaml", "a: {{ template }}\n")
        .with("p/inner/ananke.config.yml", CONFIG)
        .with("p/inner/deep/i.test.yaml", test("i", ""))
        .with("p/native/agentci.yaml", NATIVE)
        .with("p/native/not-mine.test.yaml", test("n", ""))
        .with("p/node_modules/x.test.yaml", test("x", ""));
    let loaded = load(&files, &["p"]);
    assert_eq!(
        suites(&loaded),
        ["p/native/agentci.yaml: x", "p/ananke.config.yaml: t z", "p/inner/ananke.config.yml: i",]
    );
    assert_eq!(messages(&loaded), ["2 YAML files belong to no suite: `p/t/chart.yaml`, `p/t/other.yaml`"]);
    // A subfolder and a single file have the same config.
    assert_eq!(suites(&load(&files, &["p/t"])), ["p/ananke.config.yaml: t"]);
    assert_eq!(
        suites(&load(&files, &["p/z.test.yaml", "p/inner/deep/i.test.yaml", "./p/t/any-name.yml", "p/z.test.yaml"])),
        ["p/ananke.config.yaml: t z", "p/inner/ananke.config.yml: i"]
    );
    // A named config has the tests below it that belong to no other config.
    assert_eq!(suites(&load(&files, &["p/ananke.config.yaml"])), ["p/ananke.config.yaml: t z"]);
}

#[test]
fn config_can_share_a_folder_with_a_native_suite() {
    let files = MemoryFiles::default()
        .with("p/agentci.yaml", NATIVE)
        .with("p/ananke.config.yaml", CONFIG)
        .with("p/t/a.yaml", test("a", ""))
        .with("p/t/b.yaml", "k: 1\n");
    let loaded = load(&files, &["p"]);
    assert_eq!(suites(&loaded), ["p/agentci.yaml: x", "p/ananke.config.yaml: a"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
}

#[test]
fn config_option_overrides_discovered_configs() {
    let files = MemoryFiles::default()
        .with("p/ananke.config.yaml", CONFIG)
        .with("p/a.test.yaml", test("a", ""))
        .with("q/b.yaml", test("b", ""))
        .with("other/staging.yaml", CONFIG);
    let mut options = LoadOptions::default();
    options.config = Some("./other/staging.yaml".into());
    let loaded = load_with(&files, &["p".into(), "q".into()], &options);
    assert_eq!(suites(&loaded), ["other/staging.yaml: a b"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    let recording = loaded.plan.suites[0].cases[0].world.recording.as_ref().unwrap();
    assert_eq!(recording.path, Path::new("other/recordings/p-a.test.jsonl"));
    options.config = Some("none.yaml".into());
    let loaded = load_with(&files, &["p".into()], &options);
    assert_eq!(
        (suites(&loaded), messages(&loaded)),
        (Vec::<String>::new(), vec!["cannot read `none.yaml`: no such file"])
    );
    // A named config may have any file name; it has the tests of its folder.
    let files = files.with("p/staging.yaml", CONFIG);
    assert_eq!(suites(&load(&files, &["p/staging.yaml"])), ["p/staging.yaml: a"]);
}

#[test]
fn reports_tests_without_config_and_configs_without_tests() {
    let lonely = MemoryFiles::default().with("p/a.test.yaml", test("a", "")).with("p/b.test.yml", test("b", ""));
    for paths in [&["p"][..], &["p/a.test.yaml", "p/b.test.yml"]] {
        let loaded = load(&lonely, paths);
        assert_eq!(messages(&loaded), ["no `ananke.config.yaml` was found for `p/a.test.yaml` and another test"]);
        assert!(loaded.plan.suites.is_empty());
    }
    let unnamed = MemoryFiles::default().with("p/a.yaml", test("a", ""));
    assert_eq!(messages(&load(&unnamed, &["p"])), ["no `ananke.config.yaml` was found for `p/a.yaml`"]);
    // A test without a config is an error next to another suite, too.
    let beside = lonely.with("p/n/agentci.yaml", NATIVE);
    let loaded = load(&beside, &["p"]);
    assert_eq!((loaded.plan.suites.len(), loaded.diagnostics.count(Severity::Error)), (1, 1));

    let empty = MemoryFiles::default().with("p/ananke.config.yaml", CONFIG).with("p/x.yaml", "a: 1\n");
    let message = "no tests belong to `p/ananke.config.yaml`";
    assert_eq!(messages(&load(&empty, &["p"])), [message]);
    assert_eq!(messages(&load(&empty, &["p/ananke.config.yaml"])), [message]);
    let beside = load(&empty.with("p/n/agentci.yaml", NATIVE), &["p"]);
    assert_eq!(beside.diagnostics.count(Severity::Warning), 2);
    assert!(!beside.diagnostics.has_errors());
}

#[test]
fn unparsable_test_is_not_skipped() {
    let files = MemoryFiles::default()
        .with("p/ananke.config.yaml", CONFIG)
        .with("p/good.yaml", test("good", ""))
        .with("p/marked.yaml", "name: x\nturns:\n- user: [\n")
        .with("p/named.test.yaml", "name: [\n")
        .with("p/neither.yaml", "a: [\n");
    let loaded = load(&files, &["p"]);
    assert_eq!(suites(&loaded), ["p/ananke.config.yaml: good marked named"]);
    assert_eq!(loaded.diagnostics.count(Severity::Error), 2);
    assert!(
        messages(&loaded).contains(&"1 YAML file belongs to no suite: `p/neither.yaml`"),
        "{:?}",
        messages(&loaded)
    );
    let named = load(&files, &["p/marked.yaml"]);
    assert_eq!(suites(&named), ["p/ananke.config.yaml: marked"]);
}

#[test]
fn test_with_invalid_or_missing_turns_is_not_skipped() {
    for wrong in [
        "version: '1.0'\nname: a\nturn: [{ user: hi }]\n",
        "version: '1.0'\nturns: 3\n",
        "version: 1\nname: a\n",
        "",
        "# later\n",
    ] {
        let files = MemoryFiles::default().with("p/ananke.config.yaml", CONFIG).with("p/a.test.yaml", wrong);
        for path in ["p", "p/a.test.yaml", "p/ananke.config.yaml"] {
            let loaded = load(&files, &[path]);
            assert_eq!(suites(&loaded), ["p/ananke.config.yaml: a"], "{wrong}");
            assert!(loaded.diagnostics.has_errors(), "{wrong}");
        }
    }
    let other =
        MemoryFiles::default().with("p/ananke.config.yaml", CONFIG).with("p/game.yaml", "version: 1\nturns: 3\n");
    assert_eq!(messages(&load(&other, &["p"])), ["no tests belong to `p/ananke.config.yaml`"]);
}

#[test]
fn invalid_config_rejects_only_its_own_suite() {
    let files = MemoryFiles::default()
        .with("p/a/ananke.config.yaml", "version: '1.0'\ntarget: { type: agui, endpoint: 'http://a' }\n")
        .with("p/a/a.test.yaml", test("a", ""))
        .with("p/b/ananke.config.yaml", CONFIG)
        .with("p/b/b.test.yaml", test("b", ""));
    let loaded = load(&files, &["p"]);
    assert_eq!(suites(&loaded), ["p/b/ananke.config.yaml: b"]);
    assert_eq!(messages(&loaded), ["the target needs `agentId`"]);
}

/// Files that record which paths were read.
struct Watched {
    files: MemoryFiles,
    read: RefCell<Vec<PathBuf>>,
}

impl Files for Watched {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        self.read.borrow_mut().push(path.to_path_buf());
        self.files.read(path, limit)
    }

    fn list(&self, folder: &Path) -> Result<Vec<FolderEntry>, FileError> {
        self.files.list(folder)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.files.kind(path)
    }

    /// The working folder has a parent, too.
    fn parent(&self, folder: &Path) -> Option<PathBuf> {
        if folder == Path::new(".") { Some("..".into()) } else { self.files.parent(folder) }
    }
}

fn watched(files: MemoryFiles) -> Watched {
    Watched { files, read: RefCell::new(Vec::new()) }
}

#[test]
fn does_not_open_unrelated_files() {
    let files = MemoryFiles::default()
        .with("p/n/agentci.yaml", NATIVE)
        .with("p/a.yaml", test("a", ""))
        .with("p/b.test.yaml", "k: 1\n");
    let files = watched(files);
    let loaded = agentci_formats::load(&files, &["p".into()]);
    let mut read = files.read.take();
    // The suite is also read for its `exclude`.
    read.dedup();
    assert_eq!(read, [PathBuf::from("p/n/agentci.yaml"), "p/b.test.yaml".into()]);
    assert_eq!(messages(&loaded), ["2 YAML files belong to no suite: `p/a.yaml`, `p/b.test.yaml`"]);
}

#[test]
fn finds_config_above_the_working_directory() {
    let files = MemoryFiles::default().with("../ananke.config.yaml", CONFIG).with("t/a.yaml", test("a", ""));
    let files = watched(files.with("/elsewhere/b.test.yaml", test("b", "")));
    let loaded = agentci_formats::load(&files, &["t".into(), "/elsewhere".into()]);
    assert_eq!(suites(&loaded), ["../ananke.config.yaml: b a"]);
    assert_eq!(loaded.plan.suites[0].folder, Path::new(".."));
    assert_eq!(messages(&loaded), Vec::<&str>::new());
}

#[test]
fn config_search_has_a_depth_limit() {
    let found = |levels: usize| {
        let path = format!("p/{}/a.test.yaml", vec!["a"; levels].join("/"));
        let files = MemoryFiles::default().with("p/ananke.config.yaml", CONFIG).with(&path, test("a", ""));
        suites(&load(&files, &[&path]))
    };
    assert_eq!(found(127), ["p/ananke.config.yaml: a"]);
    assert_eq!(found(128), [""; 0]);
}

#[test]
fn file_with_a_test_name_is_never_silently_skipped() {
    // Below a config it is a test, whatever its content.
    let files = MemoryFiles::default().with("p/ananke.config.yaml", CONFIG).with("p/a.test.yaml", test("a", ""));
    for (wrong, message) in [
        ("just words\n", "the test must be a mapping, found the string `just words`"),
        ("foo: 1\n", "the test needs `version`"),
        ("foo: [\n", "`[` is never closed"),
    ] {
        let loaded = load(&files.clone().with("p/b.test.yaml", wrong), &["p"]);
        assert_eq!(messages(&loaded)[0], message);
        assert!(loaded.diagnostics.has_errors());
        assert_eq!(loaded.plan.suites[0].cases.len(), 2);
    }
    // Without a config its dialect is unknown, but it is invalid in any case.
    let alone = MemoryFiles::default().with("p/b.test.yaml", "foo: [\n");
    assert_eq!(messages(&load(&alone, &["p"])), ["`[` is never closed"]);
    let native = "suite: n\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";
    let beside = load(&alone.with("p/n/agentci.yaml", native), &["p"]);
    assert_eq!((messages(&beside), beside.plan.suites.len()), (vec!["`[` is never closed"], 1));
}

#[test]
fn reports_misspelled_turns_key_in_the_only_test() {
    let files = MemoryFiles::default()
        .with("p/ananke.config.yaml", CONFIG)
        .with("p/a.yaml", test("a", "").replace("turns:", "turn:"))
        .with("p/n/agentci.yaml", NATIVE);
    let loaded = load(&files, &["p"]);
    assert!(loaded.diagnostics.has_errors());
    assert_eq!(messages(&loaded), ["unknown key `turn` in the test"]);
    // A list of turns elsewhere is not a test.
    let elsewhere = MemoryFiles::default().with("p/a.yaml", "turn: [left]\n").with("p/n/agentci.yaml", NATIVE);
    assert!(!load(&elsewhere, &["p"]).diagnostics.has_errors());
}
