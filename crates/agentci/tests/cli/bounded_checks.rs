//! Schemas and paths that would take unlimited time or memory are stopped, and other cases are not affected.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::processes::{is_gone, signal, wait_for};
use crate::ran::Ran;
use crate::suite::Suite;

/// A schema whose definitions each refer to the next one twice: two billion paths to the last.
fn branching() -> String {
    let mut levels = String::new();
    for level in 0..31 {
        let next = format!("{{\"$ref\":\"#/$defs/l{}\"}}", level + 1);
        write!(levels, "\"l{level}\":{{\"anyOf\":[{next},{next}]}},").unwrap();
    }
    format!("{{\"$ref\":\"#/$defs/l0\",\"$defs\":{{{levels}\"l31\":{{\"type\":\"string\"}}}}}}")
}

const DESCENDING: &str = "json_path: { path: \"$..*..*..*..*..*..*..*..*\", value: 20 }";
const FILTERS: &str = "json_path: { path: \"$.v[?count($.v[?count($.v[?count($.v[?count($.v[?count($.v[*])>0])>0])>0])>0])>0]\", value: 20 }";

/// Three ways to hang: a name, the check, and the answer that it is evaluated on.
fn hangs() -> [(&'static str, &'static str, String); 3] {
    let list = format!("{{\"v\":[{}]}}", vec!["1"; 60].join(","));
    let nested = format!("{{\"v\":{}20{}}}", "[".repeat(60), "]".repeat(60));
    [("schema", "json_schema: schema.json", "{}".into()), ("path", DESCENDING, nested), ("filters", FILTERS, list)]
}

fn suite(check: &str, limits: &str, output: &str) -> Suite {
    let cases = format!(
        "cases:\n  - {{ id: good, input: {{}}, checks: [json_path: {{ path: ok, value: true }}] }}\n  - id: hangs\n    input: {{}}\n    {limits}\n    checks:\n      - {check}\n"
    );
    Suite::native(&cases)
        .file("suite/schema.json", branching())
        .agent("good", "finish '{\"ok\":true}'")
        .agent("hangs", &format!("finish '{output}'"))
}

#[test]
fn check_stops_at_the_time_limit_of_its_case() {
    for (name, check, output) in hangs() {
        for check in [check.to_owned(), format!("not: {{ {check} }}")] {
            let ran = suite(&check, "limits: { wall: 2s }", &output).run(&[]);
            ran.only_wrong("hangs", "error", "check_timeout");
            assert!(ran.took < Duration::from_secs(12), "{name}: {ran:?}");
            ran.says(&["the check could not be evaluated within"]);
            let report = std::fs::read_to_string(ran.run_folder().join("report.html")).unwrap();
            assert!(!report.is_empty());
        }
    }
}

#[test]
fn checks_of_a_case_share_its_time_limit() {
    let checks = format!("json_schema: schema.json\n      - {DESCENDING}\n      - json_schema: schema.json");
    let nested = format!("{{\"v\":{}20{}}}", "[".repeat(60), "]".repeat(60));
    let ran = suite(&checks, "limits: { wall: 2s }", &nested).run(&[]);
    ran.only_wrong("hangs", "error", "check_timeout");
    assert!(ran.took < Duration::from_secs(12), "{ran:?}");
}

/// Records the peak memory of a process and of each of its descendants.
#[cfg(target_os = "linux")]
fn peak(root: u32, seen: &mut std::collections::BTreeMap<u32, u64>) {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{root}/status")) else { return };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0);
    let most = seen.entry(root).or_default();
    *most = kilobytes.max(*most);
    for child in children(root) {
        peak(child, seen);
    }
}

#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn check_memory_is_limited() {
    // Each selector matches every element, so the list of matches exceeds any limit at once.
    let selectors = vec!["*"; 250].join(",");
    let check = format!("json_path: {{ path: \"$.v[{selectors}]\", value: 1 }}");
    let suite = suite(&check, "", &format!("{{\"v\":[{}]}}", vec!["null"; 100_000].join(",")));
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut seen = std::collections::BTreeMap::new();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        peak(child.id(), &mut seen);
        std::thread::sleep(Duration::from_millis(5));
    }
    let ran = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
    ran.only_wrong("hangs", "error", "check_timeout");
    ran.says(&["the check could not be evaluated within 256 MB of memory"]);
    let all: u64 = seen.values().sum();
    assert!(all < 512 * 1024, "{seen:?}");
    assert!(ran.took < Duration::from_secs(30), "{ran:?}");
}

/// Starts a run and waits until the worker for the check exists.
#[cfg(target_os = "linux")]
fn busy(suite: &Suite) -> (std::process::Child, u32) {
    let child = suite
        .command(&["run", "suite", "--parallel", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let is_worker = |process: &u32| {
        std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| line.ends_with(b"\0check-worker\0"))
    };
    let worker = wait_for(|| children(child.id()).into_iter().find(is_worker));
    (child, worker.unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn interrupt_stops_check_evaluation() {
    for name in ["INT", "TERM"] {
        let suite = suite(FILTERS, "", &hangs()[2].2);
        let (child, worker) = busy(&suite);
        let started = Instant::now();
        assert!(signal(child.id(), name));
        let ran: Ran = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
        assert_eq!(ran.code, Some(130), "{ran:?}");
        ran.ended_soon_after(0);
        assert_eq!(ran.case("hangs")["cause"], "interrupted");
        assert!(is_gone(worker));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn worker_exits_when_the_run_is_killed() {
    let suite = suite(FILTERS, "", &hangs()[2].2);
    let (mut child, worker) = busy(&suite);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone(worker));
}

#[test]
fn hostile_schema_or_path_does_not_delay_check_command() {
    let mut closed: serde_json::Value = serde_json::from_str(&branching()).unwrap();
    closed["unevaluatedProperties"] = false.into();
    let suite = suite("json_schema: closed.json", "", "{}").file("suite/closed.json", closed.to_string());
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let nested = format!("json_path: {{ path: \"${}{}\", value: 1 }}", "[?@".repeat(20_000), "]".repeat(20_000));
    let ran = self::suite(&nested, "", "{}").agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("nested too deep"), "{ran:?}");
}

#[test]
fn worker_returns_complete_check_results() {
    let tree = r##"{ "properties": { "name": { "type": "string" }, "children": { "items": { "$ref": "#" } } }, "required": ["name"] }"##;
    let checks = "json_schema: tree.json\n      - json_path: { path: \"$..[?match(@.name, @.name)].name\", value: b }";
    let output = r#"{"name":"a","children":[{"name":"b","children":[]},{"name":7}]}"#;
    let ran = suite(checks, "", output).file("suite/tree.json", tree).run(&[]);
    ran.only_wrong("hangs", "fail", "check");
    let events = ran.events();
    let of_schema = events.iter().find(|event| event["type"] == "check" && event["name"] == "json_schema").unwrap();
    assert_eq!(of_schema["evidence"], serde_json::json!({ "misfits": 1 }));
    assert_eq!(
        of_schema["message"],
        "the final output does not match the schema: at /children/1/name: 7 is not of type \"string\""
    );
}

/// A pattern that is very slow on a text that it almost matches.
const SLOW_PATTERN: &str = "not: { matches: '(a{1,100}){1,100}b' }";

/// The time limit leaves an agent on a busy machine enough time to print three megabytes.
fn slow_pattern(limits: &str) -> Suite {
    suite(SLOW_PATTERN, limits, &format!("{{\"answer\":\"{}\"}}", "a".repeat(3_000_000)))
}

#[test]
fn pattern_matching_has_a_time_limit() {
    let ran = slow_pattern("limits: { wall: 8s }").run(&[]);
    ran.only_wrong("hangs", "error", "check_timeout");
    ran.ended_soon_after(18);
}

#[test]
fn interrupt_stops_pattern_matching() {
    let suite = slow_pattern("");
    let child = suite.command(&["run", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The answer is written to `run.jsonl` before the check is evaluated.
    let written = || {
        let folder = crate::ran::run_folders(&suite.path(".agentci/runs")).pop()?;
        let record = std::fs::read_to_string(folder.join("run.jsonl")).ok()?;
        record.contains("\"final_output\",\"suite\":\"suite\",\"case_id\":\"hangs\"").then_some(())
    };
    assert!(wait_for(written).is_some());
    let started = Instant::now();
    assert!(signal(child.id(), "INT"));
    let ran: Ran = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
}
