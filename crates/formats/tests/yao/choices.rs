//! Settings of flags and tests: the agent, the connector, the user.

use std::sync::Arc;
use std::time::Duration;

use agentci_formats::{LoadOptions, Loaded, YaoOptions, load_with};
use agentci_plan::Target;
use agentci_source::MemoryFiles;
use serde_json::json;

use super::{TESTS, app, chat, load_from, one_case, told};

fn options(agent: Option<&str>, yao: YaoOptions) -> LoadOptions {
    let mut options = LoadOptions::default();
    options.agent = agent.map(str::to_owned);
    options.yao = yao;
    options
}

fn with_input(files: &MemoryFiles, input: &str, agent: Option<&str>) -> Loaded {
    let yao = YaoOptions { input: Some(input.into()), ..YaoOptions::default() };
    load_with(files, &[], &options(agent, yao))
}

#[test]
fn flags_override_tests_except_for_timeout() {
    let text = "{\"id\": \"a\", \"input\": \"x\", \"user\": \"u\", \"team\": \"t\", \"timeout\": \"7s\"}\n{\"id\": \"b\", \"input\": \"x\"}\n";
    let files = app().with(TESTS, text);
    let own = load_from(&files, &LoadOptions::default());
    let [a, b] = own.plan.suites[0].cases.as_slice() else { panic!("two") };
    assert_eq!((&chat(a).context["user"], &chat(a).context["team"]), (&json!("u"), &json!("t")));
    assert_eq!((&chat(b).context["user"], &chat(b).context["team"]), (&json!("test-user"), &json!("test-team")));
    let yao = YaoOptions { user: Some("admin".into()), timeout: Some(Duration::from_secs(9)), ..YaoOptions::default() };
    let loaded = load_from(&files, &options(None, yao));
    let [a, b] = loaded.plan.suites[0].cases.as_slice() else { panic!("two") };
    assert_eq!((&chat(a).context["user"], &chat(a).context["team"]), (&json!("admin"), &json!("t")));
    assert_eq!((a.timeout, b.timeout), (Some(Duration::from_secs(7)), Some(Duration::from_secs(9))));
    assert_eq!((chat(a).timeout, chat(b).timeout), (Duration::from_secs(7), Duration::from_secs(9)));
}

#[test]
fn tests_without_overrides_share_one_target() {
    let text = "{\"id\": \"a\", \"input\": \"x\"}\n{\"id\": \"b\", \"input\": \"x\", \"user\": \"test-user\"}\n{\"id\": \"c\", \"input\": \"x\", \"user\": \"u\"}\n";
    let loaded = load_from(&app().with(TESTS, text), &LoadOptions::default());
    let [a, b, c] = loaded.plan.suites[0].cases.as_slice() else { panic!("three") };
    assert!(Arc::ptr_eq(&a.target, &b.target) && !Arc::ptr_eq(&a.target, &c.target));
}

#[test]
fn test_can_override_connector_prompts_and_metadata() {
    let text = r#"{"id": "a", "input": "x", "options": {"connector": "other", "metadata": {"__prompt_preset": "short", "k": 1}}}
{"id": "b", "input": "x", "options": {"disable_global_prompts": true}}
{"id": "c", "input": "x", "options": {"disable_global_prompts": true, "metadata": {"__prompt_preset": "short"}}}
{"id": "d", "input": "x", "options": {"tools": {"pay": {"reply": {"ok": true}}}}}"#;
    let files = app()
        .with("app/connectors/other.conn.yao", r#"{"type": "openai", "options": {"model": "m"}}"#)
        .with("app/agent/prompts.yml", "- { role: system, content: Global }\n")
        .with("app/assistants/keyword/prompts.yml", "- { role: system, content: Own }\n")
        .with("app/assistants/keyword/prompts/short.yml", "- { role: system, content: Short }\n")
        .with(TESTS, text);
    let loaded = load_from(&files, &LoadOptions::default());
    assert_eq!(told(&loaded), Vec::<String>::new());
    let [a, b, c, d] = loaded.plan.suites[0].cases.as_slice() else { panic!("four") };
    assert_eq!(chat(a).connector.id, "other");
    assert_eq!(chat(a).context["metadata"]["k"], json!(1));
    assert_eq!(chat(a).prompts.iter().map(|p| p.content.written()).collect::<Vec<_>>(), ["Global", "Short"]);
    assert_eq!(chat(b).prompts.iter().map(|p| p.content.written()).collect::<Vec<_>>(), ["Own"]);
    assert_eq!(chat(c).prompts.iter().map(|p| p.content.written()).collect::<Vec<_>>(), ["Short"]);
    assert!(c.world.scripted.is_empty() && d.world.scripted[0].name.value == "pay");
    let flag = YaoOptions { connector: Some("mock".into()), ..YaoOptions::default() };
    let loaded = load_from(&files, &options(None, flag));
    assert_eq!(chat(&loaded.plan.suites[0].cases[0]).connector.id, "mock");
    let wrong = load_from(&files.with(TESTS, text.replacen("short", "shor", 1)), &LoadOptions::default());
    assert_eq!(told(&wrong), ["1:8 the assistant `keyword` has no prompt preset `shor`"]);
    let usual = &chat(&wrong.plan.suites[0].cases[0]).prompts;
    assert_eq!(
        usual.iter().map(|p| (p.content.written(), p.shared)).collect::<Vec<_>>(),
        [("Global".into(), true), ("Own".into(), false)]
    );
    assert!(!wrong.diagnostics.has_errors());
}

#[test]
fn message_input_is_a_single_case() {
    let files = app().with("package.yao", "{\"connector\": \"mock\"}");
    let loaded = with_input(&files, "Hello ${X}", None);
    let case = one_case(&loaded);
    assert_eq!((case.id.as_str(), case.checks.len()), ("T001", 0));
    assert_eq!(case.asked.as_deref(), Some(&json!("Hello ${X}")));
    assert_eq!(told(&with_input(&app(), "Hello", None)), ["0:0 no `package.yao` found in `.` or its parent folders"]);
    assert_eq!(told(&with_input(&files, " ", None)), ["0:0 the message is empty"]);
}

#[test]
fn agent_option_selects_the_assistant() {
    let files = MemoryFiles::default()
        .with("app.yao", "{}")
        .with("assistants/workers/keyword/package.yao", "{\"connector\": \"mock\"}");
    let loaded = with_input(&files, "Hi", Some("workers.keyword"));
    assert_eq!(chat(one_case(&loaded)).agent, "workers.keyword");
    assert_eq!(loaded.plan.suites[0].name, "workers.keyword");
    let unknown = with_input(&files, "Hi", Some("workers.keywords"));
    assert_eq!(told(&unknown), ["0:0 unknown assistant `workers.keywords`"]);
    let help = unknown.diagnostics.iter().next().unwrap().help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `workers.keyword`?"));
    let elsewhere = YaoOptions { app: Some("x".into()), input: Some("Hi".into()), ..YaoOptions::default() };
    let files = files.with("x/assistants/b/package.yao", "{\"connector\": \"mock\"}");
    assert_eq!(load_with(&files, &[], &options(Some("b"), elsewhere)).plan.suites[0].name, "b");
}

#[test]
fn agent_option_can_select_a_native_target() {
    let native = "suite: shop\ntarget: { process: { command: [agent] } }\ncases: [{ id: x, input: {} }]\n";
    let listed = "targets: { other: { mock: { model_name: m } } }\n";
    let files = MemoryFiles::default()
        .with("t/agentci.yaml", native)
        .with("agentci.yaml", listed)
        .with("t/x/in.jsonl", "{\"id\": \"a\", \"input\": \"x\"}");
    for (name, is) in [("shop", "process"), ("other", "mock")] {
        let loaded = with_input(&files, "t/x/in.jsonl", Some(name));
        let found = match &*one_case(&loaded).target {
            Target::Process(_) => "process",
            Target::Mock(_) => "mock",
            _ => "another",
        };
        assert_eq!((loaded.plan.suites[0].name.as_str(), found), (name, is));
    }
    let chosen = YaoOptions { input: Some("Hi".into()), connector: Some("mock".into()), ..YaoOptions::default() };
    let loaded = load_with(&files, &[], &options(Some("other"), chosen));
    assert_eq!(told(&loaded), ["0:0 `other` is a target of a native suite; its connector cannot be changed"]);
}

#[test]
fn missing_input_file_is_not_treated_as_a_message() {
    assert_eq!(told(&with_input(&app(), "none.jsonl", None)), ["0:0 file `none.jsonl` does not exist"]);
    assert_eq!(told(&with_input(&app(), "@none", None)), ["0:0 file `none` does not exist"]);
}

#[test]
fn environment_variable_selects_the_connector() {
    let files = app()
        .with("app/assistants/keyword/package.yao", "{\"connector\": \"$ENV.CHOICE\"}")
        .with("env", "CHOICE=mock\n")
        .with(TESTS, "{\"id\": \"a\", \"input\": \"x\"}");
    let named = YaoOptions { env: Some("env".into()), ..YaoOptions::default() };
    assert_eq!(chat(one_case(&load_from(&files, &options(None, named)))).connector.id, "mock");
    let lookup =
        YaoOptions { environment: Some(|name| (name == "CHOICE").then(|| "mock".into())), ..YaoOptions::default() };
    assert_eq!(chat(one_case(&load_from(&files, &options(None, lookup)))).connector.id, "mock");
    let unset = load_from(&files, &LoadOptions::default());
    assert_eq!(told(&unset), ["1:15 unknown connector `$ENV.CHOICE`"]);
    let missing = YaoOptions { env: Some("none".into()), ..YaoOptions::default() };
    assert!(told(&load_from(&files, &options(None, missing)))[0].contains("cannot read `none`"));
}

#[test]
fn reporter_becomes_an_agent_of_the_suite() {
    let files = app()
        .with("app/assistants/report/page/package.yao", "{\"connector\": \"mock\"}")
        .with(TESTS, "{\"id\": \"a\", \"input\": \"x\"}");
    let with = |id: &str| {
        let yao = YaoOptions { reporter: Some(id.into()), ..YaoOptions::default() };
        load_from(&files, &options(None, yao))
    };
    assert_eq!(with("report.page").plan.suites[0].agents[0].0, "report.page");
    assert_eq!(told(&with("none")), ["0:0 the report assistant `none` does not exist"]);
}
