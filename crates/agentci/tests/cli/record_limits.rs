//! Recordings that end before the agent does: Ctrl-C, limits on time and cost.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::processes::{signal, wait_for};
use crate::recorded_agent::{PYTHON, ran, shop};
use crate::suite::Suite;
use crate::upstream::Upstream;

#[test]
fn interrupt_ends_the_agent_and_keeps_the_recording() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let upstream = Upstream::start();
        let waits = format!(
            "{PYTHON}\nopen('done', 'w').close()\nimport signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\ntime.sleep(600)\n"
        );
        let suite = shop(&upstream).file("waits.py", waits);
        let mut command = suite.command(&["record", "--", "python3", "waits.py"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("done").exists().then_some(())).unwrap();
        let started = Instant::now();
        assert!(signal(child.id(), name));
        let output = child.wait_with_output().unwrap();
        let recorded = suite.ran(&output, started.elapsed());
        assert_eq!(recorded.code, Some(code), "{name} {recorded:?}");
        recorded.complains(&["interrupted: the recording contains the calls until then", "3 calls"]);
        assert!(suite.path("recordings/waits.jsonl").exists());
    }
}

#[test]
fn time_and_cost_limits_end_the_recording() {
    let upstream = Upstream::start();
    let suite = shop(&upstream).file("slow.py", format!("{PYTHON}\nimport time; time.sleep(600)\n"));
    let slow = ran(&suite, &mut suite.command(&["record", "--max-wall", "3s", "--", "python3", "slow.py"]));
    assert_eq!(slow.code, Some(1), "{slow:?}");
    slow.complains(&["it took longer than `--max-wall`", "wrote recordings/slow.jsonl"]);
    let suite = shop(&upstream);
    let before = upstream.asked();
    // One call costs between $0.001 and $0.01.
    let dear = ran(&suite, &mut suite.command(&["record", "--max-cost", "0.001", "--", "python3", "agent.py"]));
    assert_eq!(dear.code, Some(1), "{dear:?}");
    dear.complains(&["more than `--max-cost` 0.001"]);
    assert_eq!(upstream.asked() - before, 1, "{dear:?}");
    let own = shop(&upstream).file("prices.json", r#"{"gpt-4o": {"input": 0, "output": 0}}"#);
    let arguments = ["record", "--max-cost", "0.001", "--prices", "prices.json", "--", "python3", "agent.py"];
    let free = ran(&own, &mut own.command(&arguments));
    assert_eq!(free.code, Some(0), "{free:?}");
}

#[test]
fn agent_that_ignores_termination_is_killed_and_recording_kept() {
    let upstream = Upstream::start();
    let stubborn = format!(
        "{PYTHON}\nimport signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('done', 'w').close()\ntime.sleep(600)\n"
    );
    let suite = shop(&upstream).file("stubborn.py", stubborn);
    let mut command = suite.command(&["record", "--", "python3", "stubborn.py"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| suite.path("done").exists().then_some(())).unwrap();
    assert!(signal(child.id(), "TERM"));
    let output = child.wait_with_output().unwrap();
    let recorded = suite.ran(&output, Duration::ZERO);
    assert_eq!(recorded.code, Some(137), "{recorded:?}");
    assert!(suite.path("recordings/stubborn.jsonl").exists());
}

#[test]
fn second_interrupt_ends_the_agent_and_keeps_the_recording() {
    for twice in [true, false] {
        let upstream = Upstream::start();
        let ignores = format!(
            "import signal\nfor n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, signal.SIG_IGN)\n{PYTHON}\nopen('done', 'w').close()\nimport time\ntime.sleep(600)\n"
        );
        let suite = shop(&upstream).file("ignores.py", ignores);
        let mut command = suite.command(&["record", "--", "python3", "ignores.py"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("done").exists().then_some(())).unwrap();
        let started = Instant::now();
        assert!(signal(child.id(), "INT"));
        if twice {
            std::thread::sleep(Duration::from_millis(300));
            assert!(signal(child.id(), "INT"));
        }
        let recorded = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
        assert_eq!(recorded.code, Some(130), "{recorded:?}");
        recorded.complains(&["interrupted: the recording contains the calls until then", "3 calls"]);
        assert!(suite.path("recordings/ignores.jsonl").exists());
    }
}

#[test]
fn interrupt_before_any_request_is_not_an_error() {
    for (name, code) in [("INT", 130), ("QUIT", 143)] {
        let suite = Suite::empty();
        let script = "touch up; exec sleep 600";
        let mut command = suite.command(&["record", "--", "sh", "-c", script]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| suite.path("up").exists().then_some(())).unwrap();
        assert!(signal(child.id(), name));
        let recorded = suite.ran(&child.wait_with_output().unwrap(), Duration::ZERO);
        assert_eq!(recorded.code, Some(code), "{recorded:?}");
        recorded.complains(&["interrupted: nothing was recorded"]);
        assert!(!recorded.stderr.contains("error: ") && !suite.path("recordings").exists(), "{recorded:?}");
    }
}
