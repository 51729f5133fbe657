//! Cases that are repeated until the gate `no_regression` can tell whether they got worse.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ran::Ran;
use crate::suite::Suite;

/// The example of a random agent, whose choices depend on how often it ran in this folder.
struct RandomAgent {
    suite: Suite,
}

impl RandomAgent {
    fn new() -> Self {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/random_agent");
        let read = |name: &str| fs::read(example.join(name)).unwrap();
        let suite = Suite::empty().file("state/.keep", "");
        let files = ["agentci.yaml", "agent.py", "baseline.json"];
        Self { suite: files.into_iter().fold(suite, |suite, name| suite.file(&format!("example/{name}"), read(name))) }
    }

    fn run(&self, broken: &str, more: &[&str]) -> Ran {
        // The result of a run is found by being the only one.
        let _ = fs::remove_dir_all(self.suite.path(".agentci"));
        let mut command = self.suite.command(&[&["run", "example"], more].concat());
        command.env("AGENT_RANDOM", "1").env("AGENT_STATE", self.suite.path("state")).env("AGENT_BROKEN", broken);
        self.suite.ran(&command.output().unwrap(), std::time::Duration::ZERO)
    }
}

/// The number of runs of a case.
fn runs(ran: &Ran, id: &str) -> u64 {
    ran.case(id)["history"]["runs"].as_u64().unwrap()
}

fn noise(ran: &Ran) -> Value {
    let summary = ran.summary();
    let checks = summary["regression"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == "no_regression").unwrap()["noise"].clone()
}

#[test]
fn random_agent_stays_green_ten_times_and_a_broken_case_is_red() {
    let agent = RandomAgent::new();
    let mut failures = 0;
    for round in 0..10 {
        let ran = agent.run("", &[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "round {round}: {ran:?}");
        assert_ne!(noise(&ran)["trend"], "regressed");
        assert!(runs(&ran, "greeting") >= 9, "{ran:?}");
        failures +=
            ["greeting", "refund", "poem"].map(|id| u64::from(ran.case(id)["status"] != "pass")).iter().sum::<u64>();
    }
    assert!(failures > 3, "the agent is not random: {failures} failures");
    for broken in ["greeting", "refund", "poem"] {
        let ran = agent.run(broken, &[]);
        assert_eq!(ran.code, Some(1), "{broken}: {ran:?}");
        ran.says(&[&format!("GATE FAIL no_regression: 1 case got worse: {broken} passes 0 of "), "before (e-value "]);
        let noise = noise(&ran);
        assert!(noise["cases"][0]["e_value"].as_f64().unwrap() >= 60.0 && runs(&ran, broken) <= 8, "{ran:?}");
        // The stored run is judged in the same way.
        let diff = agent.suite.agentci(&[
            "diff",
            "--baseline",
            "example/baseline.json",
            "--run",
            ran.run_folder().to_str().unwrap(),
        ]);
        assert_eq!(diff.code, Some(1), "{diff:?}");
        diff.says(&[&format!("1 case got worse: {broken} passes 0 of ")]);
    }
}

#[test]
fn too_few_runs_are_undecided_and_never_green_unless_the_suite_says_so() {
    let agent = RandomAgent::new();
    let text = fs::read_to_string(agent.suite.path("example/agentci.yaml")).unwrap();
    fs::write(agent.suite.path("example/agentci.yaml"), text.replace("max: 20", "max: 4")).unwrap();
    let ran = agent.run("", &[]);
    ran.says(&["GATE UNDECIDED no_regression: not enough runs to tell: ", "runs of these cases would decide"]);
    assert_eq!((ran.code, noise(&ran)["trend"].as_str()), (Some(0), Some("undecided")));
    let strict = text.replace("max: 20", "max: 4").replace("undecided: pass", "undecided: fail");
    fs::write(agent.suite.path("example/agentci.yaml"), strict).unwrap();
    assert_eq!(agent.run("", &[]).code, Some(1));
    // A broken case is noticed even so.
    let ran = agent.run("greeting", &[]);
    ran.says(&["GATE FAIL no_regression: 1 case got worse: greeting passes 0 of "]);
}

#[test]
fn flag_repeats_until_decided_and_a_number_repeats_that_often() {
    let agent = RandomAgent::new();
    let ran = agent.run("", &["--runs", "2"]);
    assert_eq!(["greeting", "refund", "poem"].map(|id| runs(&ran, id)), [2; 3], "{ran:?}");
    assert!(noise(&ran)["suite_p"].is_number(), "a fixed number of runs has p-values");
    let text = fs::read_to_string(agent.suite.path("example/agentci.yaml")).unwrap();
    let fixed = text.lines().filter(|line| !line.starts_with("runs:")).collect::<Vec<_>>().join("\n");
    fs::write(agent.suite.path("example/agentci.yaml"), &fixed).unwrap();
    let ran = agent.run("", &["--runs", "until-decided"]);
    assert!(runs(&ran, "greeting") >= 9 && noise(&ran)["until_decided"] == true, "{ran:?}");
    fs::write(agent.suite.path("example/agentci.yaml"), fixed.replace("no_regression: true, ", "")).unwrap();
    let ran = agent.run("", &["--runs", "until-decided"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("needs the gate `no_regression`, but `random-agent` does not set it"), "{ran:?}");
}

#[test]
fn shards_repeat_their_cases_and_merge_decides() {
    let agent = RandomAgent::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("parts/{}", &shard[..1]);
        let ran = agent.run("refund", &["--shard", shard, "--output-dir", &out]);
        assert_eq!(ran.code, Some(0), "the verdict is left to the merge: {ran:?}");
    }
    let merged = agent.suite.agentci(&["merge", "parts"]);
    assert_eq!(merged.code, Some(1), "{merged:?}");
    merged.says(&["GATE FAIL no_regression: 1 case got worse: refund passes 0 of "]);
}

#[test]
fn replayed_cases_run_once() {
    let agent = "runs: { until: decided, min: 3 }\ngates: { baseline: none.json, no_regression: true }\n\
        world: { model: { script: { rules: [{ reply: hi }] }, optional: true } }\n\
        cases: [{ id: a, input: {} }]\n";
    let suite = Suite::native(agent).agent("a", r#"finish '{"ok":true}'"#);
    fs::write(suite.path("suite/none.json"), fs::read(RandomAgent::new().suite.path("example/baseline.json")).unwrap())
        .unwrap();
    let ran = suite.run(&[]);
    assert_eq!(runs(&ran, "a"), 1, "{ran:?}");
}

#[test]
fn converted_suite_repeats_in_the_same_way() {
    let yaml = "runs: { until: decided, max: 7, max_cost_usd: 0.5, total: { max_wall: 3m, max_cost_usd: 2 } }\n\
        gates: { no_regression: true }\ncases:\n\
        \x20 - { id: a, input: {} }\n\
        \x20 - { id: b, input: {}, runs: 3 }\n\
        \x20 - { id: c, input: {}, runs: 1 }\n\
        \x20 - { id: d, input: {}, runs: { until: decided, min: 2, max: 9, max_wall: 10s } }\n";
    let suite = Suite::native(yaml).agent("a", "finish '{}'");
    let converted = suite.agentci(&["convert", "suite"]);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let again = Suite::empty().file("suite/agentci.yaml", &converted.stdout).file("suite/agent.sh", "");
    assert_eq!(again.agentci(&["convert", "suite"]).stdout, converted.stdout);
    for line in ["    max_cost_usd: 2", "    max_wall: 3m", "    runs: 3", "    runs: 1", "      max_wall: 10s"] {
        assert!(converted.stdout.contains(&format!("{line}\n")), "{line}: {converted:?}");
    }
}

#[test]
fn refuses_repeats_that_nothing_decides() {
    let wrong = |yaml: &str, words: &[&str]| {
        let ran = Suite::native(yaml).agent("a", "finish '{}'").run(&[]);
        assert_ne!(ran.code, Some(0), "{ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word) || ran.stdout.contains(word), "{word}: {ran:?}");
        }
    };
    let gate = "gates: { no_regression: true }\n";
    wrong(
        "runs: { until: decided }\ncases: [{ id: a, input: {} }]\n",
        &["agentci.yaml:3:7", "`until: decided` needs the gate `no_regression`"],
    );
    wrong(&format!("{gate}runs: {{ max: 3 }}\ncases: [{{ id: a, input: {{}} }}]\n"), &["`until`"]);
    wrong(
        &format!("{gate}runs: {{ until: decided, min: 5, max: 3 }}\ncases: [{{ id: a, input: {{}} }}]\n"),
        &["`min` is 5, more than `max`, which is 3"],
    );
    wrong(
        &format!("{gate}cases: [{{ id: a, input: {{}}, runs: {{ until: decided, total: {{ max_wall: 1m }} }} }}]\n"),
        &["`total` is the budget of all cases", "move it to `runs` of the suite"],
    );
    wrong(
        &format!("{gate}runs: {{ until: decided, max: 201 }}\ncases: [{{ id: a, input: {{}} }}]\n"),
        &["`max` must be 200 or less, found 201"],
    );
    wrong(
        &format!("{gate}runs: {{ until: decided, max_cost_usd: 0 }}\ncases: [{{ id: a, input: {{}} }}]\n"),
        &["`max_cost_usd` must be greater than 0"],
    );
}
