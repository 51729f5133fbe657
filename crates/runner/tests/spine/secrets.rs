//! However a secret becomes known, nothing that leaves the run contains it: neither events nor recordings.

use std::fs;
use std::sync::Arc;

use agentci_drivers::testing::{FakeScript, ScriptedStep, script};
use agentci_plan::Mode;
use agentci_trace::{EventKind, ToolResult};
use agentci_verdict::Cause;
use serde_json::json;

use crate::run::{Bench, Ran, SERVER, TALKER, WORKER};

const SECRET: &str = "wren-4471-harbour";

/// A server that performs these actions and then sends the secret.
fn says_it(first: impl Fn() -> Vec<ScriptedStep> + 'static) {
    script("a", move |_| {
        let mut steps = first();
        steps.push(ScriptedStep::Exchange(json!({"ask": SECRET}), json!({"answer": format!("plain {SECRET}")})));
        steps.push(ScriptedStep::say(&format!("said {SECRET}")));
        steps.push(ScriptedStep::Show(EventKind::Log {
            level: "info".into(),
            message: format!("logged {SECRET}"),
            data: None,
        }));
        FakeScript { printed: vec![format!("printed {SECRET}")], ..FakeScript::turns([steps]) }
    });
}

/// Records a case of a server that sends the secret; returns everything that left the run, and the recording.
async fn recorded(target: &str, shared: &str, case: &str, change: impl FnOnce(&mut Bench)) -> (Ran, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let world = format!("world: {{ recording: '{}' }}\n", path.display());
    let case = format!("  - {{ id: a, turns: [{{ user: hi }}], {case} }}\n");
    let mut bench = Bench::new(&format!("{target}{world}{shared}"), &case);
    bench.mode = Mode::Record;
    change(&mut bench);
    let ran = bench.run().await;
    (ran, fs::read_to_string(path).unwrap_or_default())
}

#[track_caller]
fn clean(by: &str, (ran, recording): &(Ran, String)) {
    let stored = ran.stored();
    assert!(stored.contains("plain [REDACTED]"), "{by}: {stored}");
    assert!(recording.contains("plain [REDACTED]"), "{by}: {recording}");
    assert!(!stored.contains(SECRET), "{by}: {stored}");
    assert!(!recording.contains(SECRET), "{by}: {recording}");
}

const PASSES: &str = "checks: [{ contains: said }]";
/// The last lines of an agent's output are shown for a failed case.
const FAILS: &str = "checks: [{ contains: sorry }]";

#[tokio::test]
async fn stores_values_not_known_to_be_secret() {
    says_it(Vec::new);
    let (ran, recording) = recorded(SERVER, "", FAILS, |_| {}).await;
    assert_eq!(ran.end("a").cause, Some(Cause::Check));
    assert_eq!(ran.stored().matches(SECRET).count(), 6, "{}", ran.stored());
    assert!(recording.contains(&format!("plain {SECRET}")), "{recording}");
}

#[tokio::test]
async fn redacts_secrets_from_environment() {
    says_it(Vec::new);
    let ran = recorded(SERVER, "", FAILS, |bench| {
        bench.environment.insert("API_TOKEN".into(), SECRET.into());
    });
    clean("its name", &ran.await);
    let header = "target: { http: { url: 'http://127.0.0.1:1/', headers: { x-who: '${ENV.WHO}' } } }\n";
    let ran = recorded(header, "", FAILS, |bench| {
        bench.environment.insert("WHO".into(), SECRET.into());
    });
    clean("a header", &ran.await);
}

#[tokio::test]
async fn redacts_secrets_written_in_suite() {
    says_it(Vec::new);
    let header = format!(
        "target: {{ http: {{ url: 'http://127.0.0.1:1/', headers: {{ authorization: 'Bearer {SECRET}' }} }} }}\n"
    );
    clean("a header", &recorded(&header, "", FAILS, |_| {}).await);
    let cookie =
        format!("target: {{ http: {{ url: 'http://127.0.0.1:1/', headers: {{ cookie: 'who={SECRET}' }} }} }}\n");
    clean("a cookie", &recorded(&cookie, "", FAILS, |_| {}).await);
    let variables = format!("variables: {{ password: {SECRET} }}\n");
    clean("a variable", &recorded(SERVER, &variables, FAILS, |_| {}).await);
    let redact = "redact: { patterns: ['wren-[0-9]+-harbour'] }\n";
    clean("a pattern", &recorded(SERVER, redact, FAILS, |_| {}).await);
}

#[tokio::test]
async fn redacts_secrets_in_checks() {
    says_it(Vec::new);
    let check = |value: &str| {
        format!(
            "checks: [{{ not: {{ json_path: {{ path: a, value: {{ client_secret: '{value}' }} }} }} }}, {{ contains: sorry }}]"
        )
    };
    clean("a check", &recorded(SERVER, "", &check(SECRET), |_| {}).await);
    let variables = format!("variables: {{ who: {SECRET} }}\n");
    clean("a check with a variable", &recorded(SERVER, &variables, &check("${who}"), |_| {}).await);
}

#[tokio::test]
async fn redacts_secrets_in_turn_checks() {
    says_it(Vec::new);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let check = format!("{{ not: {{ json_path: {{ path: a, value: {{ client_secret: '{SECRET}' }} }} }} }}");
    let mut bench = Bench::new(
        &format!("{SERVER}world: {{ recording: '{}' }}\n", path.display()),
        &format!("  - {{ id: a, turns: [{{ user: hi, checks: [{check}] }}], {FAILS} }}\n"),
    );
    bench.mode = Mode::Record;
    let ran = bench.run().await;
    clean("a check of a turn", &(ran, fs::read_to_string(path).unwrap()));
}

#[tokio::test]
async fn redacts_hook_environment_and_output() {
    says_it(Vec::new);
    let given = format!("hooks: [{{ command: [echo, '{{}}'], env: {{ ACCESS_KEY: {SECRET} }} }}], {FAILS}");
    clean("the environment of a hook", &recorded(SERVER, "", &given, |_| {}).await);
    let printed = format!("hooks: [{{ command: [echo, '{{\"session_token\": \"{SECRET}\"}}'] }}], {FAILS}");
    clean("what a hook prints", &recorded(SERVER, "", &printed, |_| {}).await);
}

/// A failing hook may print what an earlier hook printed.
#[tokio::test]
async fn failing_hook_does_not_leak_output_of_earlier_hooks() {
    let printed = format!("{{ command: [echo, '{{\"session_token\": \"{SECRET}\"}}'] }}");
    let fails = r#"{ command: [sh, -c, 'echo "had $1" >&2; exit 1', sh, "${session_token}"] }"#;
    script("a", |_| FakeScript::default());
    let ran = Bench::new(TALKER, &format!("  - {{ id: a, turns: [{{ user: hi }}], hooks: [{printed}, {fails}] }}\n"));
    let ran = ran.run().await;
    assert_eq!(ran.end("a").cause, Some(Cause::Hook));
    assert!(ran.stored().contains("had [REDACTED]") && !ran.stored().contains(SECRET), "{}", ran.stored());
}

#[tokio::test]
async fn failing_hook_does_not_leak_case_variables() {
    let fails = r#"{ command: [sh, -c, 'echo "had $1" >&2; exit 1', sh, "${password}"] }"#;
    script("a", |_| FakeScript::default());
    let case =
        format!("  - {{ id: a, turns: [{{ user: hi }}], hooks: [{fails}], variables: {{ password: {SECRET} }} }}\n");
    let ran = Bench::new(TALKER, &case).run().await;
    assert!(ran.stored().contains("had [REDACTED]") && !ran.stored().contains(SECRET), "{}", ran.stored());
}

#[tokio::test]
async fn redacts_token_fetched_by_driver() {
    says_it(|| vec![ScriptedStep::Fetch(SECRET.into())]);
    clean("a token", &recorded(SERVER, "", FAILS, |_| {}).await);
}

#[tokio::test]
async fn redacts_secrets_in_tool_results() {
    says_it(|| {
        let result = ToolResult {
            call_id: "1".into(),
            ok: true,
            result: Arc::new(json!({"access_token": SECRET})),
            ..ToolResult::default()
        };
        let call = agentci_trace::ToolCall { call_id: "1".into(), name: "login".into(), ..Default::default() };
        vec![ScriptedStep::Show(EventKind::ToolCall(call)), ScriptedStep::Show(EventKind::ToolResult(result))]
    });
    clean("the answer of a tool", &recorded(SERVER, "", FAILS, |_| {}).await);
}

struct Clerk;

impl agentci_stubs::Tool for Clerk {
    fn name(&self) -> &'static str {
        "find"
    }

    fn call(&self, _args: &serde_json::Value) -> Result<serde_json::Value, String> {
        Ok(json!({"text": format!("plain {SECRET}")}))
    }
}

/// Runs a case whose tool returns the secret, with a cassette; returns everything that left the run, and the cassette.
async fn with_cassette(
    mode: Mode,
    cassette: Option<&str>,
    target: &str,
    case: &str,
    first: fn() -> Vec<ScriptedStep>,
) -> (Ran, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    if let Some(lines) = cassette {
        fs::write(&path, lines).unwrap();
    }
    script("a", move |_| {
        let mut steps = first();
        steps.push(ScriptedStep::call("find", json!({"q": "x"})));
        steps.push(ScriptedStep::say(&format!("plain {SECRET}")));
        steps.push(ScriptedStep::result(json!({"said": SECRET})));
        FakeScript::turns([steps])
    });
    let world = format!("world: {{ tools: {{ cassette: '{}', allow: [find] }} }}\n", path.display());
    let mut bench = Bench::new(
        &format!("{target}{world}"),
        &format!("  - {{ id: a, checks: [{{ tool_called: find }}], {case} }}\n"),
    );
    bench.mode = mode;
    bench.tools = vec![Arc::new(Clerk)];
    let ran = bench.run().await;
    (ran, fs::read_to_string(path).unwrap_or_default())
}

#[tokio::test]
async fn cassettes_are_recorded_without_secrets() {
    let nothing = Vec::new;
    let (ran, shown) = with_cassette(Mode::Record, None, WORKER, "input: {}", nothing).await;
    assert!(shown.contains(SECRET) && ran.stored().contains(SECRET), "{shown}");
    let handed = format!("target: {{ process: {{ command: [agent], env: {{ DB_PASSWORD: {SECRET} }} }} }}\n");
    clean("the agent's environment", &with_cassette(Mode::Record, None, &handed, "input: {}", nothing).await);
    let argument = format!("target: {{ process: {{ command: [agent, --api-key, {SECRET}] }} }}\n");
    clean("the agent's arguments", &with_cassette(Mode::Record, None, &argument, "input: {}", nothing).await);
    let input = format!("input: {{ password: {SECRET} }}");
    clean("the input", &with_cassette(Mode::Record, None, WORKER, &input, nothing).await);
    let fetched = || vec![ScriptedStep::Fetch(SECRET.into())];
    clean("a token", &with_cassette(Mode::Record, None, WORKER, "input: {}", fetched).await);
    let seen = || {
        vec![ScriptedStep::Show(EventKind::Log {
            level: "info".into(),
            message: "in".into(),
            data: Some(Arc::new(json!({"api_key": SECRET}))),
        })]
    };
    clean("a log line", &with_cassette(Mode::Record, None, WORKER, "input: {}", seen).await);
}

#[tokio::test]
async fn redacts_secrets_found_in_cassette() {
    let lines =
        format!(r#"{{"tool":"find","args":{{"q":"x"}},"ok":true,"result":{{"text":"plain x","api_key":"{SECRET}"}}}}"#);
    // Sent before the tool is called, when only the cassette shows that it is secret.
    let first = || vec![ScriptedStep::say(&format!("plain {SECRET}"))];
    let (ran, _) = with_cassette(Mode::Replay, Some(&lines), WORKER, "input: {}", first).await;
    assert_eq!(ran.end("a").cause, None, "{:?}", ran.end("a").findings);
    assert!(ran.stored().contains("plain [REDACTED]") && !ran.stored().contains(SECRET), "{}", ran.stored());
}

/// A secret that was met in one attempt is known in the next.
#[tokio::test]
async fn redacts_secrets_learned_in_earlier_attempt() {
    script("a", |attempt| {
        let met = if attempt == 1 { vec![ScriptedStep::Fetch(SECRET.into())] } else { Vec::new() };
        FakeScript::turns([met.into_iter().chain([ScriptedStep::say(&format!("said {SECRET}"))]).collect()])
    });
    let ran = Bench::new(TALKER, &format!("  - {{ id: a, runs: 2, turns: [{{ user: hi }}], {PASSES} }}\n")).run().await;
    assert_eq!(ran.stored().matches("said [REDACTED]").count(), 2, "{}", ran.stored());
    assert!(!ran.stored().contains(SECRET), "{}", ran.stored());
}

/// An agent that sends the secret, and what it and its tools are given.
async fn live(shared: &str, target: &str) -> Ran {
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say(&format!("plain {SECRET}"))]]));
    let mut bench =
        Bench::new(&format!("{target}{shared}"), "  - { id: a, input: {}, checks: [{ contains: plain }] }\n");
    bench.mode = Mode::Live;
    bench.run().await
}

#[tokio::test]
async fn redacts_tool_configuration_and_responses() {
    let tool = |tool: &str| format!("world: {{ tools: {{ live: {{ pay: {tool} }} }} }}\n");
    let header =
        tool(&format!("{{ http: {{ url: 'http://127.0.0.1:1/', headers: {{ authorization: 'Bearer {SECRET}' }} }} }}"));
    let environment = tool(&format!("{{ command: [pay], env: {{ PAY_TOKEN: {SECRET} }} }}"));
    let arguments = tool(&format!("{{ command: [pay, '--password={SECRET}'] }}"));
    let route = format!("world: {{ tools: {{ routes: {{ pay: [{{ response: {{ api_key: {SECRET} }} }}] }} }} }}\n");
    for (by, shared) in [("a header", header), ("a variable", environment), ("an argument", arguments)] {
        let stored = live(&shared, WORKER).await.stored();
        assert!(stored.contains("plain [REDACTED]") && !stored.contains(SECRET), "{by}: {stored}");
    }
    script("a", |_| FakeScript::turns([vec![ScriptedStep::say(&format!("plain {SECRET}"))]]));
    let ran = Bench::new(&format!("{TALKER}{route}"), "  - { id: a, input: {}, checks: [{ contains: plain }] }\n")
        .run()
        .await;
    let stored = ran.stored();
    assert!(stored.contains("plain [REDACTED]") && !stored.contains(SECRET), "a route: {stored}");
}

/// The agent is opened first, then the judge.
#[tokio::test]
async fn redacts_secrets_passed_to_judge_agent() {
    let mut opened = 0;
    script("a", move |_| {
        opened += 1;
        let verdict = json!({"passed": false, "reason": format!("plain {SECRET}")});
        FakeScript::turns([vec![if opened == 1 { ScriptedStep::say("hello") } else { ScriptedStep::result(verdict) }]])
    });
    let agents = "agents: { judge: { http: { url: 'http://127.0.0.1:1/', headers: { x-who: '${ENV.WHO}' } } } }\n";
    let case = "  - { id: a, turns: [{ user: hi }], checks: [{ agent: { agent: judge, criteria: polite } }] }\n";
    let mut bench = Bench::new(&format!("{TALKER}{agents}"), case);
    bench.environment.insert("WHO".into(), SECRET.into());
    let ran = bench.run().await;
    assert_eq!(ran.end("a").cause, Some(Cause::Check), "{:?}", ran.end("a").findings);
    assert!(ran.stored().contains("plain [REDACTED]") && !ran.stored().contains(SECRET), "{}", ran.stored());
}
