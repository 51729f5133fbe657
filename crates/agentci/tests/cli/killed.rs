//! Kills a run at random times: everything it printed is in the record, all files can be read, and no process is left.
//!
//! `AGENTCI_KILLS` sets the number of kills; `stress/run` uses a large one.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::http_agent::answer_json;
use crate::processes::{TELL, is_gone, signal, told, wait_for};
use crate::ran::run_folders;
use crate::suite::Suite;

const CASES: u64 = 200;

/// This variable identifies all processes of a run, including the guard.
const SEEN: &str = "AGENTCI_TEST_KILLED";

/// Agents that answer at once; every fifth leaves a daemon behind that ignores signals.
const AGENT: &str = "read -r task\n\
    case $task in *0\\\"*|*5\\\"*) (setsid sh -c 'trap \"\" TERM HUP INT; sleep 600; sleep 600' > /dev/null 2>&1 &) ;; esac\n\
    printf '{\"type\":\"log\",\"level\":\"info\",\"message\":\"at it\"}\\n'\n\
    printf '{\"type\":\"final_output\",\"output\":{\"ok\":true}}\\n'\n";

fn suite() -> Suite {
    let cases: Vec<String> = (0..CASES).map(|number| format!("  - {{ id: c{number}, input: {{}} }}\n")).collect();
    let cases = cases.concat();
    let head = "suite: suite\ntarget: { process: { command: [sh, kill.sh] } }\n";
    Suite::empty().file("suite/agentci.yaml", format!("{head}cases:\n{cases}")).file("suite/kill.sh", AGENT)
}

/// The next pseudo-random number.
pub(crate) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

#[cfg(target_os = "linux")]
#[test]
fn killed_run_keeps_printed_events_and_leaves_no_processes() {
    let kills: u64 = std::env::var("AGENTCI_KILLS").map_or(5, |count| count.parse().unwrap());
    let mut state = 11;
    for kill in 0..kills {
        let suite = suite();
        let (lines, moment) = (draw(&mut state) % (CASES + 5), Duration::from_micros(draw(&mut state) % 20_000));
        let told = run_and_kill(&suite, lines, moment);
        let context = format!("kill {kill}, after {lines} lines and {moment:?}");
        assert!(no_process_is_left(suite.root()), "{context}: processes are left");
        let folders = run_folders(&suite.path(".agentci/runs"));
        match folders.as_slice() {
            [] => assert!(told.is_empty(), "{context}"),
            [folder] => look_into(&suite, folder, &told, &context),
            more => panic!("{context}: {more:?}"),
        }
    }
}

/// Starts a run, waits for this many lines and then this long, kills it, and returns the cases that it had reported.
fn run_and_kill(suite: &Suite, lines: u64, moment: Duration) -> Vec<String> {
    let mut command = suite.command(&["run", "suite", "--parallel", "4"]);
    let mut child = command.env(SEEN, suite.root()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..lines {
        if output.read_line(&mut text).unwrap() == 0 {
            break;
        }
    }
    std::thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
    output.read_to_string(&mut text).unwrap();
    text.lines().filter_map(|line| Some(line.strip_prefix("PASS ")?.split_once(' ')?.0.to_owned())).collect()
}

/// Whether all processes of the run in this folder have ended, or do so within a while.
fn no_process_is_left(root: &Path) -> bool {
    let variable = format!("{SEEN}={}", root.display());
    let seen = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
        environments.filter(|all| all.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())).count()
    };
    wait_for(|| (seen() == 0).then_some(())).is_some()
}

fn look_into(suite: &Suite, folder: &Path, told: &[String], context: &str) {
    let text = fs::read_to_string(folder.join("run.jsonl")).unwrap_or_default();
    let (whole, _torn) = text.rsplit_once('\n').unwrap_or_default();
    let events: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ended = |id: &String| events.iter().any(|event| event["type"] == "case_end" && event["case_id"] == **id);
    let lost: Vec<_> = told.iter().filter(|id| !ended(id)).collect();
    assert!(lost.is_empty(), "{context}: {lost:?} were told of and are not in run.jsonl");
    if let Ok(summary) = fs::read_to_string(folder.join("summary.json")) {
        serde_json::from_str::<Value>(&summary).unwrap();
    }
    for (name, end) in [("junit.xml", "</testsuites>"), ("report.html", "</script>")] {
        let whole = fs::read_to_string(folder.join(name)).map(|text| text.trim_end().ends_with(end));
        assert!(whole.unwrap_or(true), "{context}: {name} is cut off");
    }
    if events.is_empty() {
        return;
    }
    let again = suite.agentci(&["report", folder.to_str().unwrap(), "--report", "json=again.json"]);
    let made = fs::read_to_string(suite.path("again.json")).unwrap_or_else(|_| panic!("{context}: {again:?}"));
    let made: Value = serde_json::from_str(&made).unwrap();
    let rows = made["cases"].as_array().unwrap();
    assert!(told.iter().all(|id| rows.iter().any(|row| row["id"] == **id)), "{context}: {again:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn daemon_ends_when_its_run_is_killed() {
    let script = format!("{TELL}(setsid sh -c 'echo $$ > child.pid; exec sleep 600' > /dev/null 2>&1 &)\nsleep 600");
    let suite = Suite::new().case("parent", "", &script);
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    let daemon = told(&suite.path("child.pid"));
    assert!(signal(child.id(), "KILL"));
    child.wait().unwrap();
    assert!(wait_for(|| is_gone(daemon).then_some(())).is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn hook_ends_when_its_run_is_killed() {
    let hook = "echo $$ > hook.pid.new; mv hook.pid.new hook.pid; exec sleep 600";
    let cases = format!("cases:\n  - id: hooked\n    input: {{}}\n    hooks: [{{ command: [sh, -c, \"{hook}\"] }}]\n");
    let suite = Suite::native(&cases).agent("hooked", "finish '{}'");
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    let hook = told(&suite.path("hook.pid"));
    assert!(signal(child.id(), "KILL"));
    child.wait().unwrap();
    assert!(wait_for(|| is_gone(hook).then_some(())).is_some());
}

/// The guard on its own gets process groups on its input, as on systems without `/proc`; a group that is removed again
/// survives.
#[test]
fn guard_kills_process_groups_listed_on_stdin() {
    use std::io::Write as _;
    use std::os::unix::process::CommandExt as _;

    let suite = Suite::empty();
    let start = || Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let (mut left, mut ended) = (start(), start());
    let mut guard = suite.command(&["guard", "no-such-mark"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = guard.stdin.take().unwrap();
    write!(input, "+{}\n+{}\n-{}\n", left.id(), ended.id(), ended.id()).unwrap();
    drop(input);
    assert!(guard.wait().unwrap().success());
    assert!(wait_for(|| left.try_wait().unwrap()).is_some());
    assert!(ended.try_wait().unwrap().is_none(), "it had been told that this one is not ours any more");
    ended.kill().unwrap();
    ended.wait().unwrap();
}

/// Signals that end the run do not end its guard, which exits with the run.
#[cfg(target_os = "linux")]
#[test]
fn guard_ignores_signals_and_exits_with_the_run() {
    let script = format!("{TELL}tell agent.pid $$\nwhile [ ! -e go ]; do sleep 0.05; done\nfinish '{{}}'");
    let suite = Suite::new().case("waits", "", &script);
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    told(&suite.path("agent.pid"));
    let guard = guard_of(child.id());
    // It takes a moment until the guard catches them.
    let heeds = || fs::read_to_string(format!("/proc/{guard}/status")).unwrap();
    let caught = |status: &str| status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::to_owned);
    let deaf =
        |status: String| u64::from_str_radix(caught(&status)?.trim(), 16).ok().filter(|mask| mask & 0x4003 == 0x4003);
    assert!(wait_for(|| deaf(heeds())).is_some());
    for name in ["TERM", "HUP", "INT"] {
        assert!(signal(guard, name));
    }
    assert_eq!(guard_of(child.id()), guard);
    fs::write(suite.path("go"), "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!Path::new(&format!("/proc/{guard}")).exists(), "the run waits for it to leave");
}

/// The run waits one second for a guard that does not exit, and then kills it.
#[cfg(target_os = "linux")]
#[test]
fn stopped_guard_does_not_block_the_run() {
    let script = format!("{TELL}tell agent.pid $$\nwhile [ ! -e go ]; do sleep 0.05; done\nfinish '{{}}'");
    let suite = Suite::new().case("waits", "", &script);
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    told(&suite.path("agent.pid"));
    let guard = guard_of(child.id());
    assert!(signal(guard, "STOP"));
    fs::write(suite.path("go"), "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!Path::new(&format!("/proc/{guard}")).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn run_without_child_processes_has_no_guard() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("target: {{ http: {{ url: \"http://{}/\" }} }}", listener.local_addr().unwrap());
    let yaml = format!("suite: suite\n{target}\ncases: [{{ id: one, input: {{ user_input: hello }} }}]\n");
    let suite = Suite::empty().file("suite/agentci.yaml", yaml);
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::null()).spawn().unwrap();
    let id = child.id();
    let (mut stream, _) = listener.accept().unwrap();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    answer_json(&mut stream, "{}");
    child.wait().unwrap();
    assert_eq!(children, "");
}

#[cfg(target_os = "linux")]
fn guard_of(run: u32) -> u32 {
    let children = fs::read_to_string(format!("/proc/{run}/task/{run}/children")).unwrap();
    let is_guard = |pid: &u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).nth(1) == Some(b"guard")
    };
    let pids = children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
    pids.into_iter().find(is_guard).unwrap_or_else(|| panic!("no guard among {children}"))
}
