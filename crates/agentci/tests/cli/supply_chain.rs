//! Supply chain: our code contains no `unsafe`, all builds use the locked versions, and the number of external crates
//! does not grow unnoticed. `cargo deny` checks licences, sources and duplicates.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder that are not build output, as paths relative to the root.
fn below(folder: &str, into: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let ours = !matches!(name.as_str(), ".git" | ".agentci" | "target" | "node_modules" | "results" | "corpus");
        if entry.file_type().unwrap().is_dir() && ours {
            below(&path, into);
        } else if entry.file_type().unwrap().is_file() {
            into.push(path);
        }
    }
}

#[test]
fn workspace_crates_forbid_unsafe_code() {
    assert!(read("Cargo.toml").contains("[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"));
    let mut files = Vec::new();
    below("", &mut files);
    let mut crates = 0;
    // The fuzzer is not part of the workspace: the code of its macro calls libFuzzer.
    for manifest in files.iter().filter(|path| path.ends_with("/Cargo.toml") && *path != "fuzz/Cargo.toml") {
        let text = read(manifest);
        assert!(text.contains("\n[lints]\nworkspace = true\n"), "{manifest} does not take the lints of the workspace");
        crates += 1;
    }
    let members = fs::read_dir(root().join("crates")).unwrap().count() + 1;
    assert_eq!(crates, members, "every member and nothing else");
}

#[test]
fn documented_dependency_count_matches_lockfile() {
    let lock = read("Cargo.lock");
    let locked = lock.matches("\nsource = \"registry+").count();
    let design = read("docs/design/dependencies.md");
    let pattern = Regex::new(r"names \*\*(\d+)\*\* crates of others").unwrap();
    let written: usize = pattern.captures(&design).expect("the number stands in the text")[1].parse().unwrap();
    assert_eq!(written, locked, "if each new one is worth it, write the number to docs/design/dependencies.md");
    assert!(!lock.contains("source = \"git+"), "everything comes from the registry");
}

#[test]
fn every_cargo_command_passes_the_locked_flag() {
    let mut files = Vec::new();
    below("", &mut files);
    let script = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(name, "run" | "install" | "build" | "test" | "Dockerfile" | "action.yml")
            || Path::new(name).extension().is_some_and(|extension| extension == "md")
    };
    let command = Regex::new(
        r#"^\s*(?:- run: |RUN |\w+=\S+ |export \w+=\S+ )*"?cargo"?,? "?(build|run|test|clippy|doc|install|nextest|bench)\b"#,
    );
    let command = command.unwrap();
    let mut seen = 0;
    for path in files.iter().filter(|path| script(path)) {
        // Continued lines are joined; commands that only print a tool's version build nothing.
        let text = read(path).replace("\\\n", " ");
        for line in text.lines().filter(|line| command.is_match(line) && !line.contains("--version >")) {
            assert!(line.contains("--locked"), "{path}: {line}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} commands were looked at");
}
