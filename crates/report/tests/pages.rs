//! The reports that are selected by name: for a recorded run, a hostile one, and a large one.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "what does not hold here is a failed test")]

mod hostile;
#[expect(clippy::unwrap_used, reason = "only tests use it, each of which may fail by it")]
mod recorded;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agentci_report::{Console, ConsoleOptions, Github, Markdown, REPORTS, ReportKind};
use agentci_verdict::{
    AssertionCount, Body, CaseEnd, CaseStatus, Cause, CheckEnd, CheckStatus, FinalOutput, Finding, Metrics, RunEnd,
    RunEvent, RunStart, TaskStart, ToolCallMade, ToolResultGiven,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use recorded::{Written, play};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn report(name: &str, events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, ReportKind::by_name(name).unwrap().make(written.output()).as_mut());
    written.text()
}

fn console(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Console::new(written.writer(), ConsoleOptions { verbose: true, ..ConsoleOptions::default() }));
    written.text()
}

fn github(events: &[RunEvent]) -> String {
    let written = Written::default();
    play(events, &mut Github::new(written.writer(), "token"));
    written.text()
}

/// The page without JavaScript, and without its style, policy and data.
fn html(events: &[RunEvent]) -> String {
    let page = report("html", events);
    let mut rest = page.as_str();
    let mut plain = String::new();
    for (open, close) in [("content=\"default-src", "\">"), ("<style>", "</style>"), ("<script", "\u{0}")] {
        let (before, after) = rest.split_once(open).unwrap();
        plain += before;
        plain += open;
        plain += "...";
        rest = after.find(close).map_or("", |at| &after[at..]);
    }
    plain + rest + ">\n"
}

/// The data that the page's script unpacks from an element.
fn unpacked(page: &str, id: &str) -> Option<Value> {
    let (_, rest) = page.split_once(&format!(" id={id}>"))?;
    let packed = STANDARD.decode(rest.split('<').next()?).unwrap();
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap();
    Some(serde_json::from_slice(&text).unwrap())
}

/// The details of all cases that have any, by number.
fn details(page: &str) -> BTreeMap<u64, Value> {
    let blocks = (0..).map_while(|number| unpacked(page, &format!("block-{number}")));
    let cases = blocks.flat_map(|block| block.as_array().unwrap().clone());
    cases.map(|case| (case["number"].as_u64().unwrap(), case)).collect()
}

#[test]
fn markdown_document() {
    insta::assert_snapshot!(report("markdown", &recorded::run()));
}

#[test]
fn csv_table() {
    insta::assert_snapshot!(report("csv", &recorded::run()).replace("\r\n", "\n"));
}

#[test]
fn html_page() {
    insta::assert_snapshot!(html(&recorded::run()));
}

#[test]
fn github_annotations() {
    insta::assert_snapshot!(github(&recorded::run()));
}

#[test]
fn event_lines() {
    let lines: Vec<String> = recorded::run().iter().map(|event| event.to_line().unwrap() + "\n").collect();
    assert_eq!(report("jsonl", &recorded::run()), lines.concat());
}

#[test]
fn stored_run_gives_identical_bytes_in_every_report() {
    for live in [recorded::run(), hostile::run(), many(300, |index| index % 7 == 0)] {
        let stored: Vec<RunEvent> =
            live.iter().map(|event| RunEvent::from_line(&event.to_line().unwrap()).unwrap()).collect();
        for kind in &REPORTS {
            assert_eq!(report(kind.name, &stored), report(kind.name, &live), "{}", kind.name);
        }
        assert_eq!(console(&stored), console(&live));
        assert_eq!(github(&stored), github(&live));
    }
}

#[test]
fn reports_incomplete_run() {
    let mut events = recorded::run();
    events.truncate(7);
    let sentence = "This report is incomplete: the run was killed, or its record is cut off. 7 cases not run.";
    for name in ["markdown", "html"] {
        let text = report(name, &events);
        assert!(text.contains(sentence) && text.contains("incomplete"), "{text}");
        assert!(!report(name, &recorded::run()).contains("incomplete\n"));
    }
}

#[test]
fn html_escapes_hostile_text() {
    let page = html(&hostile::run());
    let known = [
        "!doctype",
        "a",
        "b",
        "code",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "header",
        "html",
        "i",
        "input",
        "label",
        "li",
        "main",
        "meta",
        "noscript",
        "p",
        "pre",
        "rect",
        "script",
        "section",
        "span",
        "style",
        "summary",
        "svg",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ];
    for tag in page.split('<').skip(1) {
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '!')
            .collect();
        assert!(known.contains(&name.as_str()), "<{}", &tag[..tag.floor_char_boundary(80)]);
        let inside = tag.split('>').next().unwrap();
        assert!(!inside.contains(['\n', '\'']) || name == "meta", "<{inside}>");
        // A filter by an axis value is percent-encoded.
        let filter = inside.strip_prefix("a href=\"#tag=").and_then(|rest| rest.strip_suffix('"'));
        let encoded = |letter: char| letter.is_ascii_alphanumeric() || "%-_.".contains(letter);
        let is_filter = filter.is_some_and(|tag| tag.chars().all(encoded));
        assert!(!inside.contains("href") || inside.starts_with("a href=#c") || is_filter, "<{inside}>");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_eq!(page.chars().find(|character| character.is_control() && *character != '\n'), None);
    assert!(!page.contains('\u{202e}'));
}

/// The policy contains the hashes of the style and the script in the page.
#[test]
fn html_policy_allows_only_its_own_style_and_script() {
    let page = report("html", &hostile::run());
    let between = |open: &str, close: &str| {
        assert_eq!(page.matches(open).count(), 1, "{open}");
        page.split_once(open).unwrap().1.split_once(close).unwrap().0
    };
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let policy = between("http-equiv=Content-Security-Policy content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.contains(&format!("style-src 'sha256-{}'", hash(between("<style>", "</style>")))), "{policy}");
    assert!(policy.contains(&format!("script-src 'sha256-{}'", hash(between("<script>", "</script>")))), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let script = between("<script>", "</script>");
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch("] {
        assert!(!script.contains(sink), "{sink}");
    }
    assert!(!page.contains(" onclick=") && !page.contains(" style="));
}

/// The data in the page matches the events, including all digits.
#[test]
fn html_contains_steps_and_findings() {
    let mut events = recorded::run();
    if let Body::ToolCall(call) = &mut events[2].body {
        call.args = serde_json::from_str(r#"{"n":12345678901234567890,"f":1.50}"#).unwrap();
    }
    let page = report("html", &events);
    let table = unpacked(&page, "table").unwrap();
    let row = |at: usize| table["cases"][at].as_array().unwrap();
    assert_eq!(row(1)[..9], json!([2, "t2", "fail", 12, 2, 0, 3, 1, 0]).as_array().unwrap()[..]);
    assert_eq!((&row(6)[7], &row(6)[8]), (&json!(3), &json!(2)), "runs, and those that passed");
    let details = details(&page);
    let first = &details[&1]["attempts"][0]["steps"]["first"];
    assert_eq!(first[1]["parts"][0]["json"], r#"{"n":12345678901234567890,"f":1.50}"#);
    let end = &details[&2]["ends"][0];
    assert_eq!(end["findings"][0]["place"]["line"], 9);
    assert_eq!(end["findings"][0]["details"][0]["expected"], "\"create_issue\"");
    assert_eq!(details[&7]["decisive"], 2);
    assert_eq!(details[&7]["attempts"].as_array().unwrap().len(), 3);
    assert!(details[&4]["ends"][0]["stderr"].as_str().unwrap().ends_with("2J\r"));
}

#[test]
fn markdown_keeps_hostile_text_in_code() {
    let text = report("markdown", &hostile::run());
    let bare = without_code(&text);
    for harm in
        ["script", "javascript", "octocat", "e.example", "bold", "<!--", "forged", "# title", "</pre>", "\u{1b}"]
    {
        assert!(!bare.contains(harm), "{harm} in:\n{bare}\n\nof:\n{text}");
    }
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let columns = |row: &&&str| row.replace("\\|", "").matches('|').count();
    assert!(rows.iter().filter(|row| row.contains("script")).count() >= 3, "{rows:?}");
    assert!(rows.iter().filter(|row| row.contains("script")).all(|row| matches!(columns(&row), 4..=6 | 8)), "{rows:?}");
}

/// The text without Markdown code, as a Markdown parser would remove it.
fn without_code(text: &str) -> String {
    let mut left = String::new();
    let mut fence: Option<usize> = None;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(length) if ticks >= length && line.trim_start_matches('`').is_empty() => fence = None,
            Some(_) => {}
            None if ticks >= 3 && line.trim_start_matches('`') == "text" => fence = Some(ticks),
            None => left += &without_spans(line),
        }
        left.push('\n');
    }
    assert_eq!(fence, None, "a block has no end");
    left
}

fn without_spans(line: &str) -> String {
    // In an HTML block only tags and entities have a meaning.
    if let Some(summary) = line.strip_prefix("<details>") {
        return summary.split("<code>").map(|part| part.split_once("</code>").map_or(part, |(_, rest)| rest)).collect();
    }
    let mut left = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        left += &rest[..start];
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let inside = &rest[start + ticks..];
        let mut at = 0;
        let end = loop {
            let open = inside[at..].find('`').expect("a span has no end") + at;
            let length = inside[open..].len() - inside[open..].trim_start_matches('`').len();
            if length == ticks {
                break open;
            }
            at = open + length;
        };
        rest = &inside[end + ticks..];
    }
    left + rest
}

#[test]
fn agent_output_cannot_issue_github_commands() {
    let text = github(&hostile::run());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["::stop-commands::token", "::token::"]);
    // Two findings for each of the two cases that did not pass, and the recording that was played.
    assert_eq!(lines.len(), 2 + 4 + 1, "{text}");
    for line in &lines[2..] {
        let (properties, message) = line.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        assert_eq!(properties.matches(',').count(), 3, "{properties}");
        assert!(properties.contains("line=9,col=3,title=agentci%3A "), "{properties}");
        assert!(message.contains("%0A") && !message.contains(['\r', '\u{1b}']), "{message}");
    }
}

/// Many small cases.
fn many(count: usize, fails: impl Fn(usize) -> bool) -> Vec<RunEvent> {
    let event = |case: Option<String>, body| RunEvent {
        suite: "many".into(),
        attempt: case.is_some().then_some(1),
        case_id: case.map(Into::into),
        timestamp: 1_763_176_000_123,
        body,
    };
    let start = RunStart { cases_total: count, mode: "replay".to_owned(), ..RunStart::default() };
    let mut events = vec![event(None, Body::RunStart(Box::new(start)))];
    for index in 0..count {
        let id = format!("case-{index:05}");
        let failed = fails(index);
        let finding =
            Finding { message: format!("`{index}` is missing"), name: "contains".into(), ..Finding::default() };
        let call = ToolCallMade {
            name: "search".into(),
            call_id: "c1".into(),
            args: json!({ "q": id }).into(),
            turn: 0,
            ..ToolCallMade::default()
        };
        let result = ToolResultGiven {
            call_id: "c1".into(),
            ok: true,
            result: json!({ "hits": [1, 2] }).into(),
            ..Default::default()
        };
        let status = if failed { CheckStatus::Failed } else { CheckStatus::Passed };
        let end = CaseEnd {
            index,
            runs: 1,
            passed: !failed,
            status: if failed { CaseStatus::Fail } else { CaseStatus::Pass },
            cause: failed.then_some(Cause::Check),
            wall_ms: index as u64 % 90,
            metrics: Metrics { tool_calls: 1, ..Metrics::default() },
            assertions: AssertionCount { total: 1, failed: usize::from(failed) },
            findings: failed.then_some(finding).into_iter().collect(),
            ..CaseEnd::default()
        };
        let bodies = [
            Body::TaskStart(TaskStart {
                task_id: id.as_str().into(),
                input: json!({ "question": "where is it?" }).into(),
                definition: None,
            }),
            Body::ToolCall(call),
            Body::ToolResult(result),
            Body::FinalOutput(FinalOutput { output: json!({ "answer": "here" }).into() }),
            Body::Check(CheckEnd { name: "contains".into(), status, ..CheckEnd::default() }),
            Body::CaseEnd(Arc::new(end)),
        ];
        events.extend(bodies.into_iter().map(|body| event(Some(id.clone()), body)));
    }
    events.push(event(None, Body::RunEnd(RunEnd { wall_ms: 9000, ..RunEnd::default() })));
    events
}

#[test]
fn html_of_10000_cases_is_smaller_than_4_mb() {
    for (every, failures) in [(usize::MAX, 1), (1, 200), (100, 100)] {
        let page = report("html", &many(10_000, |index| index % every == 0));
        assert!(page.len() < 4_000_000, "{} bytes", page.len());
        assert_eq!(page.matches("<details ").count(), failures);
        assert_eq!(page.matches("<tr ").count(), 10_000);
        assert_eq!(page.contains("<p class=cut>The first 200 of 10000 cases"), every == 1);
        let anchors: BTreeSet<&str> =
            page.split(" id=c").skip(1).filter_map(|rest| rest.split([' ', '>']).next()).collect();
        assert!(
            (1..=10_000).all(|number| anchors.contains(number.to_string().as_str())),
            "every case can be linked to"
        );
        assert_eq!(unpacked(&page, "table").unwrap()["cases"].as_array().unwrap().len(), 10_000);
    }
}

/// The worst case: every case fails with a long trace.
#[test]
fn html_keeps_first_of_many_failures_and_reports_omissions() {
    let mut events = many(2000, |_| true);
    for (at, event) in events.iter_mut().enumerate() {
        match &mut event.body {
            Body::ToolResult(given) => given.result = json!(noise(at, 12_000)).into(),
            Body::CaseEnd(end) => Arc::make_mut(end).stderr_tail = vec![noise(at, 2000)],
            _ => {}
        }
    }
    let page = report("html", &events);
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    let table = unpacked(&page, "table").unwrap();
    let details = details(&page);
    let kept = details.values().filter(|case| case.get("attempts").is_some()).count();
    assert!((20..1900).contains(&kept), "{kept}");
    assert!((1..=kept as u64).all(|number| details[&number].get("attempts").is_some()), "the first are kept");
    let blocks = table["blocks"].as_array().unwrap();
    let missing = blocks.iter().filter(|block| block.as_i64() == Some(-1)).count();
    assert_eq!(missing + details.len(), 2000, "cases without details are known by it");
}

/// Text that compresses badly, the same for the same number.
fn noise(number: usize, length: usize) -> String {
    let mut state = number as u64 + 1;
    let letter = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + u8::try_from((state >> 40) % 70).unwrap())
    };
    (0..length).map(letter).collect()
}

#[test]
fn html_and_markdown_do_not_depend_on_completion_order() {
    let events = many(500, |index| index % 3 == 0);
    let is_end = |event: &&RunEvent| matches!(event.body, Body::CaseEnd(_));
    let mut reversed: Vec<RunEvent> = events.iter().filter(|event| !is_end(event)).cloned().collect();
    let run_end = reversed.pop().unwrap();
    reversed.extend(events.iter().filter(is_end).rev().cloned());
    reversed.push(run_end);
    for name in ["html", "markdown"] {
        assert_eq!(report(name, &reversed), report(name, &events));
    }
}

#[test]
fn html_truncates_case_with_many_log_lines() {
    let mut events = many(1, |_| true);
    let log = events[1].clone();
    let talk = (0..5000).map(|number| {
        let said = format!("{number} {}", "x".repeat(200_000 * usize::from(number % 1000 == 0)));
        let body = Body::Log(agentci_verdict::LogLine { level: "info".into(), message: said, data: None });
        RunEvent { body, ..log.clone() }
    });
    events.splice(2..2, talk);
    let page = report("html", &events);
    assert!(page.len() < 200_000, "{} bytes", page.len());
    let steps = &details(&page)[&1]["attempts"][0]["steps"];
    assert_eq!(steps["left_out"], 4604);
    assert_eq!(steps["first"][1]["text"].as_str().unwrap().len(), 16 * 1024);
    assert_eq!(steps["first"][1]["cut"], true);
    let last = steps["last"].as_array().unwrap().last().unwrap();
    assert_eq!(last["kind"], "final_output", "the last events are kept");
}

#[test]
fn markdown_size_is_limited_and_omissions_are_reported() {
    let events = many(10_000, |_| true);
    let text = report("markdown", &events);
    assert!(text.len() < 900_000, "{} bytes", text.len());
    assert!(text.contains("**10000 cases**: `"));
    assert_eq!(text.matches("<details>").count(), 3);
    assert!(!text.contains("left out"));
    assert!(text.contains("### Slowest cases"));
    let written = Written::default();
    play(&events, &mut Markdown::with_room(written.output(), 0));
    assert!(written.text().len() < 16 * 1024);
    assert!(written.text().contains("**10000 cases that did not pass left out** to limit the size."));
}
