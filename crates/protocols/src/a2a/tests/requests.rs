//! Requests to agents.

use super::*;
use crate::a2a::{A2aCall, A2aMethod, Interface, OutgoingMessage, PreparedCall};

fn interface(version: A2aVersion, binding: Binding, tenant: Option<&str>) -> Interface {
    let protocol = A2aProtocol { version, binding };
    Interface { url: "https://example.com/a2a/?x=1".into(), protocol, tenant: tenant.map(str::to_owned) }
}

fn sent(call: A2aCall<'_>, interface: &Interface) -> (PreparedCall, Value) {
    let mut made = 0;
    let prepared = call.prepare(interface, &mut || {
        made += 1;
        format!("id-{made}")
    });
    let body = serde_json::from_str(&prepared.body).unwrap_or_default();
    (prepared, body)
}

fn message() -> OutgoingMessage {
    let arguments = json!({
        "message": "hello", "parts": [{ "data": { "n": 1 } }], "metadata": { "k": "v" }, "contextId": "c", "taskId": "t/1",
    });
    let message = OutgoingMessage::of_action(&arguments).unwrap();
    A2aConversation::new(None).say(message, &["text/plain".to_owned()])
}

#[test]
fn sends_same_message_in_every_protocol() {
    let message = message();
    let call = A2aCall::Send { message: &message, immediately: true };
    let (modern, body) = sent(call, &interface(A2aVersion::V1, Binding::JsonRpc, Some("acme")));
    assert_eq!((modern.url.as_str(), modern.method), ("https://example.com/a2a/?x=1", A2aMethod::Post));
    assert!(modern.headers.contains(&("a2a-version".into(), "1.0".into())));
    let wanted = json!({
        "messageId": "id-1", "role": "ROLE_USER", "parts": [{ "text": "hello" }, { "data": { "n": 1 } }],
        "contextId": "c", "taskId": "t/1", "metadata": { "k": "v" },
    });
    let configuration = json!({ "acceptedOutputModes": ["text/plain"], "returnImmediately": true });
    let params = json!({ "message": wanted, "configuration": configuration, "tenant": "acme" });
    assert_eq!(body, json!({ "jsonrpc": "2.0", "id": "id-2", "method": "SendMessage", "params": params }));

    let (rest, body) = sent(call, &interface(A2aVersion::V1, Binding::Rest, Some("a/c")));
    assert_eq!(rest.url, "https://example.com/a2a/a%2Fc/message:send?x=1");
    assert_eq!(body["message"], wanted);

    let (old, body) = sent(call, &interface(A2aVersion::V03, Binding::JsonRpc, None));
    assert!(old.headers.contains(&("a2a-version".into(), "0.3".into())));
    assert_eq!(body["method"], "message/send");
    assert_eq!(
        (&body["params"]["message"]["kind"], &body["params"]["message"]["role"]),
        (&json!("message"), &json!("user"))
    );
    assert_eq!(body["params"]["message"]["parts"][1], json!({ "kind": "data", "data": { "n": 1 } }));
    assert_eq!(body["params"]["configuration"]["blocking"], false);

    let (old, body) = sent(call, &interface(A2aVersion::V03, Binding::Rest, None));
    assert_eq!(old.url, "https://example.com/a2a/v1/message:send?x=1");
    assert_eq!(body["message"]["content"][0], json!({ "text": "hello" }));

    let same = [modern.identity, rest.identity, old.identity];
    assert!(same.iter().all(|identity| *identity == same[0]), "{same:?}");
    assert!(!same[0].to_string().contains("id-"), "what is new each time makes no difference");
}

#[test]
fn requests_task_by_id() {
    let rest = interface(A2aVersion::V1, Binding::Rest, None);
    let (get, _) = sent(A2aCall::Get("t/1"), &rest);
    assert_eq!((get.url.as_str(), get.method), ("https://example.com/a2a/tasks/t%2F1?x=1", A2aMethod::Get));
    let (subscribe, _) = sent(A2aCall::Subscribe("t/1"), &rest);
    assert_eq!(subscribe.url, "https://example.com/a2a/tasks/t%2F1:subscribe?x=1");
    for (call, version, method) in [
        (A2aCall::Get("t"), A2aVersion::V1, "GetTask"),
        (A2aCall::Get("t"), A2aVersion::V03, "tasks/get"),
        (A2aCall::Subscribe("t"), A2aVersion::V1, "SubscribeToTask"),
        (A2aCall::Subscribe("t"), A2aVersion::V03, "tasks/resubscribe"),
    ] {
        let (_, body) = sent(call, &interface(version, Binding::JsonRpc, None));
        assert_eq!((&body["method"], &body["params"]), (&json!(method), &json!({ "id": "t" })));
    }
}

#[test]
fn refuses_invalid_outgoing_message() {
    for (arguments, wanted) in [
        (json!({}), "sends nothing"),
        (json!({ "message": 1 }), "must be a string"),
        (json!({ "parts": "x" }), "must be a list"),
        (json!({ "message": "x", "metadata": [] }), "must be a mapping"),
        (json!({ "message": "x", "task": "t" }), "unknown key `task`"),
    ] {
        let said = OutgoingMessage::of_action(&arguments).unwrap_err();
        assert!(said.contains(wanted), "{said}");
    }
    let said = OutgoingMessage::of_messages(&[json!({ "role": "system", "content": "be nice" })]).unwrap_err();
    assert!(said.contains("`system`"), "{said}");
    let parts = json!([{ "type": "text", "text": "hello" }]);
    let said = OutgoingMessage::of_messages(&[json!({ "role": "user", "content": parts })]).unwrap_err();
    assert!(said.contains("whose `content` is text"), "{said}");
}
