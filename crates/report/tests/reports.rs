//! Every report for the same recorded run.

#[expect(clippy::unwrap_used, reason = "only tests use it, each of which may fail by it")]
mod recorded;

use std::io;
use std::sync::Arc;

use agentci_report::{Console, ConsoleOptions, FanOut, Junit, ReportError, Reporter, Summary};
use agentci_verdict::{Body, RunEnd, RunEvent};
use recorded::{Written, play};

fn console_with(events: &[RunEvent], options: ConsoleOptions) -> String {
    let written = Written::default();
    play(events, &mut Console::new(written.writer(), options));
    written.text()
}

fn console(events: &[RunEvent]) -> String {
    console_with(events, ConsoleOptions::default())
}

fn junit(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Junit::new(written.output()));
    written.text()
}

fn summary(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Summary::new(written.output()));
    written.text()
}

fn is_case_end(event: &RunEvent) -> bool {
    matches!(event.body, Body::CaseEnd(_))
}

#[test]
fn console_plain() {
    insta::assert_snapshot!(console(&recorded::run()));
}

#[test]
fn console_verbose() {
    let options = ConsoleOptions { verbose: true, width: 80, ..ConsoleOptions::default() };
    insta::assert_snapshot!(console_with(&recorded::run(), options));
}

#[test]
fn console_in_colour() {
    let text = console_with(&recorded::run(), ConsoleOptions { color: true, ..ConsoleOptions::default() });
    insta::assert_snapshot!(text.replace('\u{1b}', "^"));
}

#[test]
fn console_live_line() {
    let terminal = Written::default();
    let options = ConsoleOptions { live: Some(terminal.writer()), width: 60, ..ConsoleOptions::default() };
    let text = console_with(&recorded::run(), options);
    assert_eq!(text, console(&recorded::run()), "the live line is no part of the report");
    insta::assert_snapshot!(terminal.text().replace('\u{1b}', "^").replace('\r', "\n"));
}

#[test]
fn live_line_updates_without_new_events() {
    let terminal = Written::default();
    let options = ConsoleOptions { live: Some(terminal.writer()), ..ConsoleOptions::default() };
    let mut console = Console::new(Written::default().writer(), options);
    let events = recorded::run();
    events[..2].iter().for_each(|event| console.on_event(event).unwrap());
    console.on_tick(events[0].timestamp + 61_000);
    assert!(terminal.text().ends_with("[0/8] in 1 min 1 s, running: t1"), "{}", terminal.text());
    console.finish().unwrap();
    let before = terminal.text();
    console.on_tick(events[0].timestamp + 62_000);
    assert_eq!(terminal.text(), before, "a line that was wiped away stays away");
}

#[test]
fn junit_file() {
    insta::assert_snapshot!(junit(&recorded::run()));
}

#[test]
fn summary_document() {
    insta::assert_snapshot!(summary(&recorded::run()));
}

#[test]
fn stored_run_gives_the_same_reports() {
    let live = recorded::run();
    let stored: Vec<RunEvent> =
        live.iter().map(|event| RunEvent::from_line(&event.to_line().unwrap()).unwrap()).collect();
    assert_eq!(console(&stored), console(&live));
    assert_eq!(junit(&stored), junit(&live));
    assert_eq!(summary(&stored), summary(&live));
}

#[test]
fn cases_are_in_suite_order_regardless_of_completion() {
    let events = recorded::run();
    let single = |event: &RunEvent| !matches!(&event.body, Body::CaseEnd(end) if end.runs > 1);
    let events: Vec<RunEvent> = events.into_iter().filter(single).collect();
    let mut reversed: Vec<RunEvent> = events.iter().filter(|event| !is_case_end(event)).cloned().collect();
    let run_end = reversed.pop().unwrap();
    reversed.extend(events.iter().filter(|event| is_case_end(event)).rev().cloned());
    reversed.push(run_end);
    let verbose = || ConsoleOptions { verbose: true, ..ConsoleOptions::default() };
    assert_eq!(console_with(&reversed, verbose()), console_with(&events, verbose()));
    assert_eq!(junit(&reversed), junit(&events));
    assert_eq!(summary(&reversed), summary(&events));
}

#[test]
fn shows_case_once_all_earlier_cases_are_complete() {
    let written = Written::default();
    let mut console = Console::new(written.writer(), ConsoleOptions::default());
    let mut shown_at_once = 0;
    for event in recorded::run().iter().take_while(|event| !matches!(event.body, Body::RunEnd(_))) {
        let before = written.text().lines().count();
        console.on_event(event).unwrap();
        shown_at_once += usize::from(is_case_end(event) && written.text().lines().count() > before);
    }
    assert_eq!(shown_at_once, 8);
}

#[test]
fn console_escapes_control_characters() {
    for text in [
        console(&recorded::run()),
        console_with(&recorded::run(), ConsoleOptions { verbose: true, ..ConsoleOptions::default() }),
    ] {
        let bad =
            text.chars().find(|character| (character.is_control() && *character != '\n') || *character == '\u{202e}');
        assert_eq!(bad, None);
    }
}

#[test]
fn junit_contains_no_characters_forbidden_in_xml() {
    let text = junit(&recorded::run());
    let forbidden = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t')) || matches!(character, '\u{fffe}' | '\u{ffff}')
    };
    assert_eq!(text.chars().find(|character| forbidden(*character)), None);
    assert!(!text.contains("]]>"));
}

#[test]
fn summary_keys_are_sorted() {
    fn assert_sorted(value: &serde_json::Value) {
        match value {
            serde_json::Value::Object(fields) => {
                assert!(fields.keys().is_sorted(), "{:?}", fields.keys().collect::<Vec<_>>());
                fields.values().for_each(assert_sorted);
            }
            serde_json::Value::Array(items) => items.iter().for_each(assert_sorted),
            _ => {}
        }
    }
    let text = summary(&recorded::run());
    assert!(text.ends_with("}\n") && text.contains("réset"));
    assert_sorted(&serde_json::from_str(&text).unwrap());
}

#[test]
fn reports_stopped_run() {
    let mut events = recorded::run();
    events.truncate(7);
    let killed = console(&events);
    assert!(killed.ends_with("; stopped: interrupted, 7 cases not run\n"), "{killed}");
    assert!(summary(&events).contains("\"exit_status\": \"error\""));
    let last = events.last().unwrap().clone();
    let end = RunEnd { wall_ms: 60, not_run: 7, ..RunEnd::default() };
    events.push(RunEvent { case_id: None, attempt: None, body: Body::RunEnd(end), ..last });
    assert!(console(&events).ends_with("; stopped: 7 cases not run\n"));
    assert!(summary(&events).contains("\"exit_status\": \"success\""));
}

#[test]
fn shows_case_with_missing_runs_at_the_end() {
    let mut events = recorded::run();
    events.retain(|event| event.attempt != Some(3));
    let text = console(&events);
    assert!(
        text.contains(
            "FAIL t7 (1 of 3 runs passed, 1 not run; run 2: 11 ms, 1 tool call): `equals` failed: expected 20\n"
        ),
        "{text}"
    );
    assert!(text.find("FAIL t7 (").unwrap() < text.find("PASS odd").unwrap());
}

#[test]
fn reports_several_runs_in_sequence() {
    let twice = [recorded::run(), recorded::run()].concat();
    let one = console(&recorded::run());
    assert_eq!(console(&twice), format!("{one}\n{one}"));
    assert_eq!(junit(&twice).matches("<testsuite ").count(), 2);
    let document = summary(&recorded::run());
    assert_eq!(summary(&twice), format!("{document}{document}"));
}

/// Fails at its second event.
struct Failing(u32);

impl Reporter for Failing {
    fn on_event(&mut self, _: &RunEvent) -> Result<(), ReportError> {
        self.0 += 1;
        assert!(self.0 <= 2, "a report that failed gets no more events");
        if self.0 < 2 {
            Ok(())
        } else {
            Err(ReportError::Write { report: "failing", source: io::ErrorKind::BrokenPipe.into() })
        }
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        panic!("a report that failed is not finished")
    }
}

#[test]
fn one_failing_report_does_not_stop_the_others() {
    let (before, after) = (Written::default(), Written::default());
    let mut fan_out = FanOut::default();
    fan_out.add("console", Box::new(Console::new(before.writer(), ConsoleOptions::default())));
    fan_out.add("bad", Box::new(Failing(0)));
    fan_out.add("full", Box::new(Summary::new(Box::new(|_| Err(io::ErrorKind::StorageFull.into())))));
    fan_out.add("junit.xml", Box::new(Junit::new(after.output())));
    for event in recorded::run() {
        fan_out.on_event(&Arc::new(event));
    }
    let errors = fan_out.finish();
    let told: Vec<String> = errors.iter().map(|(name, error)| format!("{name}: {error}")).collect();
    assert_eq!(
        told,
        [
            "bad: cannot write the failing report: broken pipe",
            "full: cannot write the summary report: no storage space"
        ]
    );
    assert!(errors[0].1.is_broken_pipe());
    assert_eq!(before.text(), console(&recorded::run()));
    assert_eq!(after.text(), junit(&recorded::run()));
}
