//! Assistants, their prompts and their models.

use agentci_formats::LoadOptions;
use agentci_plan::{ChatApi, KeyHeader, Text};
use agentci_source::MemoryFiles;
use serde_json::json;

use super::{TESTS, app, chat, load_from, one_case, told};

const TEST: &str = "{\"id\": \"a\", \"input\": \"x\"}";

fn with_connector(connector: &str, written: &str) -> MemoryFiles {
    app()
        .with("app/assistants/keyword/package.yao", format!("{{\"connector\": \"{connector}\"}}"))
        .with("app/connectors/openai/gpt-4.1.conn.yao", written)
        .with(TESTS, TEST)
}

fn load(files: &MemoryFiles) -> agentci_formats::Loaded {
    load_from(files, &LoadOptions::default())
}

#[test]
fn loads_every_part_of_an_assistant() {
    let files = app()
        .with(
            "app/assistants/keyword/package.yao",
            r#"{ "name": "{{ title }}", "description": "Finds words", "connector": "mock", "tags": ["x"],
                 /* passed on */ "options": { "temperature": 0.5, "tools": [{"type": "function"}] } }"#,
        )
        .with("app/assistants/keyword/locales/en-us.yml", "title: Keywords\n")
        .with("app/assistants/keyword/prompts.yml", "- role: system\n  content: |\n    Hello $CTX.USER_ID\n")
        .with("app/assistants/keyword/prompts/short.yml", "- { role: system, content: Be short }\n")
        .with("app/assistants/keyword/src/index.ts", "export function Next() {}")
        .with("app/agent/prompts.yml", "- { role: system, content: Global }\n")
        .with("app/.env", "KEY=1\n")
        .with(TESTS, TEST);
    let loaded = load(&files);
    let chat = chat(one_case(&loaded));
    assert_eq!(chat.agent, "keyword");
    assert_eq!(chat.assistant.about[1], ("ASSISTANT_NAME".into(), "Keywords".into()));
    assert_eq!(chat.assistant.about[3], ("ASSISTANT_TYPE".into(), "assistant".into()));
    let contents: Vec<_> = chat.prompts.iter().map(|prompt| prompt.content.written()).collect();
    assert_eq!(contents, ["Global", "Hello $CTX.USER_ID\n"]);
    let (name, preset) = &chat.assistant.presets[0];
    assert_eq!(
        (name.as_str(), preset[0].content.written(), preset[1].content.written()),
        ("short", "Global".into(), "Be short".into())
    );
    assert_eq!(chat.options["tools"], json!([{"type": "function"}]));
    assert_eq!(chat.assistant.script.as_ref().unwrap().source, "export function Next() {}");
    assert_eq!(chat.environment.as_ref().unwrap().values, [("KEY".into(), "1".into())]);
    let silent =
        files.with("app/assistants/keyword/package.yao", r#"{"connector": "mock", "disable_global_prompts": true}"#);
    assert_eq!(super::chat(one_case(&load(&silent))).prompts.len(), 1);
}

#[test]
fn connector_defines_url_model_and_key() {
    let loaded = load(&with_connector(
        "openai.gpt-4_1",
        r#"{ "type": "openai", "label": "x", "auth_mode": "api-key",
             "options": { "host": "http://localhost:1", "model": "$ENV.MODEL", "key": "$ENV.KEY", "max_tokens": 7,
                          "extra_body": { "seed": 1 }, "capabilities": {} } }"#,
    ));
    let connector = &chat(one_case(&loaded)).connector;
    assert_eq!((connector.id.as_str(), &connector.api), ("openai.gpt-4_1", &ChatApi::OpenAi));
    assert_eq!(connector.url.value, Text::Literal("http://localhost:1/v1/chat/completions".into()));
    assert_eq!(connector.model, Text::parse("${ENV.MODEL}"));
    assert_eq!(connector.key, Some(Text::parse("${ENV.KEY}")));
    assert_eq!(connector.key_header, Some(KeyHeader::ApiKey));
    assert_eq!(json!(connector.settings), json!({"max_tokens": 7, "seed": 1}));
}

#[test]
fn host_with_trailing_slash_is_used_as_base_url() {
    for (written, url) in [
        (r#""type": "openai", "options": {"model": "m"}"#, "https://api.openai.com/v1/chat/completions"),
        (r#""type": "openai", "options": {"model": "m", "host": "http://h/api/"}"#, "http://h/api/chat/completions"),
        (r#""type": "openai", "options": {"model": "m", "proxy": "http://h"}"#, "http://h/v1/chat/completions"),
        (r#""type": "openai", "options": {"model": "m", "host": "$ENV.PLAIN"}"#, "${ENV.PLAIN}/v1/chat/completions"),
        (r#""type": "openai", "options": {"model": "m", "host": "$ENV.BASE"}"#, "${ENV.BASE}chat/completions"),
        (r#""type": "anthropic", "options": {"model": "m"}"#, "https://api.anthropic.com/v1/messages"),
        (r#""type": "anthropic", "options": {"model": "m", "host": "http://h/"}"#, "http://h/messages"),
    ] {
        let files = with_connector("openai.gpt-4_1", &format!("{{{written}}}")).with("app/.env", "BASE=http://h/x/\n");
        let loaded = load(&files);
        assert_eq!(chat(one_case(&loaded)).connector.url.value, Text::parse(url), "{written}");
    }
}

#[test]
fn mock_model_is_always_available() {
    let model = |files: &MemoryFiles| {
        let loaded = load(files);
        let connector = chat(one_case(&loaded)).connector.clone();
        let ChatApi::Scripted(script) = &connector.api else { panic!("not scripted") };
        (script.default.clone(), connector.script.clone())
    };
    let files = app().with(TESTS, TEST);
    assert_eq!(model(&files).1, None);
    let files = files.with("app/model.yaml", "default: of the app\n");
    assert_eq!(model(&files).0, ["of the app"]);
    let files = files.with("app/assistants/keyword/tests/model.yaml", "default: of the tests\n");
    assert_eq!(model(&files).1, Some("app/assistants/keyword/tests/model.yaml".into()));
    let named = with_connector("openai.gpt-4_1", r#"{"type": "mock", "options": {"script": "models/a.yaml"}}"#)
        .with("app/models/a.yaml", "default: named\n");
    assert_eq!(model(&named).0, ["named"]);
}

#[test]
fn invalid_assistant_rejects_its_tests() {
    for (files, problem) in [
        (with_connector("openai.gpt-4", "{}"), "1:15 unknown connector `openai.gpt-4`"),
        (with_connector("openai.gpt-4_1", "{}"), "1:1 a connector needs `type`"),
        (
            with_connector("openai.gpt-4_1", r#"{"type": "redis"}"#),
            "1:10 `type` must be one of `openai`, `anthropic`, `mock`, found the string `redis`",
        ),
        (with_connector("openai.gpt-4_1", r#"{"type": "openai"}"#), "1:1 `options` needs `model`"),
        (with_connector("openai.gpt-4_1", "{\n  \"type\": }"), "2:11 expected a value, found `}`"),
        (
            app().with(TESTS, TEST).with("app/assistants/keyword/package.yao", "{}"),
            "1:1 the assistant `keyword` has no connector",
        ),
        (
            app().with(TESTS, TEST).with("app/assistants/keyword/prompts.yml", "a: b"),
            "1:1 `prompts` must be a list, found a mapping",
        ),
        (app().with(TESTS, TEST).with("app/model.yaml", "rules: 7"), "1:8 `rules` must be a list, found the number 7"),
    ] {
        let loaded = load(&files);
        assert_eq!(loaded.plan.suites.len(), 0, "{problem}");
        assert_eq!(told(&loaded), [problem]);
    }
    let near = load(&with_connector("openai.gpt-4", "{}"));
    let help = near.diagnostics.iter().next().unwrap().help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `openai.gpt-4_1`? known connectors are `openai.gpt-4_1`, `mock`"));
}
