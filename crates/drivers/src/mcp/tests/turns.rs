use serde_json::json;

use super::*;

/// Reads to the end, so that the server does not exit early.
const STAY: &str = "\ncat >/dev/null";

fn call(arguments: Value) -> Input {
    action("mcp:call", arguments)
}

/// A server that runs `before`, and then answers its first call with `reply`.
fn answering(before: &str, reply: &Value) -> String {
    let reply = json!({ "jsonrpc": "2.0", "id": 3, "result": reply });
    format!("read call; {before}\ncat <<'END'\n{reply}\nEND{STAY}")
}

fn text(words: &str) -> Value {
    json!([{ "type": "text", "text": words }])
}

#[tokio::test]
async fn traces_one_tool_call_with_its_result() {
    let log = r#"echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"hot"}}'"#;
    let reply = json!({ "content": text("{\n \"sum\": 5\n}"), "structuredContent": { "sum": 5 } });
    let came = both(&answering(log, &reply), &[call(json!({ "tool": "add", "args": { "a": 2, "b": 3 } }))]).await;
    assert!(came.results[0].is_ok(), "{:?}", came.results);
    let calls = came.trace.calls();
    let result = calls[0].result.unwrap();
    assert_eq!(
        (calls.len(), calls[0].call.name.as_str(), &*calls[0].call.args),
        (1, "add", &json!({ "a": 2, "b": 3 }))
    );
    assert_eq!((result.ok, &*result.result, &result.error), (true, &json!({ "sum": 5 }), &None));
    assert_eq!(came.trace.conversation().text(), "{\n \"sum\": 5\n}");
    assert_eq!(came.trace.final_output(), Some(&json!({ "sum": 5 })));
    let kinds = came.kinds();
    assert!(
        matches!(kinds[2], EventKind::Log { level, message, .. } if level == "warning" && message == "hot"),
        "{kinds:?}"
    );
    assert_eq!(kinds.last(), Some(&&EventKind::TurnEnd));
    assert_eq!(came.ending.exit, Some(agentci_process::Exit::Code(0)));
}

#[tokio::test]
async fn tool_error_fails_the_turn_only_if_configured() {
    let script = answering("", &json!({ "content": text("no such city"), "isError": true }));
    let came = both(&script, &[call(json!({ "tool": "weather" }))]).await;
    assert!(came.results[0].is_ok());
    let calls = came.trace.calls();
    let result = calls[0].result.unwrap();
    assert_eq!((result.ok, result.error.as_deref()), (false, Some("no such city")));
    let came = both(&script, &[call(json!({ "tool": "weather", "errors": "fail" }))]).await;
    assert_eq!(came.error().to_string(), "the tool `weather` failed: no such city");
}

#[tokio::test]
async fn server_error_fails_the_turn() {
    let script = format!(
        r#"read call; echo '{{"jsonrpc":"2.0","id":3,"error":{{"code":-32602,"message":"Unknown tool: x"}}}}'{STAY}"#
    );
    let came = both(&script, &[call(json!({ "tool": "x" }))]).await;
    assert_eq!(came.error().to_string(), "the server answered with an error: Unknown tool: x (code -32602)");
    assert!(matches!(came.error(), DriveError::Refused { help, .. } if help.contains("mcp:list")));
    assert!(!came.trace.calls()[0].result.unwrap().ok);
}

#[tokio::test]
async fn answers_and_logs_elicitation_request() {
    let ask = r#"echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}'; read answer; echo "$answer" >&2"#;
    let script = answering(ask, &json!({ "content": text("for Ann") }));
    let answers = json!([{ "action": "accept", "content": { "name": "Ann" } }]);
    let came = both(&script, &[call(json!({ "tool": "reserve", "answers": answers }))]).await;
    assert_eq!(came.trace.conversation().text(), "for Ann");
    assert!(came.ending.stderr_tail.iter().any(|line| line.contains(r#""name":"Ann""#)), "{:?}", came.ending);
    assert!(
        came.kinds().iter().any(|kind| matches!(kind, EventKind::Log { message, .. } if message.contains("`Who?`")))
    );
    let came = both(&script, &[call(json!({ "tool": "reserve" }))]).await;
    let words = came.error().to_string();
    assert!(words.starts_with("the server asked `Who?`, but no answer is left"), "{words}");
}

#[tokio::test]
async fn non_protocol_output_is_a_violation_of_its_turn() {
    let script = answering("echo starting up", &json!({ "content": text("fine") }));
    let came = both(&script, &[call(json!({ "tool": "t" }))]).await;
    assert!(came.results[0].is_ok());
    let [violation] = came.violations()[..] else { panic!("{:?}", came.violations()) };
    assert!(violation.contains("starting up"), "{violation}");
}

#[tokio::test]
async fn reports_exit_code_and_stderr_of_stopped_server() {
    let came = both("read call; echo 'out of memory' >&2; exit 3", &[call(json!({ "tool": "t" }))]).await;
    let words = came.error().to_string();
    assert!(words.contains("the server stopped with exit code 3") && words.contains("out of memory"), "{words}");
    assert_eq!(came.ending.stderr_tail, ["out of memory"]);
    assert!(came.trace.calls()[0].result.is_none());
}

#[tokio::test]
async fn reports_missing_server_program() {
    let mut absent = target("");
    let command = vec![CommandPart { text: Text::Literal("no-such-server".into()), file: None }];
    absent.transport = McpTransport::Stdio { command, environment: Vec::new() };
    let came = drive(&absent, AgentLine::Live, Path::new(""), &[action("mcp:list", Value::Null)]).await;
    assert!(matches!(came.error(), DriveError::NotStarted(words) if words == "program `no-such-server` not found"));
}

#[tokio::test]
async fn server_is_reused_for_all_turns() {
    let reply = |id: u32, result: Value| {
        let reply = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        format!("read ask; cat <<'END'\n{reply}\nEND\n")
    };
    let script = [
        reply(3, json!({ "contents": [{ "uri": "note://a", "text": "Buy bread." }] })),
        reply(4, json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Review: x" } }] })),
        reply(5, json!({ "tools": [{ "name": "b" }, { "name": "a" }] })),
        reply(6, json!({ "prompts": [{ "name": "review" }] })),
    ];
    let turns = [
        action("mcp:read", json!({ "uri": "note://a" })),
        action("mcp:prompt", json!({ "name": "review", "args": { "text": "x" } })),
        action("mcp:list", Value::Null),
    ];
    let came = both(&(script.concat() + STAY), &turns).await;
    assert!(came.results.iter().all(Result::is_ok), "{:?}", came.results);
    assert!(came.trace.conversation().text().starts_with("Buy bread."), "{}", came.trace.conversation().text());
    let all = json!({ "tools": [{ "name": "a" }, { "name": "b" }], "prompts": [{ "name": "review" }] });
    assert_eq!(came.trace.final_output(), Some(&all));
    assert!(came.trace.calls().is_empty());
}

#[tokio::test]
async fn replay_refuses_unrecorded_requests() {
    let script = answering("", &json!({ "content": text("fine") }));
    let came = both(&script, &[call(json!({ "tool": "t", "args": { "day": "Monday" } }))]).await;
    let play = || AgentLine::Replay(ExchangePlayer::new(came.recording.clone().unwrap(), Redactor::default()));
    let other = [call(json!({ "tool": "t", "args": { "day": "Friday" } }))];
    let words = drive(&target(""), play(), Path::new(""), &other).await.error().to_string();
    assert_eq!(
        words,
        r#"request 1 differs from the recording: at /args/day the recording has "Monday", this run sent "Friday""#
    );
    let same = call(json!({ "tool": "t", "args": { "day": "Monday" } }));
    let more = [same.clone(), same];
    let words = drive(&target(""), play(), Path::new(""), &more).await.error().to_string();
    assert_eq!(words, "request 2 was not recorded: the recording has only the one before it");
}

#[tokio::test]
async fn recording_writes_snapshot_and_later_runs_compare_it() {
    let folder = std::env::temp_dir().join(format!("agentci-snapshot-{}", std::process::id()));
    let server = |kind: &str| {
        let tools = json!({ "tools": [{ "name": "add", "inputSchema": { "properties": { "a": { "type": kind } } } }] });
        let prompts = json!({ "jsonrpc": "2.0", "id": 4, "result": { "prompts": [] } });
        format!("{GREETED}{}", answering("", &tools).replace(STAY, &format!("\nread ask; echo '{prompts}'{STAY}")))
    };
    let turns = [action("mcp:list", json!({ "snapshot": "kept/tools.json" }))];
    let missing = drive(&target(&server("integer")), AgentLine::Live, &folder, &turns).await;
    let words = missing.error().to_string();
    assert!(
        words.contains("the snapshot `") && words.contains("` does not exist: create it with `agentci record`"),
        "{words}"
    );
    let made = drive(&target(&server("integer")), AgentLine::Record(ExchangeRecorder::new()), &folder, &turns).await;
    assert!(made.results[0].is_ok(), "{:?}", made.results);
    assert!(drive(&target(&server("integer")), AgentLine::Live, &folder, &turns).await.results[0].is_ok());
    let changed = drive(&target(&server("number")), AgentLine::Record(ExchangeRecorder::new()), &folder, &turns).await;
    let words = changed.error().to_string();
    assert!(words.starts_with("the tool `add` changed: at /inputSchema/properties/a/type the snapshot has"), "{words}");
    std::fs::remove_dir_all(&folder).unwrap();
}
