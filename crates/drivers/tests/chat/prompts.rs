//! The content of requests.

use std::sync::Arc;

use agentci_plan::{ChatPrompt, Text};
use agentci_trace::EventKind;
use serde_json::{Value, json};

use crate::agent::{Way, add_metadata, anthropic, openai, serve, turn};

fn prompt(role: &str, content: &str) -> ChatPrompt {
    ChatPrompt { role: role.into(), name: None, content: Text::Literal(content.into()), shared: false }
}

#[tokio::test]
async fn sends_prompts_first_with_variables_expanded() {
    let server = serve("default: Fine.").await;
    let mut target = openai(&server);
    let words = "$CTX.ASSISTANT_NAME of $ENV.SHOP for $CTX.USER_ID ($CTX.CHAT_ID, $CTX.tier, $ENV.NONE, $SYS.MOON)";
    target.prompts = Arc::from([prompt("system", words), prompt("user", "$SYS.TIMEZONE")]);
    add_metadata(&mut target, "tier", json!(3));
    target.options.insert("temperature".into(), json!(0.2));
    Arc::make_mut(&mut target.connector).settings = json!({"temperature": 1, "top_k": 5}).as_object().unwrap().clone();
    let said = json!([{"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "ann"}]);
    let turned = turn(target, said.clone(), Way { attempt: 2, ..Way::default() }).await;
    let request = &turned.requests()[0];
    let filled = "Helper of Corner Shop for test-user (test-T1-run2, 3, , $SYS.MOON)";
    assert_eq!(request["messages"][0], json!({"role": "system", "content": filled}));
    assert_eq!(request["messages"][1], json!({"role": "user", "content": "UTC"}));
    assert_eq!(request["messages"][2], said[0]);
    assert_eq!((&request["temperature"], &request["top_k"]), (&json!(0.2), &json!(5)));
}

#[tokio::test]
async fn values_of_the_suite_are_not_expanded_again() {
    let server = serve("default: Fine.").await;
    let mut target = openai(&server);
    let content = Text::parse("$ENV.SHOP says: ${QUESTION}");
    target.prompts = Arc::from([ChatPrompt { role: "system".into(), name: None, content, shared: false }]);
    let turned = turn(target, json!([{"role": "user", "content": "Hi"}]), Way::default()).await;
    let expected = "Corner Shop says: What is $ENV.SHOP, $CTX.USER_ID?";
    assert_eq!(turned.requests()[0]["messages"][0]["content"], expected);
}

#[tokio::test]
async fn refuses_excessive_variable_expansion_in_prompts() {
    let server = serve("default: Fine.").await;
    let mut target = openai(&server);
    add_metadata(&mut target, "big", json!("x".repeat(1 << 20)));
    target.prompts = Arc::from([prompt("system", &"$CTX.big,".repeat(33)), prompt("user", &"$CTX.big,".repeat(32))]);
    let turned = turn(target, json!([{"role": "user", "content": "Hi"}]), Way::default()).await;
    let error = turned.result.unwrap_err().to_string();
    assert_eq!(error, "variables expand the prompts by more than 64 MiB");
    assert_eq!(server.journal()["requests"], json!([]));
}

#[tokio::test]
async fn drops_options_unknown_to_anthropic_with_a_warning() {
    let server = serve("default: Fine.").await;
    let mut target = anthropic(&server);
    target.options = json!({"seed": 4, "max_tokens": 10}).as_object().unwrap().clone();
    let turned = turn(target, json!([{"role": "user", "content": "Hi"}]), Way::default()).await;
    let request = &turned.requests()[0];
    assert_eq!((&request["max_tokens"], request.get("seed")), (&json!(10), None));
    assert_eq!(request["system"], "Be brief.");
    let warned = turned.trace.events().iter().any(
        |event| matches!(&event.kind, agentci_trace::EventKind::Log { message, .. } if message.contains("`seed`")),
    );
    assert!(warned);
}

#[tokio::test]
async fn preset_replaces_the_prompts() {
    let server = serve("default: Fine.").await;
    let mut target = openai(&server);
    target.assistant.presets = Arc::from([("chat.rude".to_owned(), Arc::from([prompt("system", "Be rude.")]))]);
    add_metadata(&mut target, "__prompt_preset", json!("chat.rude"));
    let said = json!([{"role": "user", "content": "Hi"}]);
    let turned = turn(target.clone(), said.clone(), Way::default()).await;
    assert_eq!(turned.requests()[0]["messages"][0]["content"], "Be rude.");
    add_metadata(&mut target, "__prompt_preset", json!("chat.kind"));
    let turned = turn(target, said, Way::default()).await;
    assert_eq!(turned.requests()[0]["messages"][0]["content"], "Be brief.");
    let warned = |kind: &EventKind| matches!(kind, EventKind::Log { message, .. } if message.contains("unknown prompt preset `chat.kind`"));
    assert!(turned.trace.events().iter().any(|event| warned(&event.kind)), "{:?}", turned.trace);
}

#[tokio::test]
async fn refuses_invalid_message() {
    let server = serve("default: Fine.").await;
    let turned = turn(openai(&server), json!([7]), Way::default()).await;
    assert!(turned.error().contains("found 7"), "{}", turned.error());
    assert_eq!(server.journal()["requests"], Value::Array(Vec::new()));
}
