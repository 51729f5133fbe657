//! Steps before an answer: logs, progress, and questions to the client.

use serde_json::{Value, json};

use super::{Peer, text};

const ASKS: &str = "
tools:
  greet:
    answers:
      - steps:
          - ask: { who: { elicit: { message: 'Who, ${INPUT.day}?', requestedSchema: { type: object } } }, model: { sample: { messages: [], maxTokens: 5 } } }
          - ask: { where: { roots: true } }
        reply: '${INPUT.who.content.name:-nobody} on ${INPUT.day}: ${INPUT.where.roots}'
      - reply: again
  tell:
    answers:
      steps: [{ log: { level: debug, data: fine } }, { progress: { progress: 1, total: 4, message: begun } }, { wait: 1ms }, { log: { level: error, data: [1] } }, { close: true }]
      reply: told
";

fn all() -> Value {
    json!({ "elicitation": {}, "sampling": {}, "roots": {} })
}

#[tokio::test]
async fn client_replies_are_inserted_into_the_answer() {
    let mut peer = Peer::greeted(ASKS, all()).await;
    let question = peer.ask("tools/call", json!({ "name": "greet", "arguments": { "day": "Monday" } })).await;
    assert_eq!(
        (&question["method"], &question["params"]["message"]),
        (&json!("elicitation/create"), &json!("Who, Monday?"))
    );
    let said = json!({ "action": "accept", "content": { "name": "Ann" } });
    peer.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": said })).await;
    let question = peer.hear().await;
    assert_eq!(question["method"], "sampling/createMessage");
    peer.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": {} })).await;
    let question = peer.hear().await;
    assert_eq!(question["method"], "roots/list");
    peer.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } })).await;
    assert_eq!(text(&peer.hear().await), "Ann on Monday: []");
}

#[tokio::test]
async fn call_fails_if_client_refuses_or_lacks_capability() {
    let mut peer = Peer::greeted(ASKS, all()).await;
    let question = peer.ask("tools/call", json!({ "name": "greet", "arguments": { "day": "Monday" } })).await;
    let refusal =
        json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "User rejected" } });
    peer.say(&refusal).await;
    assert_eq!(text(&peer.hear().await), "-1: User rejected");
    let mut mute = Peer::greeted(ASKS, json!({})).await;
    let said = mute.call("greet", json!({ "day": "Monday" })).await;
    assert_eq!(said, "-32600: the client cannot be asked: it does not declare elicitation or sampling");
}

#[tokio::test]
async fn stateless_client_retries_call_with_input_responses() {
    let mut peer = Peer::new(ASKS);
    let call = json!({ "name": "greet", "arguments": { "day": "Monday" } });
    let waits = peer.ask_modern("tools/call", call.clone(), all()).await;
    let result = &waits["result"];
    assert_eq!(result["resultType"], "input_required");
    let asked: Vec<&String> = result["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["who", "model"]);
    assert_eq!(result["inputRequests"]["who"]["params"]["message"], "Who, Monday?");
    // Missing answers are requested again; earlier ones are kept.
    let mut again = call.clone();
    again["requestState"] = result["requestState"].clone();
    again["inputResponses"] =
        json!({ "who": { "action": "accept", "content": { "name": "Ann" } }, "model": 5, "other": {} });
    let waits = peer.ask_modern("tools/call", again, all()).await;
    let asked: Vec<&String> = waits["result"]["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["model"]);
    let mut again = call.clone();
    again["requestState"] = waits["result"]["requestState"].clone();
    again["inputResponses"] = json!({ "model": {} });
    let waits = peer.ask_modern("tools/call", again, all()).await;
    let mut again = call.clone();
    again["requestState"] = waits["result"]["requestState"].clone();
    again["inputResponses"] = json!({ "where": { "roots": ["a"] } });
    let done = peer.ask_modern("tools/call", again, all()).await;
    assert_eq!((text(&done).as_str(), &done["result"]["resultType"]), (r#"Ann on Monday: ["a"]"#, &json!("complete")));
    // The paused call was the first; this is the second.
    assert_eq!(text(&peer.ask_modern("tools/call", call.clone(), all()).await), "again");
    let mut forged = call;
    forged["requestState"] = json!("made up");
    let refused = peer.ask_modern("tools/call", forged, all()).await;
    assert_eq!(text(&refused), "-32602: `requestState` was not issued by this server");
}

#[tokio::test]
async fn requests_only_input_the_client_supports() {
    let mut peer = Peer::new(ASKS);
    let call = json!({ "name": "greet", "arguments": { "day": "Monday" } });
    let waits = peer.ask_modern("tools/call", call.clone(), json!({ "sampling": {} })).await;
    let asked: Vec<&String> = waits["result"]["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["model"]);
    let refused = peer.ask_modern("tools/call", call, json!({})).await;
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({ "elicitation": {}, "sampling": {} }));
}

#[tokio::test]
async fn sends_logs_and_progress_only_if_requested() {
    let mut peer = Peer::greeted(ASKS, json!({})).await;
    peer.send("tools/call", json!({ "name": "tell", "_meta": { "progressToken": "p" } })).await;
    assert_eq!(peer.hear().await["params"], json!({ "level": "debug", "logger": "shop", "data": "fine" }));
    let progress = json!({ "progressToken": "p", "progress": 1, "total": 4, "message": "begun" });
    assert_eq!(peer.hear().await["params"], progress);
    assert_eq!(peer.hear().await["params"]["data"], json!([1]));
    assert_eq!(text(&peer.hear().await), "told");
    // No progress without a token, and no log messages below the level.
    peer.ask("logging/setLevel", json!({ "level": "warning" })).await;
    peer.send("tools/call", json!({ "name": "tell" })).await;
    assert_eq!(peer.hear().await["params"]["level"], "error");
    assert_eq!(text(&peer.hear().await), "told");
    assert_eq!(
        text(&peer.ask("logging/setLevel", json!({ "level": "loud" })).await),
        "-32602: unknown log level `loud`"
    );
}

#[tokio::test]
async fn stateless_requests_get_only_requested_log_levels() {
    let mut peer = Peer::new(ASKS);
    let quiet = peer.ask_modern("tools/call", json!({ "name": "tell" }), json!({})).await;
    assert_eq!(text(&quiet), "told");
    let loud = peer.ask_modern("tools/call", json!({ "name": "tell", "level": "info" }), json!({})).await;
    assert_eq!(loud["params"]["level"], "error");
    assert_eq!(text(&peer.hear().await), "told");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_client_reply_times_out() {
    let mut peer = Peer::greeted(ASKS, all()).await;
    let begun = tokio::time::Instant::now();
    peer.send("tools/call", json!({ "name": "greet", "arguments": { "day": "Monday" } })).await;
    assert_eq!(peer.hear().await["method"], "elicitation/create");
    let line = peer.lines.next_line().await.unwrap().unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(text(&answer), "-32603: the client did not answer `elicitation/create` within 600 s");
    assert_eq!(begun.elapsed().as_secs(), 600);
}
