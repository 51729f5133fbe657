//! `agentci record -- CMD` at a terminal: the agent can use the terminal, and Ctrl-C reaches both.

use std::fs;

use crate::recorded_agent::{PYTHON, shop};
use crate::suite::Suite;
use crate::terminal::typed;
use crate::upstream::Upstream;

/// An agent that asks its user, calls the model, and then runs `then`. Its prompts end with `] `, as `terminal.py`
/// requires.
fn waiting(then: &str) -> (Upstream, Suite) {
    let upstream = Upstream::start();
    let asks = PYTHON.replace("\" \".join(sys.argv[1:]) or sys.stdin.read().strip()", "input('what? [x] ')");
    let suite = shop(&upstream).file("agent.py", format!("import signal, sys, time\n{asks}\n{then}\n"));
    (upstream, suite)
}

fn recorded(suite: &Suite) -> bool {
    fs::read_to_string(suite.path("recordings/agent.jsonl")).is_ok_and(|text| text.contains("\"content\":\"hello\""))
}

#[test]
fn agent_can_prompt_and_interrupt_keeps_the_recording() {
    let (_upstream, suite) = waiting("print('waits [x] ', end='', flush=True)\ntime.sleep(600)");
    let (shown, code) = typed(&suite, &["hello", "^C"], &["record", "--", "python3", "agent.py"]);
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("Hi.") && shown.contains("KeyboardInterrupt"), "{shown}");
    assert!(shown.contains("interrupted: the recording contains the calls until then"), "{shown}");
    assert!(recorded(&suite));
}

#[test]
fn agent_that_handles_interrupt_keeps_its_exit_code() {
    let then =
        "try:\n  print('waits [x] ', end='', flush=True)\n  time.sleep(600)\nexcept KeyboardInterrupt: print('bye')";
    let (_upstream, suite) = waiting(then);
    let (shown, code) = typed(&suite, &["hello", "^C"], &["record", "--", "python3", "agent.py"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("bye") && !shown.contains("interrupted: "), "{shown}");
    assert!(recorded(&suite));
}

#[test]
fn second_interrupt_ends_agent_that_ignored_the_first() {
    let then = "def no(*_): time.sleep(0.3); print('no [x] ', end='', flush=True)\n\
                for n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, no)\n\
                print('waits [x] ', end='', flush=True)\nwhile True: time.sleep(0.1)";
    let (_upstream, suite) = waiting(then);
    let (shown, code) = typed(&suite, &["hello", "^C", "^C"], &["record", "--", "python3", "agent.py"]);
    assert_eq!(code, 130, "{shown}");
    assert!(recorded(&suite));
}
