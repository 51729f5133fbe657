//! The memory of reports on runs of many cases hardly grows with the run: passed cases are read again from its journal.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Duration;

use crate::suite::Suite;

/// Sizes of runs, in cases. Both are larger than what stays in memory in any case.
const SIZES: [usize; 2] = [15_000, 55_000];
/// The most memory that a further case may take, in bytes. A row in memory takes about 1,000.
const EACH: usize = 256;

/// The journal of a run of mock cases, or of every `count`th of its cases if it is a shard.
fn journal(cases: usize, (index, count): (usize, usize)) -> String {
    let shard = match count {
        1 => String::new(),
        _ => format!(r#","shard":{{"index":{index},"count":{count},"cases":{cases},"digest":"d"}}"#),
    };
    let positions = || (index - 1..cases).step_by(count);
    let (total, others) = (positions().count(), cases - positions().count());
    let mut text = format!(
        r#"{{"v":1,"type":"run_start","suite":"s","timestamp":1,"agentci_version":"0.1.0","run_id":"r","dialect":"native","mode":"replay","suite_path":"s.yaml","agent_command":[],"cases_total":{total},"cases_left_out":{others},"git_sha":null{shard}}}"#
    );
    text.push('\n');
    for at in positions() {
        let case = format!(r#""suite":"s","case_id":"c{at}","attempt":1,"timestamp":2"#);
        let _ = writeln!(
            text,
            r#"{{"v":1,"type":"task_start",{case},"task_id":"c{at}","input":{{"prompt":"hello"}}}}
{{"v":1,"type":"case_end",{case},"index":{at},"runs":1,"passed":true,"status":"pass","cause":null,"wall_ms":{},"metrics":{{"tool_calls":0,"tool_errors":0,"tool_calls_by_name":{{}},"tool_errors_by_name":{{}},"usage":{{"tokens_in":null,"tokens_out":5,"cost_usd":null}}}},"assertions":{{"total":1,"failed":0}},"findings":[],"place":{{"path":"s.yaml","line":4,"column":9,"width":2}}}}"#,
            at % 50
        );
    }
    text + "{\"v\":1,\"type\":\"run_end\",\"suite\":\"s\",\"timestamp\":3,\"wall_ms\":2,\"interrupted\":false,\"not_run\":0}\n"
}

/// The peak memory of a command that succeeds, in bytes.
fn peak(suite: &Suite, arguments: &[&str]) -> usize {
    let mut child = suite.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut kilobytes = 0;
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        kilobytes = kilobytes.max(seen.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{arguments:?}: {status}");
            return kilobytes * 1024;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The memory of each further case, given the peaks for both sizes.
fn each(peaks: [usize; 2]) -> usize {
    peaks[1].saturating_sub(peaks[0]) / (SIZES[1] - SIZES[0])
}

#[test]
fn memory_of_reports_hardly_grows_with_the_run() {
    let peaks = SIZES.map(|cases| {
        let suite = Suite::empty().file("run/run.jsonl", journal(cases, (1, 1)));
        let peak = peak(&suite, &["report", "run"]);
        let junit = std::fs::read_to_string(suite.path("run/junit.xml")).unwrap();
        assert_eq!(junit.matches("<testcase ").count(), cases);
        let page = std::fs::read_to_string(suite.path("run/report.html")).unwrap();
        assert!(page.contains(&format!("{} cases left out", cases - 10_000)), "the page does not say what is missing");
        let mut names: Vec<_> =
            std::fs::read_dir(suite.path("run")).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["junit.xml", "report.html", "run.jsonl", "summary.json"]);
        peak
    });
    assert!(each(peaks) <= EACH, "{} bytes a case: {peaks:?}", each(peaks));
}

#[test]
fn memory_of_a_merge_hardly_grows_with_the_run() {
    let peaks = SIZES.map(|cases| {
        let shards = |index| journal(cases, (index, 2));
        let suite = Suite::empty().file("one/run.jsonl", shards(1)).file("two/run.jsonl", shards(2));
        peak(&suite, &["merge", "one", "two"])
    });
    assert!(each(peaks) <= EACH, "{} bytes a case: {peaks:?}", each(peaks));
}
