//! Tool calls, lists, resources and prompts.

use serde_json::json;

use super::{Peer, text};
use crate::ServerEvent;

const SHOP: &str = "
tools:
  find:
    description: Finds an order.
    inputSchema: { type: object, required: [id], properties: { id: { type: string }, lines: { type: integer } } }
    answers:
      - { when: { id: A-17 }, reply: { id: A-17, total: 60 } }
      - { when: { id: A-17 }, reply: second }
      - { when: { id: B-1, lines: 2 }, error: 'no order ${INPUT.id}' }
  busy: { answers: [{ fail: { code: -32000, message: busy } }, { reply: done }] }
  typed: { outputSchema: { type: object, required: [a] }, answers: [{ reply: { a: 1 } }, { reply: { b: 1 } }] }
resources:
  'shop://terms': { mimeType: text/plain, text: No returns. }
  'shop://orders/{id}': { text: 'order ${INPUT.id}' }
prompts:
  refund: { description: Refunds., arguments: [{ name: id, required: true }], messages: [{ user: 'Refund ${INPUT.id}.' }], complete: { id: [A-17, A-18, B-1] } }
";

#[tokio::test]
async fn matching_answers_are_used_in_order_and_last_repeats() {
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    assert_eq!(peer.call("find", json!({ "id": "A-17" })).await, r#"{"id":"A-17","total":60}"#);
    for _ in 0..2 {
        assert_eq!(peer.call("find", json!({ "id": "A-17", "lines": 1 })).await, "second");
    }
    assert_eq!(peer.call("find", json!({ "id": "B-1", "lines": 2.0 })).await, "isError: no order B-1");
    assert_eq!(peer.call("busy", json!({})).await, "-32000: busy");
    assert_eq!(peer.call("busy", json!({})).await, "done");
    let seen = peer.all_seen();
    let call = ServerEvent::Call { number: 1, tool: "find".into(), arguments: json!({ "id": "A-17" }) };
    let answer = ServerEvent::Answer { number: 1, outcome: Ok(json!({ "id": "A-17", "total": 60 })), fault: None };
    assert_eq!(seen[..2], [call, answer]);
}

#[tokio::test]
async fn unscripted_request_is_an_error_and_a_miss() {
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    let asked = peer.call("find", json!({ "id": "C-9" })).await;
    assert_eq!(asked, r#"-32603: no answer of the tool `find` matches {"id":"C-9"}"#);
    assert_eq!(peer.call("finds", json!({})).await, "-32602: Unknown tool: finds");
    let read = peer.ask("resources/read", json!({ "uri": "shop://none" })).await;
    assert_eq!((read["error"]["code"].as_i64(), &read["error"]["data"]["uri"]), (Some(-32002), &json!("shop://none")));
    assert_eq!(text(&peer.ask("prompts/get", json!({ "name": "none" })).await), "-32602: Unknown prompt: none");
    let mut misses = peer.all_seen().into_iter().filter_map(|seen| match seen {
        ServerEvent::Miss { message, .. } => Some(message),
        ServerEvent::Call { .. } | ServerEvent::Answer { .. } => None,
    });
    for told in ["no answer of the tool", "unknown tool `finds`", "unknown resource", "unknown prompt"] {
        let seen = misses.next().unwrap_or_else(|| panic!("{told} is not told"));
        assert!(seen.contains(told), "{seen}");
    }
}

#[tokio::test]
async fn validates_arguments_and_results_against_schemas() {
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    let asked = peer.call("find", json!({ "id": 17 })).await;
    assert_eq!(asked, "isError: Input validation error: at `/id`, 17 is not of type \"string\"");
    assert!(peer.call("find", json!({})).await.starts_with("isError: Input validation error: \"id\" is a required"));
    assert_eq!(peer.call("typed", json!({})).await, r#"{"a":1}"#);
    let wrong = peer.call("typed", json!({})).await;
    assert!(wrong.starts_with("-32603: the script's answer does not match `outputSchema`"), "{wrong}");
    assert_eq!(
        text(&peer.ask("tools/call", json!({ "name": "find", "arguments": [] })).await),
        "-32602: `arguments` must be an object"
    );
}

#[tokio::test]
async fn serves_resource_templates_prompts_and_completions() {
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    let read = peer.ask("resources/read", json!({ "uri": "shop://orders/A-17" })).await;
    assert_eq!(read["result"]["contents"], json!([{ "uri": "shop://orders/A-17", "text": "order A-17" }]));
    let listed = peer.ask("resources/templates/list", json!({})).await;
    assert_eq!(listed["result"]["resourceTemplates"][0]["uriTemplate"], "shop://orders/{id}");
    let prompt = peer.ask("prompts/get", json!({ "name": "refund", "arguments": { "id": "A-17" } })).await;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Refund A-17.");
    let lacking = peer.ask("prompts/get", json!({ "name": "refund" })).await;
    assert_eq!(text(&lacking), "-32602: the prompt `refund` needs the argument `id`");
    let begun =
        json!({ "ref": { "type": "ref/prompt", "name": "refund" }, "argument": { "name": "id", "value": "A" } });
    let completed = peer.ask("completion/complete", begun).await;
    assert_eq!(completed["result"]["completion"], json!({ "values": ["A-17", "A-18"], "total": 2, "hasMore": false }));
}

#[tokio::test]
async fn paginates_lists_when_script_sets_page_size() {
    let mut peer = Peer::greeted(&format!("{SHOP}page: 2\n"), json!({})).await;
    let first = peer.ask("tools/list", json!({})).await;
    let names = |answer: &serde_json::Value| {
        let tools = answer["result"]["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((names(&first), &first["result"]["nextCursor"]), (vec!["find".into(), "busy".into()], &json!("2")));
    let rest = peer.ask("tools/list", json!({ "cursor": "2" })).await;
    assert_eq!((names(&rest), rest["result"].get("nextCursor")), (vec!["typed".into()], None));
    assert_eq!(text(&peer.ask("tools/list", json!({ "cursor": "9" })).await), "-32602: unknown cursor \"9\"");
}

#[tokio::test]
async fn methods_without_capability_are_unsupported() {
    let mut peer = Peer::greeted("prompts: { p: { messages: [{ user: hi }] } }", json!({})).await;
    for method in ["tools/list", "tools/call", "resources/list", "server/shutdown"] {
        let said = text(&peer.ask(method, json!({ "name": "a" })).await);
        assert_eq!(said, format!("-32601: the method `{method}` is not supported"));
    }
    assert_eq!(peer.ask("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn continues_after_refusing_invalid_messages() {
    use tokio::io::AsyncWriteExt as _;
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    peer.output.write_all(b"hello\n\n{\"jsonrpc\":\"1.0\"}\n").await.unwrap();
    for _ in 0..2 {
        assert_eq!(peer.hear().await["error"]["code"], -32700);
    }
    assert_eq!(peer.call("busy", json!({})).await, "-32000: busy");
}

#[tokio::test]
async fn limits_completions_to_100_values() {
    let values: Vec<String> = (0..150).map(|number| format!("v{number}")).collect();
    let script =
        format!("prompts: {{ p: {{ messages: [{{ user: hi }}], complete: {{ a: [{}] }} }} }}", values.join(", "));
    let mut peer = Peer::greeted(&script, json!({})).await;
    let begun = json!({ "ref": { "type": "ref/prompt", "name": "p" }, "argument": { "name": "a", "value": "v" } });
    let completion = &peer.ask("completion/complete", begun).await["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));
}
