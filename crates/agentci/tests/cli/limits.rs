//! Everything from outside has a limit, and what goes over one is told with the limit in it. `docs/reference/limits.md` lists
//! them with the tests that meet them.

use std::fs::{self, File};
use std::path::Path;

use regex::Regex;
use serde_json::json;

use crate::http_server::{Answer, listen};
use crate::suite::Suite;

/// A file that is as large as this, and takes no room.
fn sparse(suite: &Suite, path: &str, bytes: u64) {
    let path = suite.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().set_len(bytes).unwrap();
}

const MOCK: &str = "suite: suite\ntarget: { mock: { model_name: m, responses: [] } }\n";

#[test]
fn files_that_are_too_large_are_refused_without_being_read() {
    let case = "cases: [{ id: one, input: {} }]\n";
    let process = "suite: suite\ntarget: { process: { command: [sh, agent.sh] } }\n";
    let files = [
        ("suite/agentci.yaml", 10, String::new()),
        ("suite/schema.json", 10, format!("{MOCK}checks: [{{ json_schema: schema.json }}]\n{case}")),
        ("suite/check.js", 1, format!("{MOCK}checks: [{{ script: {{ file: check.js, function: f }} }}]\n{case}")),
        ("suite/model.yaml", 10, format!("{process}world: {{ model: {{ script: model.yaml }} }}\n{case}")),
        ("suite/tape.jsonl", 512, format!("{process}world: {{ tools: {{ cassette: tape.jsonl }} }}\n{case}")),
    ];
    for (path, limit, yaml) in files {
        let suite = Suite::empty();
        let suite = if yaml.is_empty() { suite } else { suite.file("suite/agentci.yaml", yaml) };
        sparse(&suite, path, (limit << 20) + 1);
        let ran = suite.agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{path}: {ran:?}");
        let told = format!("{}", limit << 20);
        assert!(ran.stderr.contains(&told) || ran.stderr.contains(&format!("{limit} MiB")), "{path}: {}", ran.stderr);
    }
}

#[test]
fn stored_runs_and_baselines_that_are_too_large_are_refused_without_being_read() {
    let suite = Suite::new();
    sparse(&suite, "big.json", (256 << 20) + 1);
    let compared = suite.run(&["--baseline", "big.json"]);
    assert_eq!(compared.code, Some(1), "{compared:?}");
    assert!(format!("{}{}", compared.stdout, compared.stderr).contains("268435456"), "{compared:?}");
    let promoted = suite.agentci(&["baseline", "promote", "--from", "big.json", "--to", "new.json"]);
    assert_eq!(promoted.code, Some(1), "{promoted:?}");
    assert!(promoted.stderr.contains("268435456"), "{promoted:?}");
}

#[test]
fn a_line_without_an_end_ends_the_case() {
    let suite = Suite::new().case("endless", "", "head -c 140000000 /dev/zero | tr '\\0' x; sleep 600");
    let ran = suite.run(&["--timeout", "100s"]);
    ran.only_wrong("endless", "error", "protocol");
    ran.says(&["a line of more than 128 MiB"]);
}

#[test]
fn an_agent_that_never_stops_writing_is_stopped() {
    // Blank lines say nothing, so that nothing else ends it.
    let script = "line=$(head -c 4000000 /dev/zero | tr '\\0' ' ')\nwhile :; do printf '%s\\n' \"$line\"; done";
    let suite = Suite::new().case("flood", "", script);
    let ran = suite.run(&["--timeout", "300s"]);
    ran.only_wrong("flood", "error", "protocol");
    ran.says(&["more than 512 MiB"]);
}

/// An answer of a server that goes over a limit; `kind` is its content type.
fn answered(kind: &'static str, body: String) -> String {
    let url = listen(move |_| Some(Answer(200, kind, body.clone())));
    let yaml =
        format!("suite: suite\ntarget: {{ http: {{ url: \"{url}/\" }} }}\ncases: [{{ id: one, input: {{ q: a }} }}]\n");
    let ran = Suite::empty().file("suite/agentci.yaml", yaml).run(&["--timeout", "100s"]);
    assert_eq!(ran.case("one")["status"], "error", "{ran:?}");
    ran.stdout
}

#[test]
fn answers_over_http_that_are_too_large_are_refused() {
    let stream = "content-type: text/event-stream\r\n";
    let whole = answered("content-type: application/json\r\n", " ".repeat((16 << 20) + 1));
    assert!(whole.contains("16777216"), "{whole}");
    let piece = format!("data: {}\n\n", "x".repeat(1 << 20));
    let text = answered(stream, piece.repeat(17));
    assert!(text.contains("more than 16 MiB of text"), "{text}");
    let event = answered(stream, "x".repeat((10 << 20) + 10));
    assert!(event.contains("10485760"), "{event}");
}

#[test]
fn an_agent_that_calls_tools_of_the_client_without_end_is_stopped() {
    let url = listen(|asked| {
        let (thread, run) = (&asked.body["threadId"], &asked.body["runId"]);
        let id = asked.body["messages"].as_array().map_or(0, Vec::len);
        let events = [
            json!({"type": "RUN_STARTED", "threadId": thread, "runId": run}),
            json!({"type": "TOOL_CALL_START", "toolCallId": format!("c{id}"), "toolCallName": "ask"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": format!("c{id}"), "delta": "{}"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": format!("c{id}")}),
            json!({"type": "RUN_FINISHED", "threadId": thread, "runId": run}),
        ];
        let body = events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat();
        Some(Answer(200, "content-type: text/event-stream\r\n", body))
    });
    let tool = "{ name: ask, description: d, parameters: { type: object } }";
    let target = format!("target: {{ agui: {{ endpoint: \"{url}/\", wire: agui, tools: [{tool}] }} }}");
    let world = "world: { tools: { scripted: { ask: { reply: yes } } } }";
    let cases = "cases: [{ id: one, turns: [{ user: hi }] }]";
    let yaml = format!("suite: suite\nmode: live\n{target}\n{world}\n{cases}\n");
    let ran = Suite::empty().file("suite/agentci.yaml", yaml).run(&[]);
    ran.says(&["the agent called tools of the client in 50 runs one after another"]);
}

#[test]
fn a_hook_that_prints_too_much_fails_its_case() {
    let hook = "hooks: [{ command: [sh, -c, \"head -c 2000000 /dev/zero | tr '\\\\0' x\"] }]";
    let cases = format!("cases:\n  - {{ id: good, input: {{}} }}\n  - id: hooked\n    input: {{}}\n    {hook}\n");
    let suite = Suite::native(&cases).agent("good", "finish '{}'").agent("hooked", "finish '{}'");
    let ran = suite.run(&[]);
    ran.says(&["printed more than 1 MiB"]);
    assert_eq!(ran.case("good")["status"], "pass");
    assert_eq!(ran.case("hooked")["status"], "error");
}

/// Every limit of the page is in the code, with this value, and every test that it names is there.
#[test]
fn the_page_of_limits_tells_what_the_code_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/reference/limits.md")).unwrap();
    let row = Regex::new(r"^\| .* \| `([A-Z_]+) = ([^`]+)` in `([^`]+)` \| `([^`]+)` \|$").unwrap();
    let mut rows = 0;
    for line in page.lines().filter(|line| line.contains("` in `")) {
        let [name, value, file, test] = row.captures(line).unwrap_or_else(|| panic!("{line}")).extract().1;
        let code = fs::read_to_string(root.join("crates").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let definition = Regex::new(&format!(r"const {name}: [^=]+ = {};", regex::escape(value))).unwrap();
        assert!(definition.is_match(&code), "{name} is not {value} in {file}");
        let (module, function) = test.split_once("::").unwrap_or_else(|| panic!("{test}"));
        let source =
            fs::read_to_string(root.join("crates").join(module)).unwrap_or_else(|error| panic!("{module}: {error}"));
        assert!(source.contains(&format!("fn {function}(")), "there is no test {test}");
        rows += 1;
    }
    assert!(rows > 50, "{rows} limits");
}
