//! Cases answered from a recording of the whole agent: every report says so, and `--require-agent` fails the run.

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::docs_page::{files_below, project};
use crate::http_agent::command;
use crate::ran::Ran;
use crate::suite::Suite;

const BOTH: &str = "2 of 2 cases played from recordings: no agent was run";
const ONE: &str = "1 of 3 cases played from recordings: no agent was run for it; 1 case has no agent";

/// The AG-UI conversations example, and the same as a native suite with `keys` at the top.
fn conversations(keys: &str) -> Suite {
    let suite = files_below("examples/conversations", "").into_iter().fold(Suite::empty(), |suite, path| {
        let bytes = fs::read(project().join(&path)).unwrap();
        let name = path.strip_prefix("examples/").unwrap().replace("conversations", "suite");
        suite.file(&name, bytes)
    });
    // Remove the key `played` of the example, since it is tested here.
    let config = fs::read_to_string(suite.path("suite/ananke.config.yaml")).unwrap();
    let suite = suite.file("suite/ananke.config.yaml", config.replace("played: true\n", ""));
    let converted = suite.agentci(&["convert", "suite"]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    suite.file(
        "native/agentci.yaml",
        format!("{keys}{}", converted.stdout.replace("recording: ", "recording: ../suite/")),
    )
}

fn replay(suite: &Suite, paths: &[&str]) -> Ran {
    suite.agentci(&[&["run", "--mode", "replay"], paths].concat())
}

/// A file of the only run.
fn file(ran: &Ran, name: &str) -> String {
    fs::read_to_string(ran.run_folder().join(name)).unwrap()
}

#[test]
fn require_agent_fails_cases_played_from_recordings() {
    let suite = conversations("");
    let ran = replay(&suite, &["native", "--require-agent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.verdicts().iter().all(|verdict| verdict.1 == "pass"), "the checks held: {ran:?}");
    ran.says(&[
        "GATE FAIL require-agent: 2 cases were answered from recordings, and no agent was run for them",
        "help: run the agent instead of its recording (`--mode live`, or remove `recording`): let agentci start it (`command` in its target)",
        "`played: true`",
    ]);
    // The message names the cases and the lines of their recordings.
    let yaml = fs::read_to_string(suite.path("native/agentci.yaml")).unwrap();
    for (number, line) in yaml.lines().enumerate().filter(|(_, line)| line.contains("recording:")) {
        let place = format!("native/agentci.yaml:{}:{}", number + 1, line.find("../suite").unwrap() + 1);
        assert!(ran.stdout.contains(&place), "{place} in {}", ran.stdout);
    }
    for (id, _, _) in ran.verdicts() {
        assert!(ran.stdout.lines().any(|line| line.starts_with("  native/") && line.ends_with(&format!(": {id}"))));
    }
    assert_eq!(ran.summary()["run"]["exit_status"], "failed");
    let junit = ran.junit();
    assert!(junit.contains("failures=\"1\"") && junit.contains("name=\"gate: require-agent\""), "{junit}");
    let page = file(&ran, "report.html");
    assert!(page.contains("<b class=\"verdict failed\">") && page.contains("require-agent"), "{page}");
}

#[test]
fn case_marked_as_played_passes_require_agent() {
    let meant = conversations("played: true\n");
    let ran = replay(&meant, &["native", "--require-agent"]);
    ran.all_passed();
    ran.says(&[BOTH]);
    // A case can override the key of its suite.
    let yaml = fs::read_to_string(meant.path("native/agentci.yaml")).unwrap();
    let one = yaml.replacen("  - id:", "  - played: false\n    id:", 1);
    let one = meant.file("native/agentci.yaml", one);
    fs::remove_dir_all(one.path(".agentci")).unwrap();
    let ran = replay(&one, &["native", "--require-agent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["1 case was answered from a recording, and no agent was run for it"]);
    let converted = one.agentci(&["convert", "native"]);
    assert_eq!(converted.stdout.matches("played: true").count(), 1, "{converted:?}");
}

#[test]
fn every_report_mentions_played_cases() {
    let suite = conversations("");
    let ran = replay(&suite, &["native", "--report", "markdown=report.md"]);
    ran.all_passed();
    let first = ran.stdout.lines().next().unwrap();
    assert!(first.starts_with("suite ") && first.ends_with(BOTH), "{first}");
    assert_eq!(ran.stdout.matches(BOTH).count(), 2, "at the beginning and at the end: {}", ran.stdout);
    let summary = ran.summary();
    assert_eq!((&summary["run"]["agents"], &summary["run"]["exit_status"]), (&BOTH.into(), &"success".into()));
    assert_eq!(summary["aggregates"]["cases_played"], 2);
    assert!(summary["cases"][0]["played"]["recording"].as_str().unwrap().contains("recordings/"), "{summary}");
    assert!(ran.junit().contains(&format!("<property name=\"agents\" value=\"{BOTH}\"/>")), "{}", ran.junit());
    assert!(file(&ran, "report.html").contains(BOTH));
    assert!(fs::read_to_string(suite.path("report.md")).unwrap().contains(&format!("**{BOTH}**")));
    // Reports of a stored run say it as well.
    let folder = ran.run_folder();
    let again = suite.agentci(&["report", folder.to_str().unwrap()]);
    assert_eq!(again.stdout.matches(BOTH).count(), 2, "{again:?}");
    let mut on_github = suite.command(&["run", "native", "--mode", "replay", "--require-agent"]);
    let step = suite.path("step.md");
    on_github.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &step);
    let output = on_github.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let told = stdout.lines().filter(|line| line.starts_with("::error file=native/agentci.yaml,line=")).count();
    assert_eq!(told, 2, "{stdout}");
    let step = fs::read_to_string(step).unwrap();
    assert!(step.contains(&format!("**{BOTH}**")) && step.contains("### No agent was run"), "{step}");
}

/// An HTTP agent with the settings `server`, a program with recorded tools, and a mock.
fn mixed(server: &str) -> Suite {
    let suite = Suite::empty().agent("tools", r#"call search '{"q":"a"}'; finish '{"ok":true}'"#);
    suite
        .file("suite/agentci.yaml", mixed_yaml(server))
        .tape("tools", r#"{"tool":"search","args":{"q":"a"},"ok":true,"result":{}}"#)
}

fn mixed_yaml(server: &str) -> String {
    format!(
        "suite: suite\nmode: replay\ncases:\n  \
         - id: server\n    target: {{ http: {{ {server} }} }}\n    \
         world: {{ recording: server.jsonl }}\n    input: {{ user_input: hello, variables: {{ name: Ada }} }}\n  \
         - id: tools\n    target: {{ process: {{ command: [sh, agent.sh] }} }}\n    \
         world: {{ tools: {{ cassette: cassettes/tools.jsonl, live: {{ search: {{ command: [echo, '{{}}'] }} }}, allow: [search] }} }}\n    input: {{}}\n  \
         - id: mock\n    target: {{ mock: {{ model_name: m, responses: [{{ content: hi, model: m, tokens_used: 1, latency_ms: 1 }}] }} }}\n    \
         input: {{}}\n"
    )
}

/// An agent that is already running, and its port; it is stopped on drop.
struct Running(Child, u16);

impl Running {
    fn start(suite: &Suite) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (program, pid) = (std::env::current_exe().unwrap(), suite.path("agent.pid"));
        let mut command = Command::new(program);
        command.args(["http_agent::serves_if_http_agent_variable_is_set", "--exact", "--nocapture"]);
        command.env("HTTP_AGENT", &pid).env("PORT", port.to_string()).stdout(Stdio::null());
        let running = Self(command.spawn().unwrap(), port);
        while !pid.exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn only_replayed_agents_count_as_played() {
    let suite = mixed("url: 'http://127.0.0.1:1/ask'");
    let running = Running::start(&suite);
    let suite = suite.file("suite/agentci.yaml", mixed_yaml(&format!("url: 'http://127.0.0.1:{}/ask'", running.1)));
    // The agent is called when recording, and live.
    for mode in ["record", "live"] {
        let ran = suite.run(&["--mode", mode, "--require-agent", "--case", "server", "--case", "tools"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains("played"), "{ran:?}");
        fs::remove_dir_all(suite.path(".agentci")).unwrap();
    }
    drop(running);
    let ran = suite.run(&["--require-agent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.stdout.matches(ONE).count(), 2, "{ran:?}");
    assert_eq!(ran.case("mock")["no_agent"], true);
    let answered = |id: &str| ran.events().into_iter().find(|e| e["type"] == "case_end" && e["case_id"] == id).unwrap();
    assert_eq!(answered("server")["played"]["place"]["line"], 6);
    assert_eq!((&answered("tools")["played"], &answered("tools")["no_agent"]), (&Value::Null, &Value::Null));
    // Recorded tools do not count as a played agent, and a mock does not fail the run.
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let tools = suite.run(&["--require-agent", "--case", "tools"]);
    tools.all_passed();
    assert!(!tools.stdout.contains("no agent"), "{tools:?}");
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let mock = suite.run(&["--require-agent", "--case", "mock"]);
    mock.all_passed();
    mock.says(&["suite suite (native, replay, 1 case): 1 case has no agent"]);
    assert!(mock.junit().contains("<property name=\"agents\" value=\"1 case has no agent\"/>"), "{}", mock.junit());
    // Earlier versions recorded the conversation even for an agent that they started.
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let pid = suite.path("started.pid");
    let started = format!(
        "url: 'http://127.0.0.1:${{PORT}}/ask', command: {}, env: {{ HTTP_AGENT: {:?} }}",
        command(),
        pid.to_str().unwrap()
    );
    let suite = suite.file("suite/agentci.yaml", mixed_yaml(&started));
    let earlier = suite.run(&["--require-agent", "--case", "server"]);
    assert_eq!(earlier.code, Some(1), "{earlier:?}");
    earlier.says(&["was recorded by an earlier version and replaces the agent: no agent is run"]);
    assert!(!pid.exists());
}

#[test]
fn agent_with_scripted_model_counts_as_run() {
    let ask = r#"python3 -c 'import os, urllib.request as u; u.urlopen(u.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}", {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}))'; finish '{"ok":true}'"#;
    let yaml = "world: { model: { script: model.yaml } }\ncases: [{ id: asks, input: {} }]\n";
    let suite = Suite::native(yaml).file("suite/model.yaml", "rules: [{ reply: hello }]\n").agent("asks", ask);
    let ran = suite.run(&["--require-agent"]);
    ran.all_passed();
    assert!(!ran.stdout.contains("no agent"), "{ran:?}");
}

#[test]
fn require_agent_is_kept_when_shards_are_merged() {
    let suite = conversations("");
    for part in ["1/2", "2/2"] {
        let ran =
            replay(&suite, &["native", "--require-agent", "--shard", part, "--output-dir", &format!("parts/{part}")]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.says(&["1 of 1 case played from recordings: no agent was run"]);
    }
    let merged = suite.agentci(&["merge", "parts", "--output-dir", "merged"]);
    assert_eq!(merged.code, Some(1), "{merged:?}");
    assert_eq!(merged.stdout.matches(BOTH).count(), 2, "{merged:?}");
    merged.says(&["GATE FAIL require-agent: 2 cases"]);
}

#[test]
fn require_agent_native_does_not_affect_other_formats() {
    let suite = conversations("");
    for (asked, code) in [("=native", 0), ("=none", 0), ("=all", 1), ("", 1)] {
        let ran = replay(&suite, &["suite", &format!("--require-agent{asked}")]);
        assert_eq!(ran.code, Some(code), "{asked} {ran:?}");
        ran.says(&[BOTH]);
    }
    let ran = replay(&suite, &["native", "--require-agent=native"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    // The last of several flags counts, so that an added flag can override an earlier one.
    let ran = replay(&suite, &["native", "--require-agent=native", "--require-agent=none"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The config of this format has the key as well.
    let config = fs::read_to_string(suite.path("suite/ananke.config.yaml")).unwrap();
    let suite = suite.file("suite/ananke.config.yaml", config + "\nplayed: true\n");
    assert_eq!(replay(&suite, &["suite", "--require-agent"]).code, Some(0));
}

#[test]
fn dry_run_and_list_show_played_cases() {
    let suite = conversations("");
    let dry = replay(&suite, &["native", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert_eq!(dry.stdout.matches(" (replayed from a recording: no agent runs)\n").count(), 2, "{dry:?}");
    let dry = replay(&suite, &["native", "--dry-run", "--require-agent"]);
    assert_eq!(dry.code, Some(1), "{dry:?}");
    dry.complains(&["it is answered from a recording", "--> native/agentci.yaml:"]);
    let live = suite.agentci(&["run", "native", "--dry-run", "--require-agent"]);
    assert_eq!(live.code, Some(0), "a suite that says `mode: live`: {live:?}");
    let listed: Value = serde_json::from_str(&replay(&suite, &["native", "--dry-run", "--json"]).stdout).unwrap();
    assert_eq!(listed[0]["answered_by"], "recording");
}

#[test]
fn refuses_played_without_a_recording() {
    let case = "cases: [{ id: a, played: true, input: {} }, { id: b, input: {} }]\n";
    let ran = Suite::native(case).agent("b", "finish '{}'").run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["`played` has no effect: the case has no `recording`", "suite/agentci.yaml:3:"]);
    let ran = Suite::native("played: true\ncases: [{ id: a, input: {} }]\n").run(&[]);
    ran.complains(&["`played` has no effect: no case has a `recording`", "suite/agentci.yaml:3:9"]);
}

#[test]
fn deciding_gates_do_not_override_require_agent() {
    let suite = conversations("gates: { min_pass_rate: 0, decide: true }\n");
    let ran = replay(&suite, &["native", "--require-agent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.summary()["run"]["exit_status"], "failed");
}
