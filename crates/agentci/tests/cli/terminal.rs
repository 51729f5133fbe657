//! Runs commands at a terminal, simulated by `terminal.py`.

use std::process::Command;

use serde_json::Value;

use crate::suite::Suite;
use crate::surroundings::on_a_desk;

/// Types answers at a terminal; returns the output and the exit code, which is negative for a signal.
pub(crate) fn typed(suite: &Suite, answers: &[&str], arguments: &[&str]) -> (String, i64) {
    let like = suite.command(&[]);
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/terminal.py")).args(answers).arg("--");
    command.arg(like.get_program()).args(arguments).current_dir(suite.root());
    on_a_desk(&mut command);
    command.env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(told["unsaid"], serde_json::json!([]), "{told}");
    (told["shown"].as_str().unwrap().replace("\r\n", "\n"), told["code"].as_i64().unwrap())
}
