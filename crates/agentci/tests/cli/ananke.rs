//! Tests of the ananke format: which are found, with which config, before anything is run.

use serde_json::Value;

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

/// Suites and cases, as `agentci list` tells them.
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
fn a_project_is_found_from_above_from_within_and_by_its_files() {
    let suite = project();
    for paths in [&["shop"][..], &["shop/ananke.config.yaml"], &["shop/tests"]] {
        let ran = suite.agentci(&[&["list", "--json"], paths].concat());
        assert_eq!(listed(&ran), rows("shop", &["leave", "pay"]), "{paths:?}");
    }
    let checked = suite.agentci(&["check", "shop"]);
    assert_eq!(
        (checked.code, checked.stdout.as_str()),
        (Some(0), "1 suite, 2 cases: nothing is wrong\n"),
        "{checked:?}"
    );
    let mut within = suite.command(&["list", "--json", "leave.yaml"]);
    let output = within.current_dir(suite.path("shop/tests/deep")).output().unwrap();
    assert_eq!(listed(&suite.ran(&output, std::time::Duration::ZERO)), rows("shop", &["leave"]));
}

#[test]
fn a_config_can_be_chosen_and_must_be_of_use() {
    let suite = project();
    let ran = suite.agentci(&["list", "--json", "shop", "--config", "staging/other.yaml"]);
    assert_eq!(listed(&ran), rows("staging", &["leave", "pay"]));
    let native = Suite::native("cases: [{ id: a, input: {} }]\n").file("other.yaml", CONFIG);
    for command in ["run", "record", "check", "list", "convert"] {
        let missing = suite.agentci(&[command, "shop", "--config", "none.yaml"]);
        assert_eq!(missing.code, Some(1), "{missing:?}");
        assert!(missing.stderr.contains("can not read `none.yaml`"), "{missing:?}");
        let useless = native.agentci(&[command, "suite", "--config", "other.yaml"]);
        assert_eq!(useless.code, Some(1), "{useless:?}");
        assert!(useless.stderr.starts_with("error: `--config` is for suites of the ananke format"), "{useless:?}");
    }
}
