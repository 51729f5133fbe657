//! Replays the recorded conversations of the A2A example.

use std::fs;
use std::path::Path;

use crate::suite::Suite;

fn travel() -> Suite {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/a2a");
    let files = [
        "ananke.config.yaml",
        "tests/booking.test.yaml",
        "tests/parts.test.yaml",
        "recordings/tests/booking.test.jsonl",
        "recordings/tests/parts.test.jsonl",
    ];
    files.into_iter().fold(Suite::empty(), |suite, path| {
        suite.file(&format!("travel/{path}"), fs::read_to_string(example.join(path)).unwrap())
    })
}

#[test]
fn example_and_its_conversion_pass_in_replay() {
    let ran = travel().agentci(&["run", "travel", "--mode", "replay"]);
    assert_eq!((ran.code, ran.verdicts().len()), (Some(0), 2), "{ran:?}");
    let suite = travel();
    let native = suite.agentci(&["convert", "travel"]);
    let suite = suite.file("travel/agentci.yaml", native.stdout.as_bytes());
    let converted = suite.agentci(&["run", "travel/agentci.yaml", "--mode", "replay"]);
    assert_eq!((converted.code, converted.verdicts()), (Some(0), ran.verdicts()), "{converted:?}");
}

#[test]
fn unexpected_task_state_is_reported_with_its_location() {
    let booking = fs::read_to_string(travel().path("travel/tests/booking.test.yaml")).unwrap();
    let changed = booking.replace("task: { state: input-required }", "task: { state: completed }");
    let ran = travel().file("travel/tests/booking.test.yaml", changed).agentci(&["run", "travel", "--mode", "replay"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for words in ["the task is `input-required`, expected completed", "booking.test.yaml:14:22", "turn 2"] {
        assert!(ran.stdout.contains(words), "no {words} in {ran:?}");
    }
}
