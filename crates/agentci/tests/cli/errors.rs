//! The gallery of invalid inputs: `fixtures/errors/<name>/` is a suite with one mistake, and `<name>.stderr` is the
//! exact output of `agentci check`. If a folder contains `named.yaml`, that file is checked instead.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::surroundings::on_a_desk;

const ACCEPT: &str = "AGENTCI_ACCEPT=1 cargo test -p agentci --test cli errors";

fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/errors")
}

fn names(of_folders: bool) -> BTreeSet<String> {
    let paths = fs::read_dir(gallery()).unwrap().map(|entry| entry.unwrap().path());
    let wanted =
        |path: &PathBuf| path.is_dir() == of_folders && !path.file_name().unwrap().to_str().unwrap().starts_with('.');
    paths.filter(wanted).map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn checked(name: &str) -> (Option<i32>, String) {
    let file = format!("{name}/named.yaml");
    let path = if gallery().join(&file).is_file() { &file } else { name };
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentci"));
    on_a_desk(&mut command);
    let output = command.args(["check", path]).current_dir(gallery()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_invalid_input_has_its_expected_message() {
    let accept = std::env::var_os("AGENTCI_ACCEPT").is_some();
    let mut wrong = Vec::new();
    for name in names(true) {
        let (code, stderr) = checked(&name);
        if code != Some(1) {
            wrong.push(format!("{name}: exit code {code:?} instead of 1\n{stderr}"));
        }
        let expected = gallery().join(format!("{name}.stderr"));
        if accept {
            fs::write(&expected, &stderr).unwrap();
        }
        let told = fs::read_to_string(&expected).unwrap_or_default();
        if told != stderr {
            wrong.push(format!("{name}: expected\n{told}\nbut found\n{stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}\nread what was found; if it is right, accept it with `{ACCEPT}`", wrong.join("\n"));
}

#[test]
fn every_expected_message_belongs_to_an_input() {
    assert_eq!(names(false), names(true), "left: messages, right: folders; accept new ones with `{ACCEPT}`");
}

#[test]
fn every_message_has_a_location_or_help() {
    for name in names(true) {
        let (_, stderr) = checked(&name);
        assert!(stderr.starts_with("error: ") || stderr.starts_with("warning: "), "{name}: {stderr}");
        assert!(stderr.contains("--> ") || stderr.contains("help: "), "{name}: {stderr}");
    }
}
