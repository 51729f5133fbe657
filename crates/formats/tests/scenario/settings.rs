//! The settings of a project: the targets of agents, and the settings shared by scenarios.

use std::path::Path;
use std::time::Duration;

use agentci_formats::Loaded;
use agentci_plan::{Case, Data, Text, UnansweredRoute};
use agentci_source::Reading;
use serde_json::json;

use crate::project::{good_suite, http, load, load_chosen, messages, project, routes, scenario};

fn with_settings(settings: &str) -> agentci_source::MemoryFiles {
    project(&scenario("a", "")).with("agentci.yaml", settings).with("bin/agent.py", "")
}

fn good(settings: &str) -> Case {
    *good_suite(&with_settings(settings)).cases[0].clone()
}

fn names(case: &Case) -> Vec<(&str, Option<String>)> {
    let bases = routes(case).bases.iter();
    bases.map(|base| (base.name.value.as_str(), base.live.as_ref().map(Text::written))).collect()
}

fn chosen_url(loaded: &Loaded) -> (String, bool) {
    let http = http(&loaded.plan.suites[0].cases[0]);
    (http.url.value.written(), http.server.is_some())
}

#[test]
fn all_settings_have_defaults() {
    let suite = good_suite(&project(&scenario("a", "")));
    let case = &suite.cases[0];
    let http = http(case);
    assert_eq!(http.url.value, Text::Literal("http://127.0.0.1:8081/".into()));
    assert_eq!((http.timeout, &http.body, &http.server), (Duration::from_mins(1), &None, &None));
    let usual = ["US_API_BASE", "PAY_DETAILS_API_BASE", "US_PAYROLL_API_BASE", "UK_PAYROLL_API_BASE"];
    assert_eq!(names(case), usual.map(|name| (name, None)));
    assert_eq!(routes(case).miss, UnansweredRoute::Fail);
}

#[test]
fn loads_target_of_an_agent() {
    let case = good(
        "targets:\n  us:\n    url: \"http://127.0.0.1:${ENV.PORT}/ask\"\n    headers: { X-Key: \"${ENV.KEY}\" }\n    \
         body: { q: \"${INPUT.user_input}\", more: [\"${INPUT}\"] }\n    answer: /reply/text\n    timeout: 5s\n    \
         agent_command: [python3, bin/agent.py, --port, \"${ENV.PORT}\"]\n    folder: bin\n    env: { DEBUG: 1 }\n    \
         ready: \"http://127.0.0.1:${ENV.PORT}/health\"\n    patience: 10s\n  default: { url: 'http://other/' }\n",
    );
    let http = http(&case);
    assert_eq!(http.url.value.written(), "http://127.0.0.1:${ENV.PORT}/ask");
    assert_eq!((http.timeout.as_secs(), http.answer.as_ref().unwrap().value.as_str()), (5, "/reply/text"));
    assert_eq!(http.body, Some(Data::parse(&json!({ "q": "${INPUT.user_input}", "more": ["${INPUT}"] }))));
    assert_eq!(http.body.as_ref().and_then(Data::as_literal), None);
    let server = http.server.as_ref().unwrap();
    // Resolved in the folder of the settings, and written relative to the folder of the suite.
    assert_eq!(server.command[1].text, Text::Literal("../../bin/agent.py".into()));
    assert_eq!(server.command[1].file.as_deref(), Some(Path::new("bin/agent.py")));
    assert_eq!((server.folder.as_deref(), server.patience.as_secs()), (Some(Path::new("bin")), 10));
    assert_eq!(server.environment, [("DEBUG".to_owned(), Text::Literal("1".into()))]);
}

#[test]
fn other_agents_use_the_default_target() {
    let files =
        with_settings("targets:\n  us: { timeout: 5s }\n  default: { url: 'http://127.0.0.1:1/', timeout: 7s }\n")
            .with("tests/uk/b.yaml", scenario("b", ""));
    let loaded = load(&files, &["tests"]);
    let [uk, us] = loaded.plan.suites.as_slice() else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!((http(&uk.cases[0]).timeout.as_secs(), http(&us.cases[0]).timeout.as_secs()), (7, 5));
    assert_eq!(http(&us.cases[0]).url.value.written(), "http://127.0.0.1:8081/");
}

#[test]
fn tool_bases_accept_names_and_live_urls() {
    assert_eq!(names(&good("tool_bases: [A_BASE, B_BASE]\n")), [("A_BASE", None), ("B_BASE", None)]);
    let case = good("tool_bases:\n  A_BASE: { live: \"https://${ENV.HOST}/api\" }\n  B_BASE:\n");
    assert_eq!(names(&case), [("A_BASE", Some("https://${ENV.HOST}/api".into())), ("B_BASE", None)]);
    assert_eq!(names(&good("tool_bases: []\n")), []);
}

#[test]
fn scenario_values_override_shared_settings() {
    let settings = "embedder: openai:text-embedding-3-small\nstub_miss: warn\nfacts: off\ncontradictions: fail\nthreshold: { builtin: 0.6 }\n";
    let files = with_settings(settings).with("tests/us/b.yaml", scenario("b", "semantic_threshold: 0.9\n"));
    let suite = good_suite(&files);
    assert_eq!(suite.embedder.as_ref().unwrap().value, "openai:text-embedding-3-small");
    let arguments = |index: usize| suite.cases[index].checks[0].arguments.value(Reading::Core).unwrap();
    assert_eq!(
        arguments(0),
        json!({ "expected": "Because.", "threshold": { "builtin": 0.6 }, "facts": "off", "contradictions": "fail" })
    );
    assert_eq!(arguments(1)["threshold"], json!(0.9));
    assert_eq!(routes(&suite.cases[0]).miss, UnansweredRoute::Warn);
}

#[test]
fn options_override_agent_url_and_stub_miss() {
    let files = with_settings("stub_miss: fail\ntargets: { us: { url: 'http://a/', agent_command: [x] } }\n");
    let plain = load(&files, &["tests"]);
    assert_eq!(chosen_url(&plain), ("http://a/".into(), true));
    let chosen = load_chosen(&files, &["tests"], |options| {
        options.scenario.agent_url = Some("http://b/${X}".into());
        options.scenario.miss = Some(UnansweredRoute::Warn);
    });
    // The agent is already running, so it is not started.
    assert_eq!(chosen_url(&chosen), ("http://b/$${X}".into(), false));
    assert_eq!(routes(&chosen.plan.suites[0].cases[0]).miss, UnansweredRoute::Warn);
}

#[test]
fn settings_come_from_the_nearest_non_suite_file() {
    let native = "suite: n\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";
    for (files, embedder) in [
        (project(&scenario("a", "")).with("agentci.yaml", "embedder: far\n"), Some("far")),
        (
            project(&scenario("a", ""))
                .with("agentci.yaml", "embedder: far\n")
                .with("tests/agentci.yml", "embedder: near\n"),
            Some("near"),
        ),
        (
            project(&scenario("a", "")).with("agentci.yaml", "embedder: far\n").with("tests/agentci.yaml", native),
            Some("far"),
        ),
        (project(&scenario("a", "")).with("agentci.yaml", "embedder: far\n").with("tests/.git/HEAD", ""), None),
        (project(&scenario("a", "")).with("agentci.yaml", "# nothing yet\n"), None),
    ] {
        let loaded = load(&files, &["tests/us"]);
        assert_eq!(messages(&loaded), Vec::<&str>::new());
        let suite = &loaded.plan.suites[0];
        assert_eq!(suite.embedder.as_ref().map(|embedder| embedder.value.as_str()), embedder);
    }
}

#[test]
fn invalid_settings_reject_all_agents_and_are_reported_once() {
    let settings = "target: {}\nfacts: maybe\nstub_miss: ignore\nthreshold: 88\nembedder: ''\ntool_bases: [A B, 1, C, C]\n\
        targets:\n  us: { url: localhost, answer: reply.text, timeout: 5, ready: 'http://x/', agent_comand: [x] }\n  uk: here\n";
    let files = with_settings(settings).with("tests/uk/b.yaml", scenario("b", ""));
    let loaded = load(&files, &["tests"]);
    assert!(loaded.plan.suites.is_empty());
    assert_eq!(
        messages(&loaded),
        [
            "unknown key `target` in the settings",
            "`facts` must be one of `fail`, `warn`, `off`, found the string `maybe`",
            "`stub_miss` must be one of `fail`, `warn`, found the string `ignore`",
            "`threshold` must be from 0 to 1, found the number 88",
            "`embedder` must not be empty",
            "`A B` cannot be the name of a variable",
            "an item of `tool_bases` must be a string, found the number 1",
            "`C` is named twice",
            "`url` must be a URL, found the string `localhost`",
            "`answer` must be a JSON pointer, found the string `reply.text`",
            "`timeout` must be a duration, found the number 5",
            "`ready` has no effect: agentci does not start this agent",
            "unknown key `agent_comand` in a target",
            "a target must be a mapping, found the string `here`",
        ]
    );
}

#[test]
fn warns_about_target_for_unknown_agent() {
    let loaded = load(&with_settings("targets: { uss: { url: 'http://a/' } }\n"), &["tests"]);
    let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!(
        (problem.message.as_str(), problem.help.as_deref()),
        ("unknown agent `uss`", Some("did you mean `us`?"))
    );
    assert!(!loaded.diagnostics.has_errors());
    let files = with_settings("targets: { uss: { url: 'http://a/' } }\n").with("tests/uss/b.yaml", scenario("b", ""));
    assert_eq!(messages(&load(&files, &["tests/us"])), Vec::<&str>::new());
}
