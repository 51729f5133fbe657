//! Tools that are executed for real, and their recordings.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use crate::processes::{signal, told};
use crate::suite::Suite;

/// A tool that counts its calls, in one long-running process.
const COUNTER: &str =
    r#"n=0; while read -r line; do n=$((n+1)); echo x >> executed; echo "{\"ok\":true,\"result\":{\"n\":$n}}"; done"#;

/// Calls `search` three times with equal arguments and reports the results.
const THREE: &str = r#"
call search '{"id":1}'; a=${answer#*\"n\":}; call search '{"id":1}'; b=${answer#*\"n\":}; call search '{"id":1}'; c=${answer#*\"n\":}
finish "{\"seen\":\"${a%%\}*} ${b%%\}*} ${c%%\}*}\"}"
"#;

fn counting() -> Suite {
    Suite::empty()
        .case("good", "", THREE)
        .file("suite/counter.sh", COUNTER)
        .setting("tool_registry: [search]")
        .setting("tools: { search: { command: [sh, counter.sh], long_lived: yes } }")
}

fn executions(suite: &Suite) -> usize {
    fs::read_to_string(suite.path("executed")).unwrap_or_default().lines().count()
}

fn tape(suite: &Suite) -> String {
    fs::read_to_string(suite.path("suite/cassettes/good.jsonl")).unwrap()
}

#[test]
fn replays_varying_results_of_a_tool_in_order() {
    let suite = counting();
    let recorded = suite.agentci(&["record", "suite", "--output-dir", "recorded"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    recorded.says(&["suite suite (runledger, record, 1 case)"]);
    assert_eq!(executions(&suite), 3);
    assert_eq!(tape(&suite).lines().next(), Some(r#"{"tool":"search","args":{"id":1},"ok":true,"result":{"n":1}}"#));
    fs::remove_file(suite.path("suite/counter.sh")).unwrap();
    let replayed = suite.run(&[]);
    replayed.all_passed();
    assert_eq!(replayed.final_output("good")["seen"], "1 2 3");
    assert_eq!(executions(&suite), 3);
}

#[test]
fn live_mode_runs_tools_and_records_nothing() {
    let suite = counting().tape("good", "not even a cassette\n");
    let ran = suite.run(&["--mode", "live"]);
    ran.all_passed();
    assert_eq!((executions(&suite), tape(&suite).as_str()), (3, "not even a cassette\n"));
}

#[test]
fn failed_recording_keeps_the_earlier_one() {
    let former = "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n";
    let suite = counting().agent("good", "call search '{}'; exit 7").tape("good", former);
    let ran = suite.run(&["--mode", "record"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!((executions(&suite), tape(&suite).as_str()), (1, former));
}

#[test]
fn killed_recording_keeps_the_earlier_one() {
    let former = "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n";
    let suite = counting().agent("good", "call search '{}'; echo $$ > half; exec sleep 60").tape("good", former);
    let mut child = suite.command(&["record", "suite"]).spawn().unwrap();
    let agent = told(&suite.path("half"));
    child.kill().unwrap();
    child.wait().unwrap();
    signal(agent, "KILL");
    assert_eq!((executions(&suite), tape(&suite).as_str()), (1, former));
    let beside: Vec<_> =
        fs::read_dir(suite.path("suite/cassettes")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["good.jsonl"]);
}

#[test]
fn records_case_even_if_its_checks_fail() {
    let suite = counting().setting("assertions: [{ type: required_fields, fields: [nowhere] }]");
    let ran = suite.run(&["--mode", "record"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(tape(&suite).lines().count(), 3);
}

#[test]
fn missing_tool_is_reported_before_the_run() {
    let suite = counting().setting("").agent("good", "echo ran > ran");
    let suite = suite.file("suite/suite.yaml", "suite_name: suite\nagent_command: [sh, agent.sh]\nmode: live\ncases_path: cases\ntool_registry: [search, serch]\ntools: { search: { command: [sh, counter.sh] } }\n");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the tool `serch` has no implementation", "--> suite/suite.yaml:5:25", "did you mean `search`?"]);
    assert!(!suite.path("ran").exists() && ran.run_folders().is_empty());
}

#[test]
fn refuses_two_cases_recording_to_one_cassette() {
    let suite = counting().file("suite/cases/other.yaml", "id: other\ninput: {}\ncassette: cassettes/good.jsonl\n");
    let ran = suite.agentci(&["record", "suite"]);
    assert_eq!((ran.code, executions(&suite)), (Some(1), 0));
    ran.complains(&["`good` and `other` would record to the same cassette"]);
}

#[test]
fn command_tool_reads_stdin_and_reports_its_error() {
    let once = r#"read -r line; case $line in *bad*) echo "no such thing" >&2; exit 3;; *slow*) sleep 60;; *) echo "{\"got\":$line}";; esac"#;
    let script = r#"call search '{"q":"x"}'; a=$answer; call search '{"q":"bad"}'; b=$answer; call search '{"q":"slow"}'; finish "{\"a\":$a,\"b\":$b,\"c\":$answer}""#;
    let suite = Suite::empty()
        .case("good", "", script)
        .file("suite/once.sh", once)
        .setting("tool_registry: [search]")
        .setting("tools: { search: { command: [sh, once.sh], timeout: 1s } }");
    let ran = suite.run(&["--mode", "live"]);
    ran.all_passed();
    let output = ran.final_output("good");
    assert_eq!(output["a"]["result"]["got"]["q"], "x");
    assert_eq!((&output["b"]["ok"], &output["b"]["error"]), (&false.into(), &"no such thing".into()));
    assert_eq!((&output["c"]["ok"], &output["c"]["error"]), (&false.into(), &"no answer within 1s".into()));
    ran.ended_soon_after(1);
}

#[test]
fn http_tool_receives_json_and_headers_from_environment() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let requests = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for status in ["200 OK", "503 Service Unavailable"] {
            let (mut stream, _) = server.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap();
                }
                head.push_str(&line);
                if line == "\r\n" {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = r#"{"paid":true}"#;
            let size = answer.len();
            write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {size}\r\nconnection: close\r\n\r\n{answer}").unwrap();
            requests.push((head, String::from_utf8(body).unwrap()));
        }
        requests
    });
    let script = r#"call search '{"amount":20}'; a=$answer; call search '{}'; finish "{\"a\":$a,\"b\":$answer}""#;
    let tool =
        format!("{{ http: {{ url: 'http://127.0.0.1:{port}/pay', headers: {{ x-key: '${{ENV.PAY_KEY}}' }} }} }}");
    let suite = Suite::empty()
        .case("good", "", script)
        .setting("tool_registry: [search]")
        .setting(&format!("tools: {{ search: {tool} }}"));
    let output = suite.command(&["run", "suite", "--mode", "live"]).env("PAY_KEY", "k").output().unwrap();
    let ran = suite.ran(&output, std::time::Duration::ZERO);
    ran.all_passed();
    let requests = requests.join().unwrap();
    assert!(requests[0].0.starts_with("POST /pay ") && requests[0].0.contains("x-key: k\r\n"), "{requests:?}");
    assert_eq!(requests[0].1, r#"{"amount":20}"#);
    let seen = ran.final_output("good");
    assert_eq!(seen["a"]["result"]["paid"], true);
    assert_eq!(seen["b"]["error"], r#"HTTP 503: {"paid":true}"#);
}

#[test]
fn python_tool_beside_suite_records_exceptions_as_errors() {
    let module = "class Pay:\n    def call(self, args):\n        return {'paid': args['n']}\n\ndef fail(args):\n    print('noise')\n    raise ValueError('out of stock')\n\nTOOLS = {'search': Pay(), 'create': fail}\n";
    let script = r#"call search '{"n":3}'; a=$answer; call create '{}'; finish "{\"a\":$a,\"b\":$answer}""#;
    let suite = Suite::empty().case("good", "", script).file("suite/shop.py", module).setting("tool_module: shop");
    let ran = suite.run(&["--mode", "record"]);
    ran.all_passed();
    assert_eq!(ran.final_output("good")["a"]["result"]["paid"], 3);
    assert_eq!(ran.final_output("good")["b"]["error"], "out of stock");
    assert!(tape(&suite).contains(r#""ok":false,"error":"out of stock""#));
}

#[test]
fn missing_module_is_reported_before_the_run() {
    let ran = counting().setting("tool_module: no_such_module").run(&["--mode", "live"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["module `no_such_module` cannot be imported", "--> suite/suite.yaml:"]);
    assert!(ran.run_folders().is_empty());
}

#[test]
fn results_are_normalized_before_agent_and_recording() {
    let tool = r#"read -r line; echo '{"id":"r-123","at":9,"rows":[{"at":1,"n":1}]}'"#;
    let script = r#"call search '{}'; finish "{\"got\":$answer,\"at\":4,\"run\":\"r-77\"}""#;
    let suite = Suite::empty()
        .case("good", "normalization: { replace_paths: { rows.0.n: 7 } }", script)
        .file("suite/tool.sh", tool)
        .setting("tool_registry: [search]")
        .setting("tools: { search: { command: [sh, tool.sh] } }")
        .setting(r"normalization: { strip_keys: [at], replace_text: [{ pattern: 'R-(\d)\d+', flags: i, replacement: 'r-\1x' }] }");
    suite.agentci(&["record", "suite", "--output-dir", "recorded"]);
    assert_eq!(
        tape(&suite),
        "{\"tool\":\"search\",\"args\":{},\"ok\":true,\"result\":{\"id\":\"r-1x\",\"rows\":[{\"n\":7}]}}\n"
    );
    let ran = suite.run(&[]);
    ran.all_passed();
    let output = ran.final_output("good");
    assert_eq!(output["got"]["result"].to_string(), r#"{"id":"r-1x","rows":[{"n":7}]}"#);
    assert_eq!((output.get("at"), &output["run"]), (None, &"r-7x".into()));
}

#[test]
fn check_reports_unused_entries_and_cassettes() {
    let suite = Suite::new()
        .tape("good", "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n{\"tool\":\"gone\",\"args\":{},\"ok\":true}\n")
        .tape("forgotten", "");
    let ran = suite.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(0));
    ran.complains(&[
        "this entry is never used: `gone` is not an allowed tool",
        "--> suite/cassettes/good.jsonl:2:1",
        "no case uses the cassette `suite/cassettes/forgotten.jsonl`",
    ]);
    assert_eq!(suite.agentci(&["check", "suite", "--strict"]).code, Some(1));
}

/// An agent that sends a token returned by one call in the next one.
const LOGIN: &str = r#"
call search '{"user":"a","password":"hunter2222"}'; t=${answer#*access_token\":\"}; t=${t%%\"*}
call create "{\"session\":\"$t\",\"note\":\"pw hunter2222\"}"
case $answer in *'"ok":true'*) finish '{"in":true}';; *) finish '{"in":false}';; esac
"#;

#[test]
fn redacted_token_in_recording_still_matches_on_replay() {
    let login = r#"read -r line; echo '{"access_token":"tok-abcdef-123456"}'"#;
    let useful = r#"read -r line; echo "{\"echo\":\"tok-abcdef-123456\"}""#;
    let suite = Suite::empty()
        .case("good", "assertions: [{ type: must_call, tools: create }]", LOGIN)
        .file("suite/login.sh", login)
        .file("suite/use.sh", useful)
        .setting("tools: { search: { command: [sh, login.sh] }, create: { command: [sh, use.sh] } }");
    let recorded = suite.agentci(&["record", "suite", "--output-dir", "recorded"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let tape = tape(&suite);
    assert!(!tape.contains("tok-abcdef") && !tape.contains("hunter2222"), "{tape}");
    assert!(tape.contains(r#"{"session":"[REDACTED]","note":"pw [REDACTED]"}"#), "{tape}");
    suite.run(&[]).all_passed();
    assert_eq!(suite.agentci(&["check", "--secrets", "suite"]).code, Some(0));
}

#[test]
fn working_directory_is_not_redacted() {
    let tool = r#"read -r line; echo "{\"cwd\":\"$PWD\"}""#;
    let suite = Suite::empty()
        .case("good", "", "call search '{}'; finish '{}'")
        .file("suite/where.sh", tool)
        .setting("tool_registry: [search]")
        .setting("tools: { search: { command: [sh, where.sh] } }");
    let output = suite.command(&["record", "suite"]).env("PWD", suite.root()).env("AUTH_STAGE", "production").output();
    assert!(output.unwrap().status.success());
    assert!(!tape(&suite).contains("[REDACTED]"), "{}", tape(&suite));
}

#[test]
fn tool_result_does_not_wait_for_child_processes() {
    let suite = Suite::empty()
        .case("good", "", r#"call search '{}'; finish "{\"a\":$answer}""#)
        .file("suite/leaves.sh", "sleep 30 & echo '{\"done\":1}'")
        .setting("tool_registry: [search]")
        .setting("tools: { search: { command: [sh, leaves.sh], timeout: 20s } }");
    let ran = suite.run(&["--mode", "live"]);
    ran.all_passed();
    assert_eq!(ran.final_output("good")["a"]["result"]["done"], 1);
    ran.ended_soon_after(1);
}

#[test]
fn case_id_cannot_escape_the_cassette_folder() {
    let suite = Suite::native(
        "mode: record\nworld: { tools: { cassette: 'tapes/{case}.jsonl', live: { search: { command: [echo, '{}'] } } } }\n\
         cases: [{ id: ../../evil, input: {} }]\n",
    )
    .agent("../../evil", "call search '{}'; finish '{}'");
    suite.run(&[]).all_passed();
    let made: Vec<_> =
        fs::read_dir(suite.path("suite/tapes")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(made, ["_.._.._evil.jsonl"]);
}

#[test]
fn check_reports_entries_unused_by_the_newest_run() {
    let tape =
        "{\"tool\":\"search\",\"args\":{},\"ok\":true}\n{\"tool\":\"search\",\"args\":{\"old\":1},\"ok\":true}\n";
    let suite = Suite::new().case("calls", "", "call search '{}'; finish '{}'").tape("calls", tape);
    let before = suite.agentci(&["check", "suite"]);
    assert_eq!((before.code, before.stderr.as_str()), (Some(0), ""));
    suite.run(&[]).all_passed();
    let after = suite.agentci(&["check", "suite"]);
    after.complains(&["the newest run did not use this entry", "--> suite/cassettes/calls.jsonl:2:1"]);
    // A changed recording has not been replayed yet.
    let suite = suite.tape("calls", &format!("{tape}\n"));
    assert_eq!(suite.agentci(&["check", "suite"]).stderr, "");
}

/// A native suite whose agent calls `stock` once; `live` lists the live tools.
fn calls_stock(live: &str) -> Suite {
    Suite::native(&format!(
        "cases:\n  - id: good\n    input: {{}}\n    world: {{ tools: {{ cassette: cassettes/good.jsonl, live: {{ {live} }} }} }}\n"
    ))
    .agent("good", r#"call stock '{"id":1}' || echo Traceback >&2; finish '{"ok":true}'"#)
}

#[test]
fn missing_tool_is_an_error_and_not_recorded() {
    let suite = calls_stock("stok: { command: [echo, \"1\"] }");
    for arguments in [&["record", "suite"][..], &["run", "suite", "--mode", "live"]] {
        let ran = suite.agentci(arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.says(&["the tool `stock` has no implementation (config)", "agentci.yaml:6:", "did you mean `stok`?"]);
        assert!(!ran.stdout.contains("Traceback") && !suite.path("suite/cassettes/good.jsonl").exists(), "{ran:?}");
    }
}

#[test]
fn unstartable_tool_is_an_error_and_not_recorded() {
    let servers =
        ["command: [no-such-tool]", "command: [no-such-tool], long_lived: true", "mcp: { command: [no-such-tool] }"];
    for tool in servers {
        let suite = calls_stock(&format!("stock: {{ {tool} }}"));
        let ran = suite.agentci(&["record", "suite"]);
        assert_eq!(ran.code, Some(1), "{tool}: {ran:?}");
        ran.says(&["the tool `stock` cannot be started: program `no-such-tool` not found (config)", "agentci.yaml:6:"]);
        assert!(!suite.path("suite/cassettes/good.jsonl").exists());
    }
}

#[test]
fn failure_of_a_started_tool_is_recorded() {
    let suite = calls_stock("stock: { command: [sh, -c, \"echo sold out >&2; exit 3\"] }");
    let ran = suite.agentci(&["record", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let tape = tape(&suite);
    assert!(tape.contains(r#""ok":false"#) && tape.contains("sold out"), "{tape}");
}
