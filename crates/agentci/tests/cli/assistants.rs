//! Agents made of prompts and a model: scripted models over several runs, judges, reporters and recordings.

use std::fs;

use serde_json::{Value, json};

use crate::serve_llm::Server;
use crate::suite::Suite;

const MODEL: &str = "
rules:
  - when: { user: capital }
    reply: [Paris, Lyon, Paris]
  - when: { user: remember }
    reply: I will.
  - when: { user: what, turn: 2 }
    reply: You said it before.
  - when: { user: weather, tool_result: true }
    reply: It rains.
  - when: { user: weather }
    tool_calls: [{ name: get_weather, args: { city: Paris } }]
  - when: { user: busy }
    fail: { status: 503, message: come back later }
  - when: { user: hang }
    fail: { hang: true }
default: Hello.
";

fn native(cases: &str) -> Suite {
    let head = "suite: suite\ntarget:\n  chat:\n    agent: helper\n    connector: { script: model.yaml }\n    prompts: [Be brief.]\n";
    Suite::empty().file("suite/agentci.yaml", format!("{head}cases:\n{cases}")).file("suite/model.yaml", MODEL)
}

/// The output of each run of a case.
fn outputs(ran: &crate::ran::Ran, id: &str) -> Vec<Value> {
    let mut events = ran.events();
    events.retain(|event| event["type"] == "final_output" && event["case_id"] == id);
    events.sort_by_key(|event| event["attempt"].as_u64());
    events.into_iter().map(|event| event["output"].clone()).collect()
}

#[test]
fn scripted_model_state_spans_runs_but_not_cases() {
    let cases = "  - { id: one, turns: [{ user: the capital? }] }\n  - { id: two, turns: [{ user: the capital? }] }\n";
    for parallel in ["1", "4"] {
        let ran = native(cases).run(&["--runs", "4", "--parallel", parallel]);
        for id in ["one", "two"] {
            assert_eq!(outputs(&ran, id), [json!("Paris"), json!("Lyon"), json!("Paris"), json!("Paris")], "{ran:?}");
        }
    }
}

#[test]
fn conversation_history_spans_turns() {
    let cases = "  - id: two\n    turns:\n      - user: remember this\n        checks: [{ contains: I will }]\n      \
                 - user: what did I say?\n        checks: [{ contains: You said it }]\n";
    native(cases).run(&[]).all_passed();
}

#[test]
fn world_tools_return_results_and_unknown_tools_are_noted() {
    let cases = "  - id: answered\n    turns: [{ user: the weather? }]\n    \
                 world: { tools: { cassette: tape.jsonl } }\n    checks: [{ contains: It rains }, { tool_called: get_weather }]\n  \
                 - id: noted\n    turns: [{ user: the weather? }]\n    checks: [{ tool_called: get_weather }]\n";
    let tape = r#"{"tool":"get_weather","args":{"city":"Paris"},"ok":true,"result":{"sky":"rain"}}"#;
    let ran = native(cases).file("suite/tape.jsonl", format!("{tape}\n")).run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("noted"), json!(r#"get_weather({"city":"Paris"})"#));
}

#[test]
fn model_error_fails_only_its_case() {
    let cases = "  - { id: good, turns: [{ user: hi }] }\n  - { id: bad, turns: [{ user: busy? }] }\n";
    let ran = native(cases).run(&[]);
    ran.only_wrong("bad", "error", "agent_error");
    ran.says(&["the model's server answered with status 503: come back later"]);
    let cases = "  - { id: good, turns: [{ user: hi }] }\n  - { id: bad, turns: [{ user: hang }] }\n";
    let ran = native(cases).run(&["--timeout", "200ms"]);
    ran.only_wrong("bad", "error", "timeout");
}

#[test]
fn records_and_replays_model_conversation() {
    let suite = Suite::empty().file("model.yaml", MODEL);
    let server = Server::start(&suite, &["model.yaml"]);
    for (api, url) in [
        ("openai", format!("{}/chat/completions", server.address()["openai_base_url"].as_str().unwrap())),
        ("anthropic", format!("{}/v1/messages", server.address()["anthropic_base_url"].as_str().unwrap())),
    ] {
        let target = format!(
            "suite: suite\ntarget:\n  chat:\n    connector: {{ api: {api}, url: '{url}', model: gpt-test, key: 'k-{api}-very-secret' }}\n    \
             prompts: ['It is $SYS.DATETIME.']\ncases:\n  - id: one\n    turns: [{{ user: remember me }}]\n    \
             world: {{ recording: '{api}.jsonl' }}\n    checks: [{{ contains: I will }}]\n"
        );
        let suite = Suite::empty().file("suite/agentci.yaml", target);
        suite.agentci(&["record", "suite"]).all_passed();
        let kept = fs::read_to_string(suite.path(&format!("suite/{api}.jsonl"))).unwrap();
        assert!(kept.contains("remember me") && !kept.contains("very-secret"), "{kept}");
        // Nothing listens at the new address.
        let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
        fs::write(suite.path("suite/agentci.yaml"), yaml.replace(&url, "http://127.0.0.1:9/gone")).unwrap();
        let ran = suite.agentci(&["run", "suite", "--mode", "replay", "--output-dir", "again"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert_eq!(server.end("TERM"), Some(0));
}

/// An application with an assistant, a judge and a reporter, each with its own script.
fn app(tests: &str) -> Suite {
    let assistant = |suite: Suite, id: &str, model: &str| {
        suite
            .file(&format!("app/assistants/{id}/package.yao"), r#"{ "connector": "mock" }"#)
            .file(&format!("app/assistants/{id}/model.yaml"), model)
    };
    let suite = Suite::empty().file("app/app.yao", "{}").file("app/assistants/helper/tests/inputs.jsonl", tests);
    let suite = assistant(suite, "helper", MODEL);
    let suite = assistant(
        suite,
        "judge",
        "rules:\n- when: { user: Paris }\n  reply: '{\"passed\": true, \"reason\": \"right\"}'\n\
         - when: { user: sleep }\n  fail: { status: 401, message: who are you }\n\
         default: '```json\n\n  {\"passed\": false, \"reason\": \"not a capital\"}\n\n  ```'\n",
    );
    let suite = assistant(
        suite,
        "writer",
        "rules:\n- when: { user: '\"format\":\"html\"' }\n  reply: \"```html\\n<h1>Fine</h1>\\n```\"\n",
    );
    assistant(suite, "broken", "rules:\n- when: {}\n  fail: { status: 500, message: out of ink }\n")
}

#[test]
fn judge_verdict_is_applied_and_recorded() {
    let tests = r#"
{"id": "good", "input": "the capital?", "assert": {"type": "agent", "use": "agents:judge", "value": "it is the capital"}}
{"id": "bad", "input": "hi", "assert": {"type": "agent", "use": "agents:judge", "value": "it is the capital"}}
"#;
    let ran = app(tests).agentci(&["run", "-i", "app/assistants/helper/tests/inputs.jsonl"]);
    ran.only_wrong("bad", "fail", "check");
    ran.says(&["not a capital"]);
    let check = ran.events().into_iter().find(|event| event["type"] == "check" && event["case_id"] == "good").unwrap();
    assert!(check["evidence"]["output"].as_str().unwrap().contains("right"), "{check}");
}

#[test]
fn unreachable_judge_is_an_error() {
    let tests = r#"
{"id": "good", "input": "hi"}
{"id": "bad", "input": "hi", "assert": {"type": "agent", "use": "agents:judge", "value": "sleep well"}}
"#;
    let ran = app(tests).agentci(&["run", "-i", "app/assistants/helper/tests/inputs.jsonl"]);
    ran.only_wrong("bad", "error", "agent_error");
    ran.says(&["the agent `judge` gave no answer", "status 401: who are you"]);
}

const TWO: &str = "{\"id\": \"one\", \"input\": \"hi\"}\n";
const RUN: [&str; 3] = ["run", "-i", "app/assistants/helper/tests/inputs.jsonl"];

#[test]
fn reporter_agent_writes_the_report() {
    let suite = app(TWO);
    let ran = suite.agentci(&[&RUN[..], &["-r", "writer", "-o", "report.html"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::read_to_string(suite.path("report.html")).unwrap(), "<h1>Fine</h1>\n");
}

#[test]
fn failed_reporter_falls_back_to_built_in_report() {
    let suite = app(TWO);
    let ran = suite.agentci(&[&RUN[..], &["-r", "broken", "-o", "report.json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&[
        "warning: the agent `broken` gave no answer",
        "out of ink",
        "`report.json` contains the built-in report",
    ]);
    let report: Value = serde_json::from_slice(&fs::read(suite.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["summary"]["passed"], 1);
}

#[test]
fn reporter_agent_reports_on_a_single_message() {
    let suite = app(TWO);
    let ran = suite.agentci(&["run", "-i", "hi", "-n", "helper", "-a", "app", "-r", "writer", "-o", "report.html"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::read_to_string(suite.path("report.html")).unwrap(), "<h1>Fine</h1>\n");
}

#[test]
fn reporter_agent_has_the_test_timeout() {
    let suite = app(TWO)
        .file("app/assistants/lame/package.yao", r#"{ "connector": "mock" }"#)
        .file("app/assistants/lame/model.yaml", "rules:\n- when: {}\n  fail: { hang: true }\n");
    let ran = suite.agentci(&[&RUN[..], &["-r", "lame", "-o", "report.json", "--timeout", "1s"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["the agent `lame` gave no answer: it did not finish within 1s"]);
    ran.ended_soon_after(1);
}

#[test]
fn reporter_requires_existing_assistant_output_file_and_yao_suite() {
    let ran = app(TWO).agentci(&[&RUN[..], &["-r", "writer"]].concat());
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`--reporter` needs a file to write its report to", "-o report.html"]);
    let ran = app(TWO).agentci(&[&RUN[..], &["-r", "nobody", "-o", "r.html"]].concat());
    assert_eq!(ran.code, Some(1));
    ran.complains(&["the report assistant `nobody` does not exist"]);
    let ran = native("  - { id: one, turns: [{ user: hi }] }\n").run(&["-r", "writer", "-o", "r.html"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["`--reporter` applies to suites in the yao format"]);
}
