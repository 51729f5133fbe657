//! Validates the output of runs against the schemas in `docs/reference/schemas`, and checks that every field of a
//! schema occurs in some run.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::docs_page::{Page, files_below, project, text_of};
use crate::ran::Ran;
use crate::suite::Suite;
use crate::{call_lives, changed_prompts, diff};

/// Fields that occur in no run here, and why.
const UNSEEN: [(&str, &str); 55] = [
    ("ananke-result: warnings", "only a server that breaks the rules of its protocol has any"),
    ("diff: pending", "only a shard has it, and what is compared is a whole run"),
    ("diff: problem", "a baseline that cannot be read is not compared with"),
    ("run-event: clock", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: exact", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: folders", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: ids", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: ignored", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: learned", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: matched", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: renamed", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: unused", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: with_holes", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: clock", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: exact", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: folders", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: ids", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: ignored", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: learned", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: matched", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: renamed", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: unused", "only a case with a recorded world has it: world_recordings.rs"),
    ("summary: with_holes", "only a case with a recorded world has it: world_recordings.rs"),
    ("run-event: ceiling", "only a run that a ceiling ended has it: ceilings.rs"),
    ("run-event: flag", "only a run that a ceiling ended has it: ceilings.rs"),
    ("run-event: limit", "only a run that a ceiling ended has it: ceilings.rs"),
    ("run-event: unfinished", "only a run that a ceiling ended has it: ceilings.rs"),
    ("run-event: unobserved_cost", "only a run that a ceiling ended has it: ceilings.rs"),
    ("run-event: changed", "only a resumed run has it: resume.rs"),
    ("run-event: dropped", "only a resumed run has it: resume.rs"),
    ("run-event: resumed", "only a resumed run has it: resume.rs"),
    ("summary: cases_unfinished", "only a run that a ceiling ended has it: ceilings.rs"),
    ("summary: ceiling", "only a run that a ceiling ended has it: ceilings.rs"),
    ("summary: flag", "only a run that a ceiling ended has it: ceilings.rs"),
    ("summary: limit", "only a run that a ceiling ended has it: ceilings.rs"),
    ("summary: runs_of_unknown_cost", "only a run that a ceiling ended has it: ceilings.rs"),
    ("summary: changed", "only a resumed run has it: resume.rs"),
    ("summary: dropped", "only a resumed run has it: resume.rs"),
    ("summary: resumed", "only a resumed run has it: resume.rs"),
    ("run-event: after", "only a recheck has it: recheck.rs"),
    ("run-event: changes", "only a recheck has it: recheck.rs"),
    ("run-event: kept", "only a recheck has it: recheck.rs"),
    ("run-event: not_rechecked", "only a recheck has it: recheck.rs"),
    ("run-event: recheck", "only a recheck has it: recheck.rs"),
    ("run-event: removed", "only a recheck has it: recheck.rs"),
    ("run-event: run", "only a recheck has it: recheck.rs"),
    ("summary: after", "only a recheck has it: recheck.rs"),
    ("summary: attempts", "only a recheck has it: recheck.rs"),
    ("summary: changes", "only a recheck has it: recheck.rs"),
    ("summary: kept", "only a recheck has it: recheck.rs"),
    ("summary: not_rechecked", "only a recheck has it: recheck.rs"),
    ("summary: reason", "only a recheck has it: recheck.rs"),
    ("summary: recheck", "only a recheck has it: recheck.rs"),
    ("summary: removed", "only a recheck has it: recheck.rs"),
    ("summary: subject", "only a recheck has it: recheck.rs"),
];

/// A suite whose cases cover almost every possible outcome.
const EVERYTHING: &str = r#"
hooks: []
world:
  tools: { cassette: "cassettes/{case}.jsonl" }
  faults: [{ tool: broken, error: torn }, { tool: search, rate: 0.5, delay: 1ms }]
gates: { baseline: baseline.json, min_pass_rate: 0.9, max_avg_wall_ms_delta_pct: 1000000, max_p95_wall_ms_delta_pct: 1000000, min_wall_ms_delta: 0, no_new_failures: true, no_missing_cases: true, no_changed_steps: true }
cases:
  - id: passes
    description: All is well
    tags: [smoke]
    input: { question: 1 }
    checks:
      - contains: fine
      - semantic: { expected: It is fine., facts: warn }
  - id: means
    input: {}
    checks:
      - semantic: Your card AB1234 was charged 20 euros.
      - not: { semantic: { expected: The weather is nice., threshold: 0.9 } }
  - id: asks
    input: {}
    checks:
      - tool_called: { name: search, args: { q: other } }
      - equals: { answer: 2 }
  - id: changed
    input: {}
  - id: wanders
    input: {}
    runs: 3
  - id: skipped
    input: {}
    skip: not today
  - id: leaves
    input: {}
  - id: gives-up
    input: {}
  - id: unhooked
    input: {}
    hooks: [{ command: [sh, -c, "exit 3"] }]
"#;

/// The suite above with its agent, before or after a change of the agent.
fn everything(changed: bool) -> Suite {
    let tape = r#"{"tool":"search","args":{"q":"a"},"ok":true,"result":{"hits":[]}}
{"tool":"search","args":{"q":"b"},"ok":true,"result":{"hits":[]}}
{"tool":"broken","args":{},"ok":true,"result":1}
{"tool":"never","args":{},"ok":true,"result":1}
"#;
    let ids = ["passes", "means", "asks", "changed", "wanders", "skipped", "leaves", "gives-up", "unhooked"];
    let first = if changed { "b" } else { "a" };
    let suite = ids.iter().fold(Suite::native(EVERYTHING), |suite, id| suite.tape(id, tape));
    let suite = suite
        .agent("passes", r#"say '{"type":"log","level":"info","message":"m","data":{"a":1}}'; say '{"type":"usage","tokens_in":1,"tokens_out":2,"cost_usd":0.1}'; call broken '{}'; finish '{"answer":"It is fine."}'"#)
        .agent("means", r#"finish '{"answer":"Your card ab1234 was not charged 30 euros by Ann."}'"#)
        .agent("asks", r#"call search '{"q":"a"}'; finish '{"answer":1}'"#)
        .agent("changed", &format!(r#"call search '{{"q":"{first}"}}'; call search '{{"q":"b"}}'; finish '{{"ok":true}}'"#))
        .agent("wanders", r#"date +%N > /dev/null; if [ -e suite/been ]; then rm suite/been; exit 1; fi; touch suite/been; finish '{"ok":true}'"#)
        .agent("leaves", "echo dying >&2; exit 7")
        .agent("gives-up", r#"say '{"type":"task_error","message":"no","data":{"a":1}}'"#);
    if changed {
        suite
    } else {
        suite
            .agent("leaves", r#"finish '{"ok":true}'"#)
            .agent("means", r#"finish '{"answer":"Your card ab1234 was charged 20 euros."}'"#)
    }
}

/// Documents: the name of the schema, the text and the parsed value.
#[derive(Default)]
struct Seen(Vec<(&'static str, String, Value)>);

impl Seen {
    /// Adds the files of all run folders.
    fn folders(&mut self, ran: &Ran) {
        for folder in ran.run_folders() {
            self.lines("run-event", &fs::read_to_string(folder.join("run.jsonl")).unwrap());
            self.document("summary", &fs::read_to_string(folder.join("summary.json")).unwrap());
        }
    }

    fn document(&mut self, schema: &'static str, text: &str) {
        self.0.push((schema, text.to_owned(), serde_json::from_str(text).unwrap()));
    }

    fn lines(&mut self, schema: &'static str, text: &str) {
        text.lines().for_each(|line| self.document(schema, line));
    }
}

/// A copy of an example, in a folder with its name.
fn copy(name: &str) -> Suite {
    files_below(&format!("examples/{name}"), "").into_iter().fold(Suite::empty(), |suite, path| {
        let bytes = fs::read(project().join(&path)).unwrap();
        suite.file(path.strip_prefix("examples/").unwrap(), bytes)
    })
}

/// Runs compared with a baseline, passing and failing, and shards of a run.
fn native(seen: &mut Seen) {
    let first = everything(false).run(&[]);
    assert_eq!(first.code, Some(1), "{first:?}");
    seen.folders(&first);
    // Set the times in the baseline to zero, so that every case is slower now.
    let mut baseline = first.summary();
    baseline["aggregates"]["metrics"]["wall_ms"]["mean"] = 1e-9.into();
    baseline["cases"].as_array_mut().unwrap().iter_mut().for_each(|case| case["wall_ms"] = 0.into());
    let after = everything(true).file("suite/baseline.json", baseline.to_string());
    let second = after.run(&["--seed", "1"]);
    let folder = second.run_folder();
    let compare = ["diff", "--baseline", "suite/baseline.json", "--run", folder.to_str().unwrap(), "--json"];
    seen.document("diff", &after.agentci(&compare).stdout);
    seen.document("list", &after.agentci(&["list", "suite", "--json"]).stdout);
    seen.folders(&second);
    seen.folders(&everything(true).run(&["--shard", "1/1", "--case", "passes"]));
    seen.folders(&everything(true).file("empty/agentci.yaml", "").run(&["--case", "passes", "empty"]));
    let lenient =
        "gates: { min_pass_rate: 0, decide: true }\ncases: [{ id: fails, input: {}, checks: [{ contains: zebra }] }]\n";
    let forgiven = Suite::native(lenient).run(&[]);
    assert_eq!(forgiven.code, Some(0), "{forgiven:?}");
    seen.folders(&forgiven);
    let pending = Suite::native(lenient).run(&["--shard", "1/1"]);
    assert_eq!(pending.code, Some(0), "{pending:?}");
    seen.folders(&pending);
    let ungated = copy("quickstart");
    let ran = ungated.agentci(&["run", "quickstart"]);
    let summary = ran.run_folder().join("summary.json");
    let summary = summary.to_str().unwrap();
    seen.document("diff", &ungated.agentci(&["diff", "--baseline", summary, "--run", summary, "--json"]).stdout);
    seen.folders(&ran);
}

/// Runs with a scripted model and stub tools, which observe the agent's calls.
fn observed(seen: &mut Seen) {
    for mode in ["denied", "fails", "within"] {
        let suite = call_lives::suite(mode, "refund", call_lives::ROUTES, "checks: [{ contains: refunded }]");
        seen.folders(&suite.agentci(&["run", "suite"]));
    }
    // Another mode acts as a changed agent: one that no longer makes a call, or an exchange during a call.
    for (before, now) in [("stub", "runs"), ("within", "runs")] {
        let of = |mode: &str| call_lives::suite(mode, "refund", call_lives::ROUTES, "checks: [{ contains: refunded }]");
        let (suite, baseline) = (of(now), of(before).agentci(&["run", "suite"]));
        let suite = suite.file("baseline.json", baseline.summary().to_string());
        let folder = suite.agentci(&["run", "suite"]).run_folder();
        let compare = ["diff", "--baseline", "baseline.json", "--run", folder.to_str().unwrap(), "--json"];
        seen.document("diff", &suite.agentci(&compare).stdout);
    }
}

/// A run whose checks give scores.
fn scored(seen: &mut Seen) {
    let yaml =
        "cases: [{ id: a, input: {}, checks: [{ script: { file: score.js, function: half, threshold: 0.4 } }] }]\n";
    let suite =
        Suite::native(yaml).agent("a", "finish '{}'").file("suite/score.js", "function half() { return 0.5 }\n");
    seen.folders(&suite.run(&[]));
}

/// A run whose model requests differ from the baseline.
fn prompts(seen: &mut Seen) {
    let suite = changed_prompts::changed();
    let ran = suite.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    seen.folders(&ran);
    let folders = ran.run_folders();
    let last = folders.last().unwrap().to_str().unwrap();
    let compare = ["diff", "--baseline", "suite/baseline.json", "--run", last, "--json"];
    seen.document("diff", &suite.agentci(&compare).stdout);
    seen.document("trajectory-diff", &suite.agentci(&["diff", "suite/baseline.json", last, "--json"]).stdout);
    for document in diff::documents() {
        seen.document("trajectory-diff", &document);
    }
}

/// Runs that are compared with a history: a regression in both modes, and too few runs to tell.
fn noise(seen: &mut Seen) {
    for (mode, past, runs) in
        [("live", 50, "3"), ("replay", 50, "3"), ("live", 2, "3"), ("live", 50, "{ until: decided }")]
    {
        let run = |at: usize| {
            json!({ "id": format!("0{at}"), "at": format!("{at:03}"), "mode": mode, "pass_rate": 1.0,
                    "cases": { "a": [1, 1, 1 + at % 3, 10] } })
        };
        let case = json!({ "id": "a", "status": "pass", "tool_calls": 0, "tool_errors": 0,
                           "assertions": { "total": 1, "failed": 0 } });
        let baseline = json!({ "schema_version": 2, "suite": { "name": "s" }, "cases": [case],
                               "runs": { "0": (0..past).map(run).collect::<Vec<_>>() } });
        let text = format!(
            "suite: s\nmode: {mode}\nruns: {runs}\ntarget: {{ mock: {{ model_name: m, responses: [{{ content: hi, model: m, \
             tokens_used: 900, latency_ms: 30 }}] }} }}\ngates: {{ baseline: baseline.json, no_regression: true, \
             no_slower: true, no_costlier: true, undecided: pass }}\nchecks: [{{ contains: zebra }}]\n\
             cases: [{{ id: a, input: {{}} }}]\n"
        );
        let suite = Suite::empty().file("s/agentci.yaml", text).file("s/baseline.json", baseline.to_string());
        let ran = suite.agentci(&["run", "s"]);
        seen.folders(&ran);
        let folder = ran.run_folder();
        let compare = ["diff", "--baseline", "s/baseline.json", "--run", folder.to_str().unwrap(), "--json"];
        seen.document("diff", &suite.agentci(&compare).stdout);
    }
}

/// A suite with a matrix, one value of which passes more often.
fn combinations(seen: &mut Seen) {
    let suite = "suite: s\nmatrix: { word: [good, bad] }\nruns: 8\n\
        target: { mock: { model_name: m, responses: [{ content: \"${matrix.word}\", model: m, tokens_used: 1, latency_ms: 1 }] } }\n\
        cases: [{ id: a, input: {}, checks: [{ contains: good }] }]\n";
    let suite = Suite::empty().file("suite/agentci.yaml", suite);
    seen.folders(&suite.agentci(&["run", "suite"]));
    seen.document("list", &suite.agentci(&["list", "suite", "--json"]).stdout);
}

fn scenario(seen: &mut Seen) {
    seen.folders(&copy("scenario").agentci(&["run", "scenario"]));
    let gone = Suite::empty().file("b.json", "[");
    let gone = gone.file(
        "tests/a/b.yaml",
        "test_name: b\nuser_input: c\nexpected_answer: d\ntool_fixtures: { e: [{ response: 1 }] }\n",
    );
    seen.folders(&gone.agentci(&["run", "tests", "--baseline", "b.json", "--agent-url", "http://127.0.0.1:1/"]));
}

fn ananke(seen: &mut Seen) {
    let example = |path: &str| text_of(&format!("examples/conversations/{path}"));
    let skipped = "version: \"1.0\"\nname: b\nskip: true\nturns: [{ user: Hi }]\n";
    let failing = example("tests/sold-out.test.yaml").replace("name: what is", "name: what else is");
    let failing = failing.replace("must_match: teapot", "must_match: zebra")
        + "assert: { tools: { require: [{ name: check_basket, args_match: { basket: zebra } }] }, timing: { max_duration_ms: 1 } }\n";
    let suite = copy("conversations")
        .file("conversations/tests/skipped.test.yaml", skipped)
        .file(
            "conversations/tests/unrecorded.test.yaml",
            skipped.replace("skip: true\n", "").replace("name: b", "name: c"),
        )
        .file("conversations/tests/failing.test.yaml", failing)
        .file("conversations/recordings/tests/failing.test.jsonl", example("recordings/tests/sold-out.test.jsonl"));
    let replay = ["run", "conversations", "--mode", "replay", "--require-agent", "-o", "out.json"];
    seen.folders(&suite.agentci(&replay));
    seen.document("ananke-result", &fs::read_to_string(suite.path("out.json")).unwrap());
}

fn yao(seen: &mut Seen) {
    let failing = "{\"id\": \"f\", \"input\": \"Hi\", \"assert\": {\"type\": \"contains\", \"value\": \"zebra\"}}\n";
    let suite = copy("yao").file("yao/assistants/keyword/tests/failing.jsonl", failing);
    for (tests, runs) in [("inputs", "1"), ("inputs", "2"), ("failing", "1"), ("failing", "2")] {
        let tests = format!("yao/assistants/keyword/tests/{tests}.jsonl");
        for out in ["out.json", "out.jsonl"] {
            let ran = suite.agentci(&["run", "-i", &tests, "--runs", runs, "-o", out]);
            assert!(ran.code.is_some_and(|code| code < 2), "{ran:?}");
        }
        seen.document("yao-result", &fs::read_to_string(suite.path("out.json")).unwrap());
        seen.lines("yao-line", &fs::read_to_string(suite.path("out.jsonl")).unwrap());
        seen.folders(&suite.agentci(&["run", "-i", &tests, "--runs", runs, "-o", "out.md"]));
    }
}

fn aumai(seen: &mut Seen) {
    let test = "name: a\ninput_messages: [{ role: user, content: b }]\nexpected_behavior: { contains_text: zebra }\n";
    let ran = Suite::empty().file("t/a.yaml", test).agentci(&["run", "t", "--json"]);
    seen.folders(&ran);
    seen.document("aumai-result", &ran.stdout);
}

/// Collects every field name of a schema or of a document.
fn names(value: &Value, of_schema: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                if of_schema {
                    if let (true, Value::Object(properties)) = (name == "properties", inner) {
                        found.extend(properties.keys().cloned());
                    }
                } else {
                    found.insert(name.clone());
                }
                names(inner, of_schema, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, of_schema, found)),
        _ => {}
    }
}

#[test]
fn run_artifacts_match_the_schemas() {
    let mut seen = Seen::default();
    for gather in [native, observed, scored, prompts, noise, combinations, scenario, ananke, yao, aumai] {
        gather(&mut seen);
    }
    let mut wrong = Vec::new();
    let mut unseen = BTreeSet::new();
    for path in files_below("docs/reference/schemas", "json") {
        let name = path.rsplit('/').next().unwrap().trim_end_matches(".json");
        let schema: Value = serde_json::from_str(&text_of(&path)).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let documents: Vec<_> = seen.0.iter().filter(|(of, ..)| *of == name).collect();
        assert!(!documents.is_empty(), "nothing was held against {name}");
        let mut there = BTreeSet::new();
        for (_, text, document) in &documents {
            names(document, false, &mut there);
            for error in validator.iter_errors(document) {
                wrong.push(format!("{name}: {error} at {}: {:.600}", error.instance_path(), text));
            }
        }
        let mut told = BTreeSet::new();
        names(&schema, true, &mut told);
        unseen.extend(told.difference(&there).map(|field| format!("{name}: {field}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let excused: BTreeSet<String> = UNSEEN.iter().map(|(field, _)| (*field).to_owned()).collect();
    assert_eq!(unseen, excused, "left: fields that no run here has; right: those that need not be seen");
}

/// Results shown on a page, and the schemas they must match.
const SHOWN: [(&str, &str, &str); 3] = [
    ("docs/reference/ananke.md", "\"tests\"", "ananke-result"),
    ("docs/reference/aumai.md", "\"suite_name\"", "aumai-result"),
    ("docs/reference/reports.md", "\"type\":\"start\"", "yao-line"),
];

#[test]
fn results_in_docs_match_the_schemas() {
    for (path, mark, name) in SHOWN {
        let schema: Value = serde_json::from_str(&text_of(&format!("docs/reference/schemas/{name}.json"))).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let page = Page::read(path);
        let block = page.blocks().find(|block| block.language == "json" && block.text.contains(mark)).unwrap();
        let documents = serde_json::Deserializer::from_str(&block.text).into_iter::<Value>();
        for document in documents {
            let document = document.unwrap();
            let wrong: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{path}:{}: {wrong:?}", block.line);
        }
    }
}
