//! What was kept of fuzzing is played at every test, on any compiler.

use std::path::Path;

use agentci_fuzz::TARGETS;

#[test]
fn what_was_kept_is_read_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for target in TARGETS {
        let folder = corpus.join(target.name);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{} is empty", folder.display());
        for path in paths {
            let bytes = std::fs::read(&path).unwrap();
            let done = std::panic::catch_unwind(|| (target.check)(&bytes));
            assert!(done.is_ok(), "{} broke on {}", target.name, path.display());
        }
    }
}

#[test]
fn no_folder_is_left_of_a_target_that_is_gone() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for entry in std::fs::read_dir(corpus).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(agentci_fuzz::target(&name).is_some(), "{name}");
    }
}
