use std::time::Duration;

use serde_json::{Value, json};

use super::{LIMIT, Log};
use crate::{ConnectOptions, ElicitationAction, ElicitationAnswer, Era, McpClient, McpError, McpFault, ServerAddress};
use agentci_process::{Exit, ProcessCommand};

/// The start of a legacy server. The ids of the client count from one.
const LEGACY: &str = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'
read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old"}}}'
read initialized
"#;
/// The start of a modern server.
pub(super) const MODERN: &str = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new"}}}}'
"#;
/// Reads to the end of input, so that the server does not exit early.
pub(super) const STAY: &str = "cat >/dev/null";

fn shell(script: &str) -> ServerAddress {
    ServerAddress::Stdio(ProcessCommand {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        ..ProcessCommand::default()
    })
}

pub(super) async fn connect(begin: &str, script: &str, options: ConnectOptions) -> McpClient {
    McpClient::connect(shell(&format!("{begin}\n{script}")), options, LIMIT).await.unwrap()
}

pub(super) async fn call(client: &McpClient, answers: Vec<ElicitationAnswer>) -> Result<crate::CallResult, McpError> {
    client.call_tool("tool", &json!({ "a": 1 }), answers, LIMIT).await
}

fn accept(content: Value) -> ElicitationAnswer {
    ElicitationAnswer { action: ElicitationAction::Accept, content: Some(content) }
}

#[tokio::test]
async fn every_modern_request_carries_client_metadata() {
    let log = Log::default();
    let reply = r#"read call; echo '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}]}}'"#;
    let client = connect(MODERN, &format!("{reply}; {STAY}"), log.options()).await;
    assert_eq!((client.facts().era, client.facts().version.as_str()), (Era::Modern, "2026-07-28"));
    assert_eq!(client.facts().server["name"], "new");
    assert_eq!(call(&client, vec![]).await.unwrap().text(), "hi");
    let sent = log.sent();
    assert_eq!(log.methods(), ["server/discover", "tools/call"]);
    assert_eq!((&sent[1]["params"]["name"], &sent[1]["params"]["arguments"]), (&json!("tool"), &json!({ "a": 1 })));
    for message in &sent {
        let meta = &message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"].is_object());
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "agentci");
        assert_eq!(meta["progressToken"], message["id"]);
    }
    assert_eq!(log.received().len(), 2);
    assert_eq!(client.close().await.ending.unwrap().exit, Some(Exit::Code(0)));
}

#[tokio::test]
async fn legacy_server_is_initialized() {
    let log = Log::default();
    let client = connect(LEGACY, STAY, log.options()).await;
    assert_eq!((client.facts().era, client.facts().version.as_str()), (Era::Legacy, "2025-06-18"));
    client.close().await;
    assert_eq!(log.methods(), ["server/discover", "initialize", "notifications/initialized"]);
}

#[tokio::test]
async fn server_exiting_on_discovery_is_restarted_and_initialized() {
    let script = format!(
        "read first; case $first in *discover*) exit 1;; esac
        echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{{}}}}}}'; {STAY}"
    );
    let client = McpClient::connect(shell(&script), ConnectOptions::default(), LIMIT).await.unwrap();
    assert_eq!(client.facts().version, "2025-03-26");
    client.close().await;
}

#[tokio::test]
async fn silent_server_is_probed_for_both_eras() {
    let options = || ConnectOptions { silence: Duration::from_millis(50), ..ConnectOptions::default() };
    let silent = r#"read discover; read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'"#;
    let client = connect(silent, STAY, options()).await;
    assert_eq!(client.facts().era, Era::Legacy);
    client.close().await;
    let slow = format!("{}\n{}", MODERN.replace("read discover;", "read discover; read initialize;"), STAY);
    let client = connect(&slow, "", options()).await;
    assert_eq!(client.facts().era, Era::Modern);
    client.close().await;
}

#[tokio::test]
async fn refuses_server_with_unknown_revision() {
    let script = LEGACY.replace("2025-06-18", "2031-01-01");
    let error =
        McpClient::connect(shell(&format!("{script}{STAY}")), ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert_eq!(error, McpError::NoCommonVersion { versions: vec!["2031-01-01".into()] });
}

#[tokio::test]
async fn notifications_before_initialization_are_kept() {
    let note = r#"read discover; echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"early"}}';"#;
    let client = connect(&LEGACY.replace("read discover;", note), STAY, ConnectOptions::default()).await;
    let notifications = client.notifications();
    assert_eq!(notifications.len(), 1);
    assert_eq!(notifications[0].params["data"], "early");
    assert!(client.notifications().is_empty());
    client.close().await;
}

#[tokio::test]
async fn noise_is_recorded_and_does_not_stop_a_call() {
    let script = format!(
        "echo 'Listening on stdin'; read call; echo '{{\"level\":\"info\"}}'; echo; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"content\":[]}}}}'; {STAY}"
    );
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    call(&client, vec![]).await.unwrap();
    let defects = client.close().await.defects;
    let quotes: Vec<_> = defects.iter().map(|defect| (defect.fault, defect.quote.as_str())).collect();
    assert_eq!(quotes, [(McpFault::Noise, "Listening on stdin"), (McpFault::Noise, "{\"level\":\"info\"}")]);
}

#[tokio::test]
async fn missing_response_error_quotes_noise() {
    let client = connect(&format!("echo hello\n{MODERN}"), STAY, ConnectOptions::default()).await;
    let error = client.list_tools(Duration::from_millis(50)).await.unwrap_err();
    let words = error.to_string();
    assert!(words.starts_with("no answer to `tools/list` within 0.05 s; the server wrote something"), "{words}");
    assert!(words.ends_with("`hello`"), "{words}");
    assert!(error.help().unwrap().contains("standard error"));
    client.close().await;

    let error =
        McpClient::connect(shell("echo hello; echo why >&2"), ConnectOptions::default(), LIMIT).await.unwrap_err();
    let words = error.to_string();
    assert!(words.starts_with("the server stopped with exit code 0; the server wrote something"), "{words}");
    assert!(words.ends_with("`hello`; stderr: why"), "{words}");
}

#[tokio::test]
async fn crash_during_call_is_reported_with_stderr() {
    let client = connect(MODERN, "read call; echo 'no such table' >&2; exit 3", ConnectOptions::default()).await;
    let error = call(&client, vec![]).await.unwrap_err();
    assert_eq!(error.to_string(), "the server stopped with exit code 3; stderr: no such table");
    assert!(matches!(call(&client, vec![]).await, Err(McpError::Died { exit: Some(Exit::Code(3)), .. })));
    assert_eq!(client.close().await.ending.unwrap().exit, Some(Exit::Code(3)));
}

#[tokio::test]
async fn reports_missing_program_by_name() {
    let server = ServerAddress::Stdio(ProcessCommand { program: "no-such-server".into(), ..ProcessCommand::default() });
    let error = McpClient::connect(server, ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert_eq!(error, McpError::NotStarted("program `no-such-server` not found".into()));
}

#[tokio::test]
async fn responses_can_arrive_in_any_order() {
    let script = format!(
        "read one; read two; for id in 3 2; do echo '{{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"'$id'\"}}]}}}}'; done; {STAY}"
    );
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    let (first, second) = tokio::join!(call(&client, vec![]), call(&client, vec![]));
    assert_eq!((first.unwrap().text(), second.unwrap().text()), ("2".into(), "3".into()));
    client.close().await;
}

#[tokio::test]
async fn progress_is_assigned_to_its_call() {
    let script = format!(
        "read one; read two
        for id in 3 2 3; do echo '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":'$id',\"progress\":1}}}}'; done
        echo '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"data\":\"whose?\"}}}}'
        for id in 2 3; do echo '{{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{{}}}}'; done; {STAY}"
    );
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    let (first, second) = tokio::join!(call(&client, vec![]), call(&client, vec![]));
    let heard = (first.unwrap().received.notifications.len(), second.unwrap().received.notifications.len());
    assert_eq!(heard, (1, 2));
    assert_eq!(client.notifications()[0].params["data"], "whose?");
    client.close().await;
}

const ASK: &str = r#"echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object"}}}'"#;

#[tokio::test]
async fn answers_requests_from_a_legacy_server() {
    let script = format!(
        "read call; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}'; read pong
        echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"roots/list\"}}'; read roots
        echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"sampling/createMessage\",\"params\":{{}}}}'; read sampled
        {ASK}; read who
        case \"$pong$roots$sampled$who\" in *'\"result\":{{}}'*'\"roots\":[]'*-32601*'\"id\":\"q\"'*'\"accept\"'*Ann*) say=right;; *) say=wrong;; esac
        echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"'$say'\"}}]}}}}'; {STAY}"
    );
    let log = Log::default();
    let client = connect(LEGACY, &script, log.options()).await;
    let result = call(&client, vec![accept(json!({ "name": "Ann" }))]).await.unwrap();
    assert_eq!(result.text(), "right", "{:?}", log.sent());
    assert_eq!(result.received.refused, ["sampling/createMessage"]);
    assert_eq!(result.received.asked[0].question.message, "Who?");
    assert_eq!(result.received.asked[0].answer, json!({ "action": "accept", "content": { "name": "Ann" } }));
    client.close().await;
}

#[tokio::test]
async fn elicitation_without_an_answer_fails_the_call() {
    let script = format!("read call; {ASK}; read refusal; read cancelled; echo \"$refusal $cancelled\" >&2; {STAY}");
    let client = connect(LEGACY, &script, ConnectOptions::default()).await;
    let error = call(&client, vec![]).await.unwrap_err();
    assert_eq!(error.to_string(), r#"the server asked `Who?`, but no answer is left; it expects {"type":"object"}"#);
    let heard = client.close().await.ending.unwrap().stderr_tail.join("\n");
    assert!(heard.contains(r#""id":"q","error""#) && heard.contains("notifications/cancelled"), "{heard}");
}

#[tokio::test]
async fn call_is_repeated_when_modern_server_requires_input() {
    let wants = r#"{"resultType":"input_required","requestState":"s\u00e9cret","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Who?"}},"r":{"method":"roots/list"}}}"#;
    let again = r#"{"resultType":"input_required","requestState":"two"}"#;
    let script = format!(
        "read one; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{wants}}}'
        read two; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{again}}}'
        read three; echo '{{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{{\"resultType\":\"complete\"}}}}'; {STAY}"
    );
    let log = Log::default();
    let client = connect(MODERN, &script, log.options()).await;
    let result =
        call(&client, vec![ElicitationAnswer { action: ElicitationAction::Decline, content: None }]).await.unwrap();
    assert_eq!(result.received.asked.len(), 1);
    let sent = log.sent();
    let (second, third) = (&sent[2]["params"], &sent[3]["params"]);
    assert_eq!(second["requestState"], "sécret");
    assert_eq!(second["inputResponses"], json!({ "k": { "action": "decline" }, "r": { "roots": [] } }));
    assert_eq!(second["arguments"], json!({ "a": 1 }));
    assert_eq!((&third["requestState"], third.get("inputResponses")), (&json!("two"), None));
    client.close().await;
}

#[tokio::test]
async fn refuses_input_requests_that_were_not_offered() {
    let wants =
        r#"{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}}"#;
    let script = format!("read one; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{wants}}}'; {STAY}");
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    assert_eq!(call(&client, vec![]).await.unwrap_err(), McpError::NotOffered("sampling/createMessage".into()));
    client.close().await;
}

#[tokio::test]
async fn timed_out_call_is_cancelled() {
    let client = connect(
        MODERN,
        "read call; read cancelled; echo \"$cancelled\" >&2; cat >/dev/null",
        ConnectOptions::default(),
    )
    .await;
    let limit = Duration::from_millis(100);
    let error = client.call_tool("tool", &Value::Null, vec![], limit).await.unwrap_err();
    assert!(matches!(error, McpError::TimedOut { ref method, .. } if method == "tools/call"), "{error}");
    let heard = client.close().await.ending.unwrap().stderr_tail.join("\n");
    assert!(heard.contains(r#""notifications/cancelled","params":{"requestId":2"#), "{heard}");
}

#[tokio::test]
async fn receives_twenty_megabyte_result() {
    let script = format!(
        "read call; printf '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"'; head -c 20971520 /dev/zero | tr '\\0' x; echo '\"}}]}}}}'; {STAY}"
    );
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    assert_eq!(call(&client, vec![]).await.unwrap().text().len(), 20 << 20);
    client.close().await;
}

#[tokio::test]
async fn messages_notifications_and_requests_have_limits() {
    let endless = "read call; head -c 70000000 /dev/zero | tr '\\0' x; cat >/dev/null";
    let client = connect(MODERN, endless, ConnectOptions::default()).await;
    assert!(matches!(call(&client, vec![]).await, Err(McpError::TooMuch { what: "bytes in one message", .. })));
    client.close().await;

    let flood = r#"read call; yes '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' | head -20000; cat >/dev/null"#;
    let client = connect(MODERN, flood, ConnectOptions::default()).await;
    assert!(matches!(call(&client, vec![]).await, Err(McpError::TooMuch { what: "notifications in one call", .. })));
    client.close().await;

    let asks = r#"read call; yes '{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}' | head -2000; cat >/dev/null"#;
    let client = connect(MODERN, asks, ConnectOptions::default()).await;
    assert!(matches!(call(&client, vec![]).await, Err(McpError::TooMuch { what: "requests in one call", .. })));
    client.close().await;

    let pages = r#"while read line; do id=${line#*\"id\":}; id=${id%%,*}; echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[],"nextCursor":"more"}}'; done"#;
    let client = connect(MODERN, pages, ConnectOptions::default()).await;
    let error = client.list_tools(LIMIT).await.unwrap_err();
    assert_eq!(error, McpError::TooMuch { what: "pages in one list", limit: 1_000 });
    client.close().await;
}

#[tokio::test]
async fn list_pages_are_joined() {
    let script = format!(
        "read one; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"tools\":[{{\"name\":\"a\"}}],\"nextCursor\":\"c\"}}}}'
        read two; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"tools\":[{{\"name\":\"b\"}}]}}}}'; {STAY}"
    );
    let log = Log::default();
    let client = connect(MODERN, &script, log.options()).await;
    assert_eq!(client.list_tools(LIMIT).await.unwrap(), [json!({ "name": "a" }), json!({ "name": "b" })]);
    assert_eq!(log.sent()[2]["params"]["cursor"], "c");
    client.close().await;
}

#[tokio::test]
async fn unknown_response_is_a_defect_but_late_is_not() {
    let script = format!(
        "read call; for id in 77 '\"x\"' 1; do echo '{{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{{}}}}'; done
        echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{}}}}'; {STAY}"
    );
    let client = connect(MODERN, &script, ConnectOptions::default()).await;
    call(&client, vec![]).await.unwrap();
    let faults: Vec<_> = client.close().await.defects.into_iter().map(|defect| defect.fault).collect();
    assert_eq!(faults, [McpFault::UnknownReply, McpFault::UnknownReply]);
}
