//! All external input is limited, and the message for exceeding a limit names the limit. `docs/reference/limits.md`
//! lists the limits with their tests, and `limits_page.rs` compares that page with the code.

use std::fmt::Write as _;
use std::fs::{self, File};

use serde_json::json;

use crate::http_server::{Answer, listen};
use crate::suite::Suite;

/// Creates a sparse file of this size, which uses no disk space.
fn sparse(suite: &Suite, path: &str, bytes: u64) {
    let path = suite.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create(path).unwrap().set_len(bytes).unwrap();
}

const MOCK: &str = "suite: suite\ntarget: { mock: { model_name: m, responses: [] } }\n";

#[test]
fn refuses_oversized_files_without_reading_them() {
    let case = "cases: [{ id: one, input: {} }]\n";
    let process = "suite: suite\ntarget: { process: { command: [sh, agent.sh] } }\n";
    let files = [
        ("suite/agentci.yaml", 64, String::new()),
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
fn refuses_oversized_stored_runs_and_baselines() {
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
fn unterminated_line_ends_the_case() {
    let suite = Suite::new().case("endless", "", "head -c 140000000 /dev/zero | tr '\\0' x; sleep 600");
    let ran = suite.run(&["--timeout", "100s"]);
    ran.only_wrong("endless", "error", "protocol");
    ran.says(&["a line of more than 128 MiB"]);
}

#[test]
fn agent_with_endless_output_is_stopped() {
    // Blank lines are ignored, so nothing else ends the case.
    let script = "line=$(head -c 4000000 /dev/zero | tr '\\0' ' ')\nwhile :; do printf '%s\\n' \"$line\"; done";
    let suite = Suite::new().case("flood", "", script);
    let ran = suite.run(&["--timeout", "300s"]);
    ran.only_wrong("flood", "error", "protocol");
    ran.says(&["more than 512 MiB"]);
}

/// The console report of a case whose server answer exceeds a limit; `kind` is the content type header.
fn answered(kind: &'static str, body: String) -> String {
    let url = listen(move |_| Some(Answer(200, kind, body.clone())));
    let yaml =
        format!("suite: suite\ntarget: {{ http: {{ url: \"{url}/\" }} }}\ncases: [{{ id: one, input: {{ q: a }} }}]\n");
    let ran = Suite::empty().file("suite/agentci.yaml", yaml).run(&["--timeout", "100s"]);
    assert_eq!(ran.case("one")["status"], "error", "{ran:?}");
    ran.stdout
}

#[test]
fn refuses_oversized_http_responses() {
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
fn agent_with_endless_client_tool_calls_is_stopped() {
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
    ran.says(&["the agent called client tools in 50 consecutive runs"]);
}

#[test]
fn hook_with_oversized_output_fails_its_case() {
    let hook = "hooks: [{ command: [sh, -c, \"head -c 2000000 /dev/zero | tr '\\\\0' x\"] }]";
    let cases = format!("cases:\n  - {{ id: good, input: {{}} }}\n  - id: hooked\n    input: {{}}\n    {hook}\n");
    let suite = Suite::native(&cases).agent("good", "finish '{}'").agent("hooked", "finish '{}'");
    let ran = suite.run(&[]);
    ran.says(&["printed more than 1 MiB"]);
    assert_eq!(ran.case("good")["status"], "pass");
    assert_eq!(ran.case("hooked")["status"], "error");
}

#[test]
fn refuses_oversized_response_file() {
    let tools = "world: { tools: { bases: [PAY], routes: { slips: [{ response_file: big.json }] } } }";
    let cases = format!("{tools}\ncases: [{{ id: one, input: {{}} }}]\n");
    let suite = Suite::native(&cases).agent("one", "finish '{}'");
    sparse(&suite, "suite/big.json", (64 << 20) + 1);
    let ran = suite.run(&[]);
    assert_eq!(ran.verdicts()[0].2, "config", "{ran:?}");
    ran.says(&["the limit is 67108864"]);
}

/// Each variable contains the previous one ten times: a few lines expand to a terabyte.
#[test]
fn refuses_exponentially_growing_variables() {
    let mut variables = "variables:\n  v0: xxxxxxxxxx\n".to_owned();
    for level in 1..12 {
        let before = format!("${{v{}}}", level - 1).repeat(10);
        writeln!(variables, "  v{level}: \"{before}\"").unwrap();
    }
    let one = format!("{variables}cases:\n  - {{ id: one, input: {{}} }}\n");
    let told = "the variables of the case expand to more than 64 MiB of text";
    let ran = Suite::native(&one).agent("one", "finish '{}'").run(&[]);
    assert_eq!(ran.verdicts()[0].2, "config", "{ran:?}");
    ran.says(&[told, "help: use shorter values"]);
    // No string is too long on its own, but together they are.
    let texts = vec!["\"${big}\""; 70].join(", ");
    let hook = "hooks: [{ command: [sh, -c, \"printf '{\\\"big\\\":\\\"'; head -c 1000000 /dev/zero | tr '\\\\0' x; echo '\\\"}'\"] }]";
    let many = format!("cases:\n  - id: one\n    {hook}\n    input: {{ all: [{texts}] }}\n");
    let ran = Suite::native(&many).agent("one", "finish '{}'").run(&[]);
    assert_eq!(ran.verdicts()[0].2, "config", "{ran:?}");
    ran.says(&[told]);
}

#[test]
fn merge_refuses_run_with_too_many_shards() {
    let suite = Suite::empty().file("suite/agentci.yaml", format!("{MOCK}cases: [{{ id: one, input: {{}} }}]\n"));
    suite.run(&["--shard", "1/2", "--output-dir", "part"]);
    let run = fs::read_dir(suite.path("part/suite")).unwrap().next().unwrap().unwrap().path().join("run.jsonl");
    let text = fs::read_to_string(&run).unwrap();
    assert!(text.contains("\"count\":2,"), "{text}");
    fs::write(&run, text.replace("\"count\":2,", "\"count\":4294967295,")).unwrap();
    let merged = suite.agentci(&["merge", "part"]);
    assert_eq!(merged.code, Some(1), "{merged:?}");
    merged.complains(&["is one of 4294967295 shards, expected 1 to 10000"]);
}

#[test]
fn keeps_at_most_1000_tool_steps() {
    let tools = "world: { tools: { scripted: { t: { reply: 1 } } } }";
    let cases = format!("{tools}\ncases: [{{ id: one, input: {{}} }}]\n");
    let script = "i=0; while [ $i -lt 1010 ]; do call t '{}'; i=$((i+1)); done; finish '{}'";
    let ran = Suite::native(&cases).agent("one", script).run(&["--timeout", "100s"]);
    ran.all_passed();
    let case = ran.case("one");
    assert_eq!(case["tool_steps"].as_array().unwrap().len(), 1_000);
    assert_eq!(case["tool_calls"], 1_010, "{case}");
}

#[test]
fn number_of_runs_per_case_is_limited() {
    let suite = Suite::new();
    let ran = suite.run(&["--runs", "100001"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["expected an integer from 1 to 100000, or `until-decided`"]);
}
