//! Runs commands at a terminal, simulated by `terminal.py`.

use std::process::Command;

use serde_json::Value;

use crate::suite::Suite;
use crate::surroundings::on_a_desk;

/// Types answers at a terminal; returns the output and the exit code, which is negative for a signal.
pub(crate) fn typed(suite: &Suite, answers: &[&str], arguments: &[&str]) -> (String, i64) {
    at_terminal(suite, 0, answers, arguments)
}

/// The same at a terminal with this many columns; 0 if it does not tell.
pub(crate) fn at_terminal(suite: &Suite, columns: u16, answers: &[&str], arguments: &[&str]) -> (String, i64) {
    let like = suite.command(&[]);
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/terminal.py")).args(answers).arg("--");
    command.arg(like.get_program()).args(arguments).current_dir(suite.root());
    on_a_desk(&mut command);
    command.env("NO_COLOR", "1").env("TERMINAL_COLUMNS", columns.to_string());
    let output = command.output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(told["unsaid"], serde_json::json!([]), "{told}");
    (told["shown"].as_str().unwrap().replace("\r\n", "\n"), told["code"].as_i64().unwrap())
}
