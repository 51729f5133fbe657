//! A case whose world has a scripted model: the agent is led to it, and what is seen on its wire is judged.

use crate::ran::Ran;
use crate::suite::Suite;

/// Asks the model for what `$1` says, over a plain socket; the answer is in `$answer`.
const ASK: &str = r#"
ask() {
  answer=$(python3 - "$1" <<'PY'
import json, os, sys, urllib.request
address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(address, sys.argv[1].encode(), {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
try:
    answer = urllib.request.urlopen(request).read()
except urllib.error.HTTPError as error:
    answer = error.read()
print(json.dumps(json.loads(answer)))
PY
)
}
"#;

/// An agent that lets its model call a tool once, and then tells its answer.
const LOOP: &str = r#"
ask '{"messages":[{"role":"user","content":"find A-17"}]}'
id=$(printf '%s' "$answer" | sed 's/.*"id": "\(call_[0-9]*\)".*/\1/')
ask '{"messages":[{"role":"user","content":"find A-17"},{"role":"assistant","content":null},{"role":"tool","tool_call_id":"'"$id"'","content":"{\"found\":true}"}]}'
finish '{"answer":"done"}'
"#;

const MODEL: &str = "rules:\n- when: { tool_result: true }\n  reply: done\n- when: { user: find }\n  \
                     tool_calls: [{ name: find_order, args: { id: A-17 } }]\n  usage: { input: 5, output: 7 }\n";

fn suite(world: &str, checks: &str) -> Suite {
    let cases = format!("world: {world}\ncases:\n  - id: wire\n    input: {{}}\n    {checks}\n");
    Suite::native(&cases).file("suite/model.yaml", MODEL).agent("wire", &format!("{ASK}{LOOP}"))
}

fn kinds(ran: &Ran) -> Vec<String> {
    let kinds = ran.events().into_iter().map(|event| event["type"].as_str().unwrap().to_owned());
    kinds
        .filter(|kind| ["model_call", "usage", "tool_call", "tool_result", "final_output"].contains(&kind.as_str()))
        .collect()
}

#[test]
fn tool_calls_seen_on_the_wire_are_checked_and_limited() {
    let checks = "checks: [{ tool_called: { name: find_order, args: { id: A-17 }, count: 1 } }]";
    let ran = suite("{ model: { script: model.yaml } }", checks).run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(kinds(&ran), ["model_call", "usage", "tool_call", "tool_result", "model_call", "usage", "final_output"]);
    let call = ran.events().into_iter().find(|event| event["type"] == "tool_result").unwrap();
    assert_eq!((&call["ok"], &call["result"]["found"]), (&true.into(), &true.into()));
    let limited = suite("{ model: { script: model.yaml } }", "limits: { tokens_out: 6 }").run(&[]);
    assert_eq!(limited.code, Some(1));
    limited.says(&["budget exceeded: max_tokens_out limit=6 actual=7"]);
}

#[test]
fn with_tools_of_its_own_the_world_counts_what_the_protocol_tells() {
    let world = "{ model: { script: model.yaml }, tools: { allow: [find_order] } }";
    let ran = suite(world, "checks: [{ not: { tool_called: find_order } }]").run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(kinds(&ran), ["model_call", "model_call", "final_output"]);
}

#[test]
fn each_attempt_has_a_model_of_its_own() {
    let script = "api_key: sk-scripted\nrules:\n- reply: [first, second]\n";
    let agent = format!(
        "{ASK}ask '{{\"messages\":[{{\"role\":\"user\",\"content\":\"x\"}}]}}'\n\
         text=$(printf '%s' \"$answer\" | sed 's/.*\"content\": \"\\([a-z]*\\)\".*/\\1/')\nfinish \"{{\\\"said\\\":\\\"$text\\\"}}\""
    );
    let cases = "world: { model: { script: m.yaml } }\nruns: 2\nchecks: [{ contains: first }]\n\
                 cases: [{ id: a, input: {} }, { id: b, input: {} }]\n";
    let suite = Suite::native(cases).file("suite/m.yaml", script).agent("a", &agent).agent("b", &agent);
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_wrong_script_is_found_before_anything_runs() {
    let cases = "world: { model: { script: model.yaml } }\ncases: [{ id: a, input: {} }, { id: b, input: {}, world: { model: { script: none.yaml } } }]\n";
    let suite = Suite::native(cases).file("suite/model.yaml", "rules:\n- reply: x\n  finsh: stop\n");
    for command in ["check", "run"] {
        let ran = suite.agentci(&[command, "suite"]);
        assert_eq!(ran.code, Some(1));
        let told = format!("{}{}", ran.stdout, ran.stderr);
        for part in [
            "unknown key `finsh` in a rule",
            "model.yaml:3:3",
            "did you mean `finish`?",
            "can not read `suite/none.yaml`: no such file",
            "agentci.yaml:4:",
        ] {
            assert!(told.contains(part), "{command}: {part}: {told}");
        }
    }
}

#[test]
fn convert_prints_the_script_of_a_model() {
    let suite = suite("{ model: { script: model.yaml } }", "tags: [x]");
    let converted = suite.agentci(&["convert", "suite"]);
    assert!(converted.stdout.contains("world:\n      model:\n        script: model.yaml\n"), "{}", converted.stdout);
}

#[test]
fn a_request_that_the_script_refused_is_told_with_a_case_that_did_not_pass() {
    let ask = r#"ask '{"messages":[{"role":"user","content":"refund it"}]}'"#;
    let agent = |end: &str| format!("{ASK}{ask}\n{ask}\n{end}");
    let refused = "the scripted model refused a request: no rule of the script fits this request (turn 1, user: `refund it`); \
                   the closest is the rule on line";
    let wrong = suite("{ model: { script: model.yaml } }", "checks: [{ contains: refunded }]")
        .agent("wire", &agent("finish '{\"answer\":\"HTTP Error 400\"}'"))
        .run(&[]);
    assert_eq!(wrong.verdicts()[0].2, "check", "{wrong:?}");
    assert_eq!(wrong.stdout.matches(refused).count(), 1, "{wrong:?}");
    let left = suite("{ model: { script: model.yaml } }", "").agent("wire", &agent("exit 1")).run(&[]);
    assert_eq!(left.verdicts()[0].2, "agent_exited", "{left:?}");
    left.says(&[refused]);
}
