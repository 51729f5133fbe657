//! Discovery of ananke tests: which files are found, and with which config, before anything runs.

use serde_json::Value;

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

const CONFIG: &str = "version: '1.0'\ntarget:\n  type: agui\n  endpoint: http://127.0.0.1:9/agent\n  agentId: shop\n";

fn test(name: &str) -> String {
    format!("version: '1.0'\nname: {name}\nturns: [{{ user: hi }}]\nassert: {{ tools: {{ forbid: [delete] }} }}\n")
}

fn project() -> Suite {
    Suite::empty()
        .file("shop/ananke.config.yaml", CONFIG)
        .file("shop/tests/pay.test.yaml", test("pay"))
        .file("shop/tests/deep/leave.yaml", test("leave"))
        .file("staging/other.yaml", CONFIG)
}

/// Suites and cases, as `agentci list` prints them.
fn listed(ran: &Ran) -> Vec<(String, String)> {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert!(rows.iter().all(|row| row["dialect"] == "ananke"), "{rows:?}");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(row, "suite"), text(row, "id"))).collect()
}

fn rows(suite: &str, ids: &[&str]) -> Vec<(String, String)> {
    ids.iter().map(|id| (suite.to_owned(), (*id).to_owned())).collect()
}

#[test]
fn finds_project_by_folder_subfolder_config_or_test_file() {
    let suite = project();
    for paths in [&["shop"][..], &["shop/ananke.config.yaml"], &["shop/tests"]] {
        let ran = suite.agentci(&[&["list", "--json"], paths].concat());
        assert_eq!(listed(&ran), rows("shop", &["leave", "pay"]), "{paths:?}");
    }
    let checked = suite.agentci(&["check", "shop"]);
    assert_eq!(
        (checked.code, checked.stdout.as_str()),
        (Some(0), "1 suite, 2 cases: no problems found\n"),
        "{checked:?}"
    );
    let mut within = suite.command(&["list", "--json", "leave.yaml"]);
    let output = within.current_dir(suite.path("shop/tests/deep")).output().unwrap();
    assert_eq!(listed(&suite.ran(&output, std::time::Duration::ZERO)), rows("shop", &["leave"]));
}

#[test]
fn config_flag_selects_config_and_requires_ananke_suite() {
    let suite = project();
    let ran = suite.agentci(&["list", "--json", "shop", "--config", "staging/other.yaml"]);
    assert_eq!(listed(&ran), rows("staging", &["leave", "pay"]));
    let native = Suite::native("cases: [{ id: a, input: {} }]\n").file("other.yaml", CONFIG);
    for command in ["run", "record", "check", "list", "convert"] {
        let missing = suite.agentci(&[command, "shop", "--config", "none.yaml"]);
        assert_eq!(missing.code, Some(1), "{missing:?}");
        assert!(missing.stderr.contains("cannot read `none.yaml`"), "{missing:?}");
        let useless = native.agentci(&[command, "suite", "--config", "other.yaml"]);
        assert_eq!(useless.code, Some(1), "{useless:?}");
        assert!(useless.stderr.starts_with("error: `--config` applies to suites in the ananke format"), "{useless:?}");
    }
}

#[test]
fn records_start_and_end_of_every_turn() {
    let url = listen(|asked| {
        let event = |json: String| format!("data: {json}\n\n");
        let ids = format!("\"threadId\":{},\"runId\":{}", asked.body["threadId"], asked.body["runId"]);
        let said = "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"hello\"}";
        let body = event(format!("{{\"type\":\"RUN_STARTED\",{ids}}}"))
            + &event(said.to_owned())
            + &event(format!("{{\"type\":\"RUN_FINISHED\",{ids}}}"));
        Some(Answer(200, "content-type: text/event-stream\r\n", body))
    });
    let config = CONFIG.replace("http://127.0.0.1:9/agent", &format!("{url}/agent"));
    let test =
        "version: '1.0'\nname: talk\nturns: [{ user: one }, { user: two, assert: { text: { must_match: hello } } }]\n";
    let suite = Suite::empty().file("shop/ananke.config.yaml", config).file("shop/talk.test.yaml", test);
    let ran = suite.agentci(&["run", "shop"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let events = ran.events();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    let starts: Vec<(u64, u64)> = of("turn_start")
        .iter()
        .map(|event| (event["turn"].as_u64().unwrap(), event["timestamp"].as_u64().unwrap()))
        .collect();
    let turns: Vec<(u64, u64)> = of("case_end")[0]["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| (turn["turn"].as_u64().unwrap(), turn["turn_start_ts"].as_u64().unwrap()))
        .collect();
    assert_eq!(starts, turns);
    assert_eq!(turns.iter().map(|(turn, _)| *turn).collect::<Vec<_>>(), [0, 1]);
    let said = of("text");
    for (turn, text) in of("case_end")[0]["turns"].as_array().unwrap().iter().zip(said) {
        let end = turn["turn_end_ts"].as_u64().unwrap();
        assert!(end >= turn["turn_start_ts"].as_u64().unwrap() && end >= text["timestamp"].as_u64().unwrap(), "{turn}");
    }
}

#[test]
fn refuses_user_message_for_mcp_server() {
    let config = "version: '1.2'\ntarget: { type: mcp, transport: stdio, command: [cat] }\n";
    let test = "version: '1.2'\nname: talk\nturns: [{ user: hi }]\n";
    let suite = Suite::empty().file("ananke.config.yaml", config).file("talk.test.yaml", test);
    let ran = suite.agentci(&["check", "."]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["takes no messages", "talk.test.yaml:3:9", "`type: mcp:call`"]);
}
