//! `Create` and `Next` of an agent.

use std::sync::Arc;

use agentci_plan::{ChatPrompt, ChatTarget, ScriptFile, Target, Text};
use serde_json::{Value, json};

use crate::agent::{Turned, Way, add_metadata, openai, serve, turn};

const SCRIPT: &str = "
rules:
  - when: { user: refuse }
    fail: { status: 400, message: no }
  - when: { user: shout }
    reply: SHOUTED
  - when: { user: judge this }
    reply: judged
default: '{\"n\": 4}'
";

fn with(mut target: ChatTarget, source: &str) -> ChatTarget {
    target.assistant.script = Some(Arc::new(ScriptFile { path: "src/index.ts".into(), source: source.into() }));
    target
}

async fn said(source: &str, words: &str, agents: &[(String, Arc<Target>)]) -> Turned {
    let server = serve(SCRIPT).await;
    let target = with(openai(&server), source);
    turn(target, json!([{"role": "user", "content": words}]), Way { agents, ..Way::default() }).await
}

#[tokio::test]
async fn create_hook_can_replace_the_request() {
    let source = "
        function Create(ctx: any, messages: any[]) {
          return {
            messages: [{ content: 'shout ' + messages[0].content + ' ' + ctx.authorized.user_id }],
            options: { temperature: 0 }, max_tokens: 5, metadata: { tone: 'loud' }, uses: {},
          };
        }";
    let server = serve(SCRIPT).await;
    let mut target = with(openai(&server), source);
    target.prompts = Arc::from([ChatPrompt {
        role: "system".into(),
        name: None,
        content: Text::Literal("$CTX.tone".into()),
        shared: false,
    }]);
    let turned = turn(target, json!([{"role": "user", "content": "hi"}]), Way::default()).await;
    assert_eq!(turned.output(), "SHOUTED");
    let request = &turned.requests()[0];
    assert_eq!(request["messages"][0]["content"], "loud");
    assert_eq!(request["messages"][1], json!({"content": "shout hi test-user", "role": "user"}));
    assert_eq!((&request["temperature"], &request["max_tokens"]), (&json!(0), &json!(5)));
}

#[tokio::test]
async fn create_hook_can_disable_global_prompts() {
    let prompt = |content: &str, shared| ChatPrompt {
        role: "system".into(),
        name: None,
        content: Text::Literal(content.into()),
        shared,
    };
    let prompts: Arc<[ChatPrompt]> = Arc::from([prompt("of all", true), prompt("own", false)]);
    for (returned, data, expected) in [
        ("{}", json!(null), "of all"),
        ("{ disable_global_prompts: true }", json!(null), "own"),
        ("{}", json!(true), "own"),
        ("{ disable_global_prompts: false }", json!(true), "of all"),
    ] {
        let server = serve(SCRIPT).await;
        let mut target = with(openai(&server), &format!("function Create() {{ return {returned}; }}"));
        target.prompts = Arc::clone(&prompts);
        add_metadata(&mut target, "__disable_global_prompts", data);
        let turned = turn(target, json!([{"role": "user", "content": "hi"}]), Way::default()).await;
        assert_eq!(turned.requests()[0]["messages"][0]["content"], expected, "{returned}");
    }
}

#[tokio::test]
async fn next_hook_can_replace_the_result() {
    let source = "
        export function Next(ctx, payload) {
          return { data: { n: JSON.parse(payload.completion.content).n + 1, said: payload.messages.length, error: payload.error } };
        }";
    assert_eq!(said(source, "hi", &[]).await.output(), json!({"n": 5, "said": 2, "error": null}));
    assert_eq!(said("function Next() {}", "hi", &[]).await.output(), "{\"n\": 4}");
    assert_eq!(said("const unrelated = 1;", "hi", &[]).await.output(), "{\"n\": 4}");
}

#[tokio::test]
async fn next_hook_can_recover_from_a_model_error() {
    let source = "function Next(ctx, payload) { return payload.error ? { data: 'sorry: ' + payload.error } : null; }";
    assert_eq!(said(source, "refuse", &[]).await.output(), "sorry: the model's server answered with status 400: no");
    assert!(said("function Next() {}", "refuse", &[]).await.error().contains("status 400"));
}

#[tokio::test]
async fn hook_error_is_reported_with_its_location() {
    let thrown = said("// one\nfunction Create() {\n  throw new Error('boom');\n}", "hi", &[]).await.error();
    assert!(
        thrown.starts_with("src/index.ts:3:") && thrown.contains("`Create`") && thrown.contains("boom"),
        "{thrown}"
    );
    for (use_of, part) in [("ctx.Send({});", "`ctx.Send`"), ("ctx.memory.user.Get(ctx.locale);", "`ctx.memory`")] {
        let missing = said(&format!("function Create(ctx) {{\n  {use_of}\n}}"), "hi", &[]).await.error();
        assert!(missing.contains(&format!("\n{part} does not exist")), "{missing}");
    }
    let other = said("function Create(ctx) { null.x(ctx.locale); }", "hi", &[]).await.error();
    assert!(other.contains("TypeError") && !other.contains("does not exist"), "{other}");
    let log = said("function Create() { log.Info('x'); }", "hi", &[]).await.error();
    assert!(log.contains("`log` is not available"), "{log}");
    let syntax = said("function Create( {", "hi", &[]).await.error();
    assert!(syntax.starts_with("src/index.ts:1:"), "{syntax}");
    let wrong = said("function Next() { return 'text'; }", "hi", &[]).await.error();
    assert!(wrong.contains("`Next` must return an object"), "{wrong}");
    let elsewhere = said("function Create() { return { connector: 'other' }; }", "hi", &[]).await.error();
    assert!(elsewhere.contains("use `-c`"), "{elsewhere}");
}

#[tokio::test]
async fn next_hook_can_delegate_to_agents_in_the_suite() {
    let source = "function Next(ctx, payload) { return { delegate: { agent_id: 'judge', messages: [{ content: 'judge this' }] } }; }";
    let alone = said(source, "hi", &[]).await.error();
    assert!(alone.contains("delegates to `judge`: only agents that the suite names are supported"), "{alone}");
    let server = serve(SCRIPT).await;
    let judge = |target: ChatTarget| [("judge".to_owned(), Arc::new(Target::Chat(Box::new(target))))];
    assert_eq!(said(source, "hi", &judge(openai(&server))).await.output(), "judged");
    let endless = said(source, "hi", &judge(with(openai(&server), source))).await.error();
    assert!(endless.contains("4 times in a row"), "{endless}");
    let _: Value = server.journal();
}
