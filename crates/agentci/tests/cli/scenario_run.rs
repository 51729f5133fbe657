//! Complete runs of scenarios: an agent that the run starts, its tools, and an embeddings service.

use std::time::Instant;

use crate::embeddings::{Embeddings, Reply};
use crate::http_agent::command;
use crate::ran::Ran;
use crate::suite::Suite;

const PAY: &str = "tool_fixtures:
  paySlips:
    - request:
      id: 1
      response_file: slips/1.json
    - request: { id: 2 }
      response: { net: 2500 }
  paySlipsSummary:
    - { request: { ids: [1, 2] }, response: { total: 3750 } }
";

/// A project with the agent of `http_agent`, without scenarios.
fn project() -> Suite {
    let suite = Suite::empty();
    let pid = suite.path("agent.pid");
    let target = format!(
        "targets:\n  us:\n    url: \"http://127.0.0.1:${{PORT}}/\"\n    timeout: 2s\n    agent_command: {}\n    env: {{ HTTP_AGENT: {:?} }}\n",
        command(),
        pid.to_str().unwrap()
    );
    suite
        .file("agentci.yaml", format!("{target}tool_bases: [PAY_BASE]\nthreshold: 0.75\n"))
        .file("tests/us/__files/slips/1.json", "{\"net\": 1250}")
}

/// A scenario that expects an answer similar to `Paid in full.`.
fn scenario(name: &str, question: &str, more: &str) -> String {
    format!("test_name: {name}\nuser_input: {question}\nexpected_answer: Paid in full.\n{more}")
}

fn run(suite: &Suite, arguments: &[&str]) -> Ran {
    let service = Embeddings::new(|_, texts| {
        if texts.iter().any(|text| text == "Refused") { Reply::Say(400, "", "{}") } else { Reply::Vectors }
    });
    let started = Instant::now();
    let mut command = suite.command(&[&["run", "--agent", "us", "--stable-name"], arguments].concat());
    let output = command.env("OPENAI_API_KEY", "sk-1234567890").env("OPENAI_BASE_URL", service.url()).output().unwrap();
    suite.ran(&output, started.elapsed())
}

/// The name and status of each scenario.
fn statuses(suite: &Suite) -> Vec<String> {
    let table = std::fs::read_to_string(suite.path("results/results.csv")).unwrap();
    let rows = table.lines().skip(1).map(|line| line.splitn(3, ',').take(2).collect::<Vec<_>>().join(" "));
    rows.collect()
}

#[test]
fn run_continues_after_every_status() {
    for arguments in [&[][..], &["--parallel", "3"]] {
        let suite = project()
            .file("tests/us/a.yaml", scenario("late", "slow", ""))
            .file("tests/us/b.yaml", scenario("missed", "pay 3", PAY))
            .file("tests/us/c.yaml", scenario("refused", "Refused", ""))
            .file("tests/us/d.yaml", scenario("far", "hello", ""))
            .file("tests/us/e.yaml", scenario("broken", "fail", ""))
            .file("tests/us/f.yaml", "test_name: wrong\nuser_input: hello\n")
            .file("tests/us/g.yaml", scenario("near", "total 1 2", PAY));
        let ran = run(&suite, arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let wanted = [
            "late TIMEOUT",
            "missed STUB_MISS",
            "refused EMBEDDING_ERROR",
            "far FAIL",
            "broken FAIL",
            "wrong FAIL",
            "near PASS",
        ];
        assert_eq!(statuses(&suite), wanted, "{ran:?}");
        assert_eq!(ran.final_output("near"), "Paid 1250 + 2500 = 3750", "two tools, and two calls of one");
        let table = std::fs::read_to_string(suite.path("results/results.csv")).unwrap();
        assert!(table.contains("\"the agent answered with status 500; it says: no model\""), "{table}");
    }
}

#[test]
fn late_calls_do_not_affect_the_next_scenario() {
    let suite = project()
        .file("tests/us/a.yaml", scenario("late", "later", PAY))
        .file("tests/us/b.yaml", scenario("next", "meanwhile", PAY));
    let ran = run(&suite, &[]);
    assert_eq!(statuses(&suite), ["late TIMEOUT", "next FAIL"], "{ran:?}");
    assert_eq!(ran.final_output("next"), "meanwhile");
}

#[test]
fn each_scenario_starts_its_agent_unless_shared() {
    for (sharing, calls) in [("", 0), ("    shared: true\n", 1)] {
        let suite = project()
            .file("tests/us/a.yaml", scenario("owing", "owe 1", PAY))
            .file("tests/us/b.yaml", scenario("next", "meanwhile", PAY));
        let settings = std::fs::read_to_string(suite.path("agentci.yaml")).unwrap();
        let suite =
            suite.file("agentci.yaml", settings.replace("    timeout: 2s\n", &format!("    timeout: 2s\n{sharing}")));
        let ran = run(&suite, &[]);
        assert_eq!(ran.case("next")["tool_calls"], calls, "{ran:?}");
    }
}
