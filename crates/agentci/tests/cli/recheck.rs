//! Rechecks of stored runs give the verdicts that running the agent again gives, without running it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::gallery::serve;
use crate::ran::{Ran, read_events, run_folders};
use crate::suite::Suite;

/// A kind of check with arguments that hold and arguments that do not, on the same agent.
struct Kind {
    name: &'static str,
    agent: &'static str,
    holds: &'static str,
    fails: &'static str,
}

const fn kind(name: &'static str, agent: &'static str, holds: &'static str, fails: &'static str) -> Kind {
    Kind { name, agent, holds, fails }
}

/// An agent that prints JSON.
const PRINTS: &str = "target: { process: { command: [echo, '{\"total\": 3, \"reply\": \"Your card was charged 20 euros.\"}'], \
                      speaks: text } }";
/// An agent that calls two tools.
const CALLS: &str = "target: { process: { command: [sh, program.sh] } }\nworld: { tools: { cassette: tools.jsonl } }";
/// Prompts and a scripted model.
const TALKS: &str = "target: { chat: { connector: { script: model.yaml }, prompts: [Be brief.] } }\n\
                     agents: { judge: { chat: { connector: { script: judge.yaml }, prompts: [Judge.] } } }";
/// Answers without an agent, with a latency.
const ANSWERS: &str =
    "target: { mock: { model_name: m, responses: [{ content: hello, model: m, tokens_used: 3, latency_ms: 40 }] } }";
/// A server with tasks.
const TASKS: &str = "target: { a2a: { endpoint: \"${ENV.SERVER}/\" } }";

/// Every kind of check except `agent`, whose answer is another agent's.
const KINDS: [Kind; 22] = [
    kind("call_order", CALLS, "[find, pay]", "[pay, find]"),
    kind("contains", PRINTS, "20 euros", "30 euros"),
    kind("duration", ANSWERS, "{ max: 1h }", "{ max: 1us }"),
    kind("equals", ANSWERS, "hello", "bye"),
    kind("finish_reason", TALKS, "stop", "length"),
    kind("json_path", PRINTS, "{ path: total, value: 3 }", "{ path: total, value: 4 }"),
    kind("json_schema", PRINTS, "{ schema: { required: [total] } }", "{ schema: { required: [sum] } }"),
    kind("latency", ANSWERS, "{ max_ms: 50 }", "{ max_ms: 30 }"),
    kind("matches", PRINTS, "charged \\d+ euros", "refunded \\d+"),
    kind("model_called", TALKS, "{ system: Be brief }", "{ system: Be verbose }"),
    kind("no_pii", ANSWERS, "", ""),
    kind("number", PRINTS, "{ value: 20, unit: EUR }", "30"),
    kind("required_fields", PRINTS, "[total, reply]", "[total, sum]"),
    kind("script", PRINTS, "{ file: check.js, function: yes }", "{ file: check.js, function: no }"),
    kind("semantic", PRINTS, "Your card was charged 20 euros.", "The weather in Lisbon is 18 degrees."),
    kind("task", TASKS, "{ state: completed }", "{ state: failed }"),
    kind("tokens", ANSWERS, "{ max: 3 }", "{ max: 2 }"),
    kind("tool_called", CALLS, "{ name: pay, args: { amount: 20 } }", "{ name: pay, args: { amount: 30 } }"),
    kind("tool_evidence", TALKS, "search_web", "delete_order"),
    kind("tool_result", CALLS, "{ name: find, result: { state: open } }", "{ name: find, result: { state: paid } }"),
    kind("type", PRINTS, "object", "array"),
    kind("valid_json", PRINTS, "", ""),
];

const AGENT: &str = r#"read -r task
echo '{"type":"tool_call","name":"find","call_id":"c1","args":{"id":"A-17"}}'
read -r result
echo '{"type":"tool_call","name":"pay","call_id":"c2","args":{"amount":20}}'
read -r result
echo '{"type":"final_output","output":{"done":true}}'
"#;

const TOOLS: &str = "{\"tool\":\"find\",\"args\":{\"id\":\"A-17\"},\"ok\":true,\"result\":{\"state\":\"open\"}}\n\
                     {\"tool\":\"pay\",\"args\":{\"amount\":20},\"ok\":true,\"result\":{}}\n";

const TASK: &str = "=== *\nHTTP/1.1 200 OK\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":\
                    {\"id\":\"t1\",\"contextId\":\"c1\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"},\"artifacts\":\
                    [{\"artifactId\":\"a1\",\"parts\":[{\"text\":\"done\"}]}]}}}\n";

/// A suite with an agent and the checks of its only case.
fn suite_with(agent: &str, checks: &str) -> Suite {
    let asked = if agent == TASKS || agent == TALKS { "turns: [{ user: Hi }]" } else { "input: {}" };
    Suite::empty()
        .file("suite/agentci.yaml", format!("suite: s\n{agent}\ncases:\n- id: a\n  {asked}\n  checks: {checks}\n"))
        .file("suite/program.sh", AGENT)
        .file("suite/tools.jsonl", TOOLS)
        .file("suite/check.js", "function yes() { return true }\nfunction no() { return false }\n")
        .file("suite/model.yaml", "rules: [{ reply: 'I used search_web.' }]\n")
        .file("suite/judge.yaml", "rules: [{ reply: '{\"passed\": true}' }]\n")
}

fn checks(kind: &Kind, holds: bool) -> String {
    let arguments = if holds { kind.holds } else { kind.fails };
    match (arguments, holds) {
        ("", true) => format!("[{}]", kind.name),
        ("", false) => format!("[not: {}]", kind.name),
        _ => format!("[{{ {}: {arguments} }}]", kind.name),
    }
}

/// Replaces the checks of the case.
fn edit(suite: &Suite, from: &str, to: &str) {
    let path = suite.path("suite/agentci.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn folders(suite: &Suite) -> Vec<PathBuf> {
    run_folders(&suite.path(".agentci/runs"))
}

/// Rechecks a run; returns the result and the events of the recheck.
fn recheck(suite: &Suite, run: &Path) -> (Ran, Vec<Value>) {
    let run = run.strip_prefix(suite.root()).unwrap().to_str().unwrap();
    let ran = suite.agentci(&["report", run, "--recheck", "--report", "jsonl=again.jsonl"]);
    let events = if suite.path("again.jsonl").is_file() { read_events(&suite.path("again.jsonl")) } else { Vec::new() };
    (ran, events)
}

/// Status, cause and findings of every case, without what only a run knows.
fn verdicts(events: &[Value]) -> Vec<Value> {
    let ends = events.iter().filter(|event| event["type"] == "case_end");
    let of_end = |end: &Value| {
        let findings = end["findings"].as_array().unwrap().iter();
        let findings: Vec<_> = findings.map(|f| json!([f["cause"], f["name"], f["message"], f["place"]])).collect();
        json!([end["case_id"], end["attempt"], end["status"], end["cause"], findings])
    };
    ends.map(of_end).collect()
}

#[test]
fn changed_check_of_every_kind_gets_the_verdict_of_a_new_run() {
    let mut named: Vec<&str> = KINDS.iter().map(|kind| kind.name).chain(["agent"]).collect();
    named.sort_unstable();
    assert_eq!(named, agentci::checks::names().collect::<Vec<_>>(), "every kind of check is tested");
    let server = serve(TASK.as_bytes());
    for kind in &KINDS {
        for first in [true, false] {
            let (before, after) = (checks(kind, first), checks(kind, !first));
            let suite = suite_with(kind.agent, &before);
            if kind.agent == TASKS {
                edit(&suite, "${ENV.SERVER}", &server);
            }
            let ran = suite.run(&[]);
            assert_eq!(ran.code, Some(i32::from(!first)), "{} {before}: {ran:?}", kind.name);
            edit(&suite, &before, &after);
            let (rechecked, found) = recheck(&suite, &ran.run_folder());
            let again = suite.run(&[]);
            assert_eq!(again.code, Some(i32::from(first)), "{} {after}: {again:?}", kind.name);
            assert_eq!(rechecked.code, again.code, "{} {after}: {rechecked:?}", kind.name);
            let real = folders(&suite).pop().unwrap();
            let mut expected = verdicts(&read_events(&real.join("run.jsonl")));
            if kind.name == "duration" {
                // The time that a new run takes is another one.
                let untimed = |verdicts: &mut Vec<Value>| verdicts.iter_mut().for_each(|end| end[4] = Value::Null);
                let mut own = verdicts(&found);
                untimed(&mut own);
                untimed(&mut expected);
                assert_eq!(own, expected, "{} {after}", kind.name);
            } else {
                assert_eq!(verdicts(&found), expected, "{} {after}", kind.name);
            }
            let verdict = if first { "pass -> fail" } else { "fail -> pass" };
            assert!(rechecked.stdout.contains(verdict), "{}: {rechecked:?}", kind.name);
        }
    }
}

#[test]
fn judge_is_not_asked_again() {
    let judged = "[{ agent: { agent: judge, criteria: Be kind. } }]";
    let suite = suite_with(TALKS, judged);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The same question has the stored answer, also for a check that forbids it.
    let (same, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(same.code, Some(0), "{same:?}");
    let forbidden = "[{ not: { agent: { agent: judge, criteria: Be kind. } } }]";
    edit(&suite, judged, forbidden);
    let (forbids, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(forbids.code, Some(1), "{forbids:?}");
    forbids.says(&["`judge` accepted the answer, which `not` forbids"]);
    // Another question has none.
    edit(&suite, forbidden, "[{ agent: { agent: judge, criteria: Be brief. } }]");
    let (other, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(other.code, Some(1), "{other:?}");
    other.says(&["not rechecked: the judging agent would have to be asked again"]);
    assert_eq!(verdicts(&found)[0][3], "not_rechecked");
}

#[test]
fn redacted_run_never_passes_a_changed_check() {
    // The agent says a secret, and the check that would find it is new.
    let says = "target: { process: { command: [echo, 'the key is sk-live-0123456789abcdef0123'], speaks: text } }";
    let suite = suite_with(says, "[contains: the key]");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap().contains("[REDACTED]"));
    // The unchanged check keeps its result.
    let (same, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(same.code, Some(0), "{same:?}");
    same.says(&["1 unchanged check with the result of the stored run"]);
    edit(&suite, "[contains: the key]", "[{ not: { contains: sk-live-0123456789abcdef0123 } }]");
    let (rechecked, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    assert_eq!(verdicts(&found)[0][3], "not_rechecked");
    assert_eq!(suite.run(&[]).code, Some(1));
}

#[test]
fn added_removed_and_renamed_cases_are_reported() {
    let suite = suite_with(PRINTS, "[contains: total]");
    edit(&suite, "- id: a", "- id: b\n  input: {}\n- id: a");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    edit(&suite, "- id: b\n", "- id: c\n");
    let (rechecked, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    rechecked.says(&["1 case of the run left out, not in the suite: b", "the stored run has no result for this case"]);
    let statuses: Vec<_> = verdicts(&found).iter().map(|end| (end[0].clone(), end[2].clone())).collect();
    assert_eq!(statuses, [(json!("a"), json!("pass")), (json!("c"), json!("error"))]);
    // Without the new case nothing is missing.
    edit(&suite, "- id: c\n  input: {}\n", "");
    assert_eq!(recheck(&suite, &ran.run_folder()).0.code, Some(0));
}

#[test]
fn changed_input_and_missing_turns_are_not_judged() {
    let suite = suite_with(TALKS, "[contains: search_web]");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    edit(&suite, "turns: [{ user: Hi }]", "turns: [{ user: Bye }]");
    let (changed, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(changed.code, Some(1), "{changed:?}");
    changed.says(&["not rechecked: the input changed since the stored run"]);
    edit(&suite, "turns: [{ user: Bye }]", "turns: [{ user: Hi }, { user: Bye }]");
    let (more, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(more.code, Some(1), "{more:?}");
    more.says(&["not rechecked: the stored conversation ended before turn 2 of 2"]);
}

#[test]
fn turn_that_failed_and_passes_now_leaves_the_rest_unknown() {
    let first = "turns: [{ user: Hi, checks: [contains: nothing] }, { user: Bye, checks: [contains: search_web] }]";
    let suite = suite_with(TALKS, "[]");
    edit(&suite, "turns: [{ user: Hi }]", first);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let same = recheck(&suite, &ran.run_folder());
    assert_eq!(verdicts(&same.1), verdicts(&ran.events()), "{:?}", same.0);
    edit(&suite, "contains: nothing", "contains: search_web");
    let (passes, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(passes.code, Some(1), "{passes:?}");
    assert_eq!(verdicts(&found)[0][3], "not_rechecked");
    passes.says(&["turn 1: contains", "failed -> passed", "the stored conversation ended before turn 2 of 2"]);
    // A new failure ends the conversation there, as in a run.
    let whole = suite.run(&[]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    edit(&suite, "user: Hi, checks: [contains: search_web]", "user: Hi, checks: [contains: nothing]");
    let run = folders(&suite).pop().unwrap();
    let (fails, found) = recheck(&suite, &run);
    suite.run(&[]);
    let real = folders(&suite).pop().unwrap();
    assert_eq!(verdicts(&found), verdicts(&read_events(&real.join("run.jsonl"))), "{fails:?}");
}

#[test]
fn failed_check_cannot_hide_that_the_model_was_never_called() {
    let agent =
        "target: { process: { command: [echo, hello], speaks: text } }\nworld: { model: { script: model.yaml } }";
    let suite = suite_with(agent, "[contains: bye]");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    edit(&suite, "contains: bye", "contains: hello");
    let (rechecked, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    suite.run(&[]);
    let real = folders(&suite).pop().unwrap();
    assert_eq!(verdicts(&found), verdicts(&read_events(&real.join("run.jsonl"))));
    assert_eq!(verdicts(&found)[0][3], "model_never_asked");
}

#[test]
fn every_attempt_is_rechecked_and_missing_ones_are_not_passed() {
    let count = "target: { process: { command: [sh, -c, 'echo x >> count; wc -l < count'], speaks: text } }";
    let suite = suite_with(count, "[{ matches: '[123]' }]");
    edit(&suite, "- id: a", "- id: a\n  runs: 3");
    let ran = suite.run(&["--parallel", "1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    edit(&suite, "'[123]'", "'[12]'");
    let (rechecked, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    let statuses: Vec<Value> = verdicts(&found).iter().map(|end| end[2].clone()).collect();
    assert_eq!(statuses, ["pass", "pass", "fail"]);
    rechecked.says(&["a run 3"]);
    edit(&suite, "'[12]'", "'[123]'");
    edit(&suite, "runs: 3", "runs: 4");
    let (more, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(more.code, Some(1), "{more:?}");
    more.says(&["the stored run has 3 of 4 runs of this case"]);
}

#[test]
fn check_with_variables_of_the_environment_is_not_guessed() {
    let suite = suite_with(PRINTS, "[contains: \"${ENV.HOME}\"]");
    edit(&suite, "contains: \"${ENV.HOME}\"", "not: { contains: \"${ENV.HOME}\" }");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (same, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(same.code, Some(0), "{same:?}");
    same.says(&["1 unchanged check with the result of the stored run", "the values of its variables were not stored"]);
    edit(&suite, "not: { contains: \"${ENV.HOME}\" }", "not: { contains: \"${ENV.HOME}x\" }");
    let (changed, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(changed.code, Some(1), "{changed:?}");
    changed.says(&["not rechecked: the values of its variables were not stored"]);
}

#[test]
fn schema_file_that_changed_is_a_changed_check() {
    let suite =
        suite_with(PRINTS, "[json_schema: schema.json]").file("suite/schema.json", "{\"required\":[\"total\"]}");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    fs::write(suite.path("suite/schema.json"), "{\"required\":[\"sum\"]}").unwrap();
    let (rechecked, _) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    rechecked.says(&["json_schema schema.json", "passed -> failed"]);
}

#[test]
fn gates_are_evaluated_on_the_new_verdicts() {
    let suite = suite_with(PRINTS, "[contains: total]");
    edit(&suite, "cases:", "gates: { min_pass_rate: 0.9 }\ncases:");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    edit(&suite, "contains: total", "contains: sum");
    let (rechecked, found) = recheck(&suite, &ran.run_folder());
    assert_eq!(rechecked.code, Some(1), "{rechecked:?}");
    rechecked.says(&["GATE FAIL min_pass_rate"]);
    assert!(found.iter().any(|event| event["type"] == "gates"));
}

#[test]
fn stored_run_stays_as_it_is() {
    let suite = suite_with(PRINTS, "[contains: total]");
    let ran = suite.run(&[]);
    let folder = ran.run_folder();
    let content = || {
        let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    let before = content();
    edit(&suite, "contains: total", "contains: sum");
    let run = folder.strip_prefix(suite.root()).unwrap().to_str().unwrap().to_owned();
    for reports in [&[][..], &["-o", "out.html", "-o", "out.json", "-o", "out.xml"]] {
        let arguments = [&["report", run.as_str(), "--recheck", "suite"], reports].concat();
        assert_eq!(suite.agentci(&arguments).code, Some(1));
        assert_eq!(content(), before);
    }
    let page = fs::read_to_string(suite.path("out.html")).unwrap();
    assert!(page.contains("<h2>Recheck</h2>") && page.contains("pass -&gt; fail, contains sum"), "{page}");
    let summary: Value = serde_json::from_str(&fs::read_to_string(suite.path("out.json")).unwrap()).unwrap();
    let change = &summary["recheck"]["attempts"][0];
    assert_eq!((&change["before"], &change["after"]), (&json!("pass"), &json!("fail")));
    assert_eq!(change["changes"][0]["name"], "contains");
    let refused = suite.agentci(&["report", &run, "--recheck", "--report", "html"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.complains(&["`--recheck` does not change the run folder: `--report html` needs a path"]);
}

#[test]
fn missing_moved_and_renamed_suites_have_a_remedy() {
    let suite = suite_with(PRINTS, "[contains: total]");
    let ran = suite.run(&[]);
    let run = ran.run_folder().strip_prefix(suite.root()).unwrap().to_str().unwrap().to_owned();
    fs::rename(suite.path("suite"), suite.path("moved")).unwrap();
    let gone = suite.agentci(&["report", &run, "--recheck"]);
    assert_eq!(gone.code, Some(1), "{gone:?}");
    gone.complains(&["the suite of this run, `suite/agentci.yaml`, does not exist here", "--recheck SUITE`"]);
    let moved = suite.agentci(&["report", &run, "--recheck", "moved"]);
    assert_eq!(moved.code, Some(0), "{moved:?}");
    let path = suite.path("moved/agentci.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("suite: s\n", "suite: renamed\n")).unwrap();
    assert_eq!(suite.agentci(&["report", &run, "--recheck", "moved"]).code, Some(0));
    let nothing = suite.agentci(&["report", &run, "--recheck", "nowhere"]);
    nothing.complains(&["`nowhere` does not exist"]);
    fs::create_dir(suite.path("suite")).unwrap();
    fs::write(suite.path("suite/agentci.yaml"), text.replace("suite: s\n", "suite: other\n")).unwrap();
    let other = suite.agentci(&["report", &run, "--recheck"]);
    assert_eq!(other.code, Some(1), "{other:?}");
    other.complains(&["the run is of the suite `s`, but `suite/agentci.yaml` has `other`"]);
}

#[test]
fn damaged_and_old_runs_are_refused() {
    let suite = suite_with(PRINTS, "[contains: total]");
    let ran = suite.run(&[]);
    let path = ran.run_folder().join("run.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let without = |name: &str| {
        let kept = text.lines().filter(|line| !line.contains(&format!("\"type\":\"{name}\"")));
        kept.collect::<Vec<_>>().join("\n") + "\n"
    };
    let refused = |text: String, said: &str| {
        fs::write(&path, text).unwrap();
        let (ran, _) = recheck(&suite, path.parent().unwrap());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stdout.contains(said) || ran.stderr.contains(said), "{said}: {ran:?}");
    };
    refused(
        text.replacen("{\"v\":1,\"type\":\"check\"", "{\"v\":1,\"type\":\"chess\"", 1),
        "a damaged run cannot be rechecked",
    );
    refused(without("trace_end"), "which did not keep what a recheck needs");
    refused(without("final_output"), "its stored trace is incomplete");
    refused(without("case_end"), "the stored run has no result for this case");
    refused(without("run_start"), "has no `run_start`");
    let end = text.lines().find(|line| line.contains("\"type\":\"run_end\"")).unwrap();
    refused(text.replace(end, ""), "a damaged run cannot be rechecked");
}
