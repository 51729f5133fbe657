//! What counts as a tool call: with a scripted model, a call counts when the agent makes it, not when the script
//! requests it. Each rule is tested with a broken agent and with a correct one.

use crate::ran::Ran;
use crate::suite::Suite;

/// An agent without any agentci code: it calls its model, runs its tools and prints the last answer. `MODE` selects how
/// it misbehaves.
const AGENT: &str = r#"
import json, os, sys, urllib.request
mode = os.environ["MODE"]
def post(address, body):
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer x"}
    return json.load(urllib.request.urlopen(urllib.request.Request(address, data, headers)))
offered = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
           for name in ("refund_order", "find_order", "mcp__shop__find_order")]
def model(messages):
    body = {"model": "m", "messages": messages, "tools": offered}
    return post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)["choices"][0]["message"]
def run(call):
    name, args = call["function"]["name"], json.loads(call["function"]["arguments"])
    if mode == "denied": return "Tool execution was not approved."
    if mode == "denied after all":
        post(os.environ["SHOP"] + "/" + name, args)
        return "Tool execution was not approved."
    if mode == "own words": return "NO: a human said no"
    if mode == "fails": return "An error occurred while running the tool. Please try again. Error: boom"
    if mode == "wrong": args["amount"] = 200
    if mode == "adds": args["user"] = 7
    if mode in ("says done", "puts it in words", "prints it", "pays twice", "says the opposite", "says it failed"):
        got = post(os.environ["SHOP"] + "/" + name, args)
        if mode == "pays twice": post(os.environ["SHOP"] + "/" + name, args)
        words = {"says done": "done", "puts it in words": "You get back 20.00 EUR.",
                 "says the opposite": '{"refunded": 2, "note": "20"}',
                 "says it failed": "An error occurred while running the tool. Please try again. Error: refunded: 20"}
        return words.get(mode, repr(got) if mode == "prints it" else json.dumps(got))
    if mode in ("stub", "wrong", "adds", "handoff", "drops", "jsonl"):
        return json.dumps(post(os.environ["SHOP"] + "/" + name.split("__")[-1], args))
    if mode in ("within", "within only"): return json.dumps(post(os.environ["SHOP"] + "/payments", args))
    return json.dumps({"done": True})
messages = [{"role": "system", "content": "You are the shop."}, {"role": "user", "content": sys.stdin.read()}]
answer = model(messages)
calls = answer.get("tool_calls") or []
messages.append(answer)
if mode == "never":
    print("refunded")
elif mode == "ends":
    print([run(call) for call in calls][0])
elif mode == "within only":
    [run(call) for call in calls]
    print("refunded")
elif mode == "handoff":
    [run(call) for call in calls]
    print(model([{"role": "user", "content": "you take over"}])["content"])
else:
    order = reversed(calls) if mode == "stub" else calls
    if mode == "renumbers":
        for number, call in enumerate(calls): call["id"] = f"mine-{number}"
    given = {call["id"]: run(call) for call in order}
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": given[call["id"]]} for call in calls]
    print(model(messages)["content"])
"#;

const MODEL: &str = "rules:\n\
    - when: { tool_result: true }\n  reply: refunded\n\
    - when: { user: take over }\n  reply: taken over\n\
    - when: { user: twice }\n  tool_calls: [{ name: find_order, args: { id: 1 } }, { name: find_order, args: { id: 2 } }]\n\
    - when: { user: prefixed }\n  tool_calls: [{ name: mcp__shop__find_order, args: { id: 1 } }]\n\
    - when: { user: refund }\n  tool_calls: [{ name: refund_order, args: { amount: 20 } }]\n";

pub(crate) const ROUTES: &str = "tools: { bases: [SHOP], routes: { refund_order: [{ response: { ok: true } }], \
                      find_order: [{ response: { found: true } }], payments: [{ response: { paid: 1 } }] } }";

/// Runs one case with the agent in this mode.
fn run(mode: &str, input: &str, world: &str, checks: &str) -> Ran {
    suite(mode, input, world, checks).agentci(&["run", "suite"])
}

pub(crate) fn suite(mode: &str, input: &str, world: &str, checks: &str) -> Suite {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text, env: {{ MODE: {mode:?} }} }} }}\n\
         world: {{ model: {{ script: model.yaml }}, {world} }}\n\
         cases:\n- id: a\n  input: {{ question: {input:?} }}\n  {checks}\n"
    );
    Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", MODEL).file("suite/agent.py", AGENT)
}

fn passes(mode: &str, input: &str, world: &str, checks: &str) -> Ran {
    let ran = run(mode, input, world, checks);
    assert_eq!(ran.code, Some(0), "{mode}: {ran:?}");
    ran
}

fn fails(mode: &str, input: &str, world: &str, checks: &str, words: &[&str]) {
    let ran = run(mode, input, world, checks);
    assert_eq!(ran.code, Some(1), "{mode}: {ran:?}");
    ran.says(words);
}

const REFUNDED: &str = "checks: [{ tool_called: { name: refund_order, args: { amount: 20 }, count: 1 } }]";

#[test]
fn requested_call_without_result_does_not_count_as_called() {
    passes("runs", "refund", "", REFUNDED);
    let never = "the model requested `refund_order`, but the agent never sent a result: refund_order(amount=20)";
    fails("never", "refund", "", REFUNDED, &[never]);
    fails("never", "refund", "", "checks: [{ tool_called: refund_order }]", &[never]);
    fails("never", "refund", "", "checks: [{ call_order: [refund_order] }]", &["`refund_order` was not called", never]);
    fails("never", "refund", "", "checks: [{ tool_result: { name: refund_order } }]", &["was never called", never]);
    passes("never", "refund", "", "limits: { tool_calls: 0 }");
    let exceeded = ["budget exceeded: tool_calls limit=0 actual=1", "^ the agent made 1 call\n"];
    fails("runs", "refund", "", "limits: { tool_calls: 0 }", &exceeded);
}

#[test]
fn final_call_without_an_observer_is_unobserved() {
    let both = ["write `seen: requested` in the check", "`world.tools.routes`"];
    fails("ends", "refund", "", REFUNDED, &both);
    let asked = "checks: [{ tool_called: { name: refund_order, seen: requested } }, { call_order: { order: [refund_order], seen: requested } }]";
    passes("ends", "refund", "", asked);
    let not = passes("ends", "refund", "", "checks: [{ not: { tool_called: refund_order } }]");
    not.says(&["warning", "`refund_order` counts as not called, but the call could not be observed"]);
    // A call observed by its route counts, although the model never gets the result.
    passes("handoff", "refund", ROUTES, REFUNDED);
    fails(
        "handoff",
        "refund",
        ROUTES,
        "checks: [{ tool_called: { name: refund_order, seen: answered } }]",
        &["`refund_order` was called, but not seen to be answered"],
    );
    fails("handoff", "refund", ROUTES, "checks: [{ not: { tool_called: refund_order } }]", &["which `not` forbids"]);
}

#[test]
fn refused_call_counts_as_not_called_and_is_checkable() {
    let refused = "checks: [{ not: { tool_called: refund_order } }, { tool_called: { name: refund_order, refused: true, args: { amount: 20 } } }]";
    passes("denied", "refund", "", refused);
    fails(
        "denied",
        "refund",
        "",
        REFUNDED,
        &["but it was refused (openai-agents: \"Tool execution was not approved.\")"],
    );
    fails("runs", "refund", "", "checks: [{ tool_called: { name: refund_order, refused: true } }]", &["never refused"]);
    passes("own words", "refund", "", REFUNDED);
    passes("own words", "refund", "tools: { refusals: ['^NO:'] }", refused);
    let wrong = run("runs", "refund", "tools: { refusals: ['('] }", REFUNDED);
    assert!(
        wrong.stderr.contains("this pattern cannot be used") && wrong.stderr.contains("agentci.yaml:3:"),
        "{wrong:?}"
    );
    let both =
        run("runs", "refund", "", "checks: [{ tool_called: { name: refund_order, refused: true, seen: executed } }]");
    let told = format!("{}{}", both.stdout, both.stderr);
    assert!(told.contains("a call that was refused was neither executed nor answered"), "{both:?}");
}

#[test]
fn recognizes_framework_error_text_as_tool_error() {
    passes("runs", "refund", "", "limits: { tool_errors: 0 }");
    fails(
        "fails",
        "refund",
        "",
        "limits: { tool_errors: 0 }",
        &[
            "budget exceeded: tool_errors limit=0 actual=1",
            "openai-agents: \"An error occurred while running the tool\"",
        ],
    );
    fails(
        "fails",
        "refund",
        "",
        "checks: [{ tool_result: { name: refund_order } }]",
        &["failed, recognised by openai-agents"],
    );
}

#[test]
fn checks_use_the_arguments_the_tool_ran_with() {
    let once = "checks: [{ tool_called: { name: refund_order, args: { amount: 20 }, count: 1 } }]\n  limits: { tool_calls: 1 }";
    passes("stub", "refund", ROUTES, once);
    let wrong = run("wrong", "refund", ROUTES, once);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    wrong.says(&["refund_order(amount=200) (the model requested refund_order(amount=20))"]);
    let seen = passes("wrong", "refund", ROUTES, "checks: [{ contains: refunded }]");
    seen.says(&["`refund_order` ran with different arguments than the model requested: `amount` was 200, not 20"]);
    let adds = passes("adds", "refund", ROUTES, once);
    assert!(!format!("{}{}", adds.stdout, adds.stderr).contains("different arguments"), "{adds:?}");
}

#[test]
fn nested_exchange_belongs_to_its_call() {
    let checks = "checks: [{ tool_called: { name: refund_order, count: 1 } }, { tool_called: payments }]\n  limits: { tool_calls: 1 }";
    let ran = passes("within", "refund", ROUTES, checks);
    let end = ran.events().into_iter().find(|event| event["type"] == "case_end").unwrap();
    assert_eq!(end["metrics"]["tool_calls_by_name"], serde_json::json!({"refund_order": 1}), "{end}");
    assert_eq!(end["calls"][0]["parts"], serde_json::json!(["payments"]), "{end}");
    fails("within", "refund", ROUTES, "checks: [{ not: { tool_called: payments } }]", &["which `not` forbids"]);
    // If nothing observed the call itself, the exchanges made during it count.
    fails(
        "within only",
        "refund",
        ROUTES,
        "limits: { tool_calls: 0 }",
        &["budget exceeded: tool_calls limit=0 actual=1"],
    );
    fails("within only", "refund", ROUTES, REFUNDED, &["never sent a result"]);
}

#[test]
fn parallel_calls_of_one_tool_are_counted_exactly() {
    let two = "checks: [{ tool_called: { name: find_order, count: 2 } }, { tool_called: { name: find_order, args: { id: 1 }, count: 1 } }]\n  limits: { tool_calls: 2 }";
    for (mode, world) in [("runs", ""), ("stub", ROUTES)] {
        let ran = passes(mode, "twice", world, two);
        assert!(!ran.stdout.contains("different arguments"), "{ran:?}");
    }
    let one = "checks: [{ tool_called: { name: find_order, count: 1 } }, { tool_called: { name: mcp__shop__find_order, count: 1 } }]\n  limits: { tool_calls: 1 }";
    passes("stub", "prefixed", ROUTES, one);
}

#[test]
fn verbose_output_shows_call_lifecycle() {
    let suite = suite("stub", "refund", ROUTES, REFUNDED);
    let ran = suite.agentci(&["run", "suite", "-v"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[
        "the model requests refund_order {\"amount\":20}",
        "refund_order {\"amount\":20} (seen by stub)",
        "refund_order: requested, executed, answered; seen by stub, model_wire",
    ]);
    let events = ran.events();
    let observers: Vec<_> =
        events.iter().filter(|event| event["type"] == "tool_call").map(|event| &event["observer"]).collect();
    assert_eq!(observers, ["model_wire", "stub"]);
}

/// The agent reports its calls, and its model calls are observed as well.
#[test]
fn call_seen_by_protocol_and_wire_counts_once() {
    let agent = r#"
python3 - <<'PY' > model.json
import json, os, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "refund"}],
                   "tools": [{"type": "function", "function": {"name": "refund_order", "parameters": {"type": "object"}}}]}).encode()
print(urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)).read().decode())
PY
call refund_order '{"amount":20}'
finish '{"answer":"refunded"}'
"#;
    for (checks, code) in [
        ("checks: [{ tool_called: { name: refund_order, count: 1 } }]\n    limits: { tool_calls: 1 }", 0),
        ("checks: [{ tool_called: { name: refund_order, count: 2 } }]", 1),
    ] {
        let cases = format!(
            "world: {{ model: {{ script: model.yaml }}, tools: {{ scripted: {{ refund_order: {{ reply: {{ ok: true }} }} }} }} }}\n\
             cases:\n  - id: a\n    input: {{}}\n    {checks}\n"
        );
        let ran = Suite::native(&cases).file("suite/model.yaml", MODEL).agent("a", agent).run(&[]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
    }
}

/// Calls with the same id are the same call, whatever name the agent reports.
#[test]
fn warns_if_agent_reports_call_under_different_name() {
    let agent = r#"
python3 - <<'PY' > id
import json, os, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "refund"}],
                   "tools": [{"type": "function", "function": {"name": "refund_order", "parameters": {"type": "object"}}}]}).encode()
answer = json.load(urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)))
print(answer["choices"][0]["message"]["tool_calls"][0]["id"], end="")
PY
say "{\"type\":\"tool_call\",\"name\":\"NAME\",\"call_id\":\"$(cat id)\",\"args\":{\"amount\":20}}"
read -r result
finish '{"answer":"refunded"}'
"#;
    for (name, is_odd) in [("delete_order", true), ("shop.refund_order", false)] {
        let cases = format!(
            "world: {{ model: {{ script: model.yaml }}, tools: {{ scripted: {{ {name}: {{ reply: {{ ok: true }} }} }} }} }}\n\
             cases:\n  - id: a\n    input: {{}}\n    checks: [{{ tool_called: {name} }}]\n    limits: {{ tool_calls: 1 }}\n"
        );
        let suite = Suite::native(&cases).file("suite/model.yaml", MODEL).agent("a", &agent.replace("NAME", name));
        let ran = suite.run(&[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let warned = ran.stdout.contains("the model requested `refund_order`, but the agent reports that call as");
        assert_eq!(warned, is_odd, "{ran:?}");
    }
}

/// The baseline is from a version that counted the calls requested by the script.
#[test]
fn baseline_with_old_counting_rule_fails_no_gate() {
    let first =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/baselines/calls_by_the_first_rule.json"));
    let suite = |mode: &str| {
        let text = format!(
            "suite: calls\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text, env: {{ MODE: {mode} }} }} }}\n\
             world: {{ model: {{ script: model.yaml }} }}\ngates: {{ baseline: baseline.json, no_changed_steps: true }}\n\
             cases: [{{ id: refund, input: {{ question: refund }}, checks: [{{ contains: refunded }}] }}]\n"
        );
        let files = Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", MODEL);
        files.file("suite/agent.py", AGENT).file("suite/baseline.json", first)
    };
    let never = suite("never");
    let ran = never.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&["counted tool calls by another rule", "agentci baseline promote --from RUN_DIR --to FILE"]);
    // Steps that are equal under both rules are compared; after a new promotion all steps are.
    let runs = suite("runs");
    let ran = runs.agentci(&["run", "suite", "--output-dir", "out"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("counted tool calls by another rule"), "{ran:?}");
    let summary = std::fs::read_dir(runs.root().join("out/calls")).unwrap().next().unwrap().unwrap().path();
    let promoted =
        runs.agentci(&["baseline", "promote", "--from", summary.to_str().unwrap(), "--to", "suite/baseline.json"]);
    assert_eq!(promoted.code, Some(0), "{promoted:?}");
    let broken =
        std::fs::read_to_string(runs.root().join("suite/agentci.yaml")).unwrap().replace("MODE: runs", "MODE: never");
    let broken = runs.file("suite/agentci.yaml", broken).agentci(&["run", "suite"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    broken.says(&["no_changed_steps"]);
}

#[test]
fn tools_page_lists_every_known_form() {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/tools.md"));
    for form in agentci::trace::known_forms() {
        assert!(page.contains(form.words.trim()) && page.contains(form.framework), "{form:?}");
    }
}

/// The documented solution for agents that end with a tool call must pass `check --strict`.
#[test]
fn strict_check_accepts_explicit_seen_values() {
    for check in ["{ name: refund_order, seen: requested }", "refund_order", "{ name: refund_order, seen: answered }"] {
        let suite = suite("runs", "refund", "", &format!("checks: [{{ tool_called: {check} }}]"));
        let ran = suite.agentci(&["check", "--strict", "suite"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

/// A call is refused only if the tool did not run; the call named in `after` must have been made.
#[test]
fn executed_call_is_not_refused() {
    let refused = "checks: [{ tool_called: { name: refund_order, refused: true } }]";
    passes("denied", "refund", ROUTES, refused);
    fails("denied after all", "refund", ROUTES, refused, &["refund_order"]);
    let after = "checks: [{ tool_called: { name: refund_order, refused: true, after: find_order } }]";
    fails("denied", "refund", ROUTES, after, &["`find_order` was never called"]);
}

/// `allow` applies to the tools that the agent calls, whatever its model requested.
#[test]
fn refuses_http_tools_that_are_not_allowed() {
    let only = |names: &str| ROUTES.replacen("tools: {", &format!("tools: {{ allow: [{names}],"), 1);
    passes("within", "refund", &only("refund_order, payments"), REFUNDED);
    fails("within", "refund", &only("refund_order"), REFUNDED, &["tool not allowed: payments"]);
}

/// The result did not come from the stub, so its source is unknown.
#[test]
fn warns_about_result_without_call_to_its_route() {
    let executed = "checks: [{ tool_called: { name: refund_order, seen: executed } }]";
    passes("runs", "refund", ROUTES, REFUNDED)
        .says(&["`refund_order` has a route, but the agent sent its model a result"]);
    fails("runs", "refund", ROUTES, executed, &["`refund_order`"]);
    let honest = passes("stub", "refund", ROUTES, executed);
    assert!(!honest.stdout.contains("has a route"), "{honest:?}");
}

/// The stub's answer is known, so it must match the result that the agent sent to its model.
#[test]
fn checked_result_must_match_what_the_model_received() {
    let routes = ROUTES.replace("{ ok: true }", "{ refunded: 20 }");
    for check in [
        "tool_result: { name: refund_order, result: { refunded: 20 } }",
        "tool_called: { name: refund_order, result_match: \"\\\"refunded\\\": ?20\" }",
    ] {
        let checks = format!("checks: [{{ {check} }}]");
        fails("says done", "refund", &routes, &checks, &[r#"-> {"refunded":20} (passed to its model: "done")"#]);
        passes("stub", "refund", &routes, &checks);
        passes("prints it", "refund", &routes, &checks);
        // A negated check does not pass just because the model got a different result.
        fails("says done", "refund", &routes, &format!("checks: [{{ not: {{ {check} }} }}]"), &["refund_order"]);
    }
    let result = |wanted: &str| format!("checks: [{{ tool_result: {{ name: refund_order, result: {wanted} }} }}]");
    for broken in ["says the opposite", "says it failed"] {
        fails(
            broken,
            "refund",
            &routes,
            &result("{ refunded: 20 }"),
            &["but the agent passed another one to its model"],
        );
    }
    let matching = "checks: [{ tool_called: { name: refund_order, result_match: refunded, count: { max: 0 } } }]";
    fails("says done", "refund", &routes, matching, &["refund_order"]);
    passes("puts it in words", "refund", &routes, &result("{ refunded: 20 }"));
    let unclear = passes("puts it in words", "refund", ROUTES, &result("{ ok: true }"));
    unclear.says(&["\"You get back 20.00 EUR.\" does not show whether the agent passed it to its model"]);
    let told = passes("stub", "refund", ROUTES, &result("{ ok: true }"));
    assert!(!told.stdout.contains("does not show whether"), "{told:?}");
}

/// A baseline records whether a call was seen to run, and the exchanges during it.
#[test]
fn call_no_longer_executed_is_a_changed_step() {
    let suite = |mode: &str, with: &str| {
        format!(
            "suite: calls\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text, env: {{ MODE: {mode} }} }} }}\n\
             world: {{ model: {{ script: model.yaml }}, {ROUTES} }}\n{with}\
             cases: [{{ id: refund, input: {{ question: refund }}, checks: [{{ contains: refunded }}] }}]\n"
        )
    };
    let gates = "gates: { baseline: baseline.json, no_changed_steps: true }\n";
    let baseline_of = |mode: &str| {
        let files = Suite::empty().file("suite/agentci.yaml", suite(mode, "")).file("suite/model.yaml", MODEL);
        let files = files.file("suite/agent.py", AGENT);
        let ran = files.agentci(&["run", "suite", "--output-dir", "out"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let summary = std::fs::read_dir(files.root().join("out/calls")).unwrap().next().unwrap().unwrap().path();
        let promoted =
            files.agentci(&["baseline", "promote", "--from", summary.to_str().unwrap(), "--to", "suite/baseline.json"]);
        assert_eq!(promoted.code, Some(0), "{promoted:?}");
        files
    };
    for (before, now, words) in [
        ("stub", "stub", None),
        ("stub", "runs", Some("step 1 is refund_order as before, but the agent answered its model without calling it")),
        ("stub", "\"pays twice\"", Some("an exchange with refund_order during a call is new")),
        ("runs", "stub", None),
        ("runs", "runs", None),
        ("within", "within", None),
        ("within", "runs", Some("an exchange with payments during a call is missing")),
        ("runs", "within", Some("an exchange with payments during a call is new")),
    ] {
        let ran = baseline_of(before).file("suite/agentci.yaml", suite(now, gates)).agentci(&["run", "suite"]);
        assert_eq!(ran.code, Some(i32::from(words.is_some())), "{before} -> {now}: {ran:?}");
        ran.says(&Vec::from_iter(words));
    }
}

/// An exchange is attributed to the agent that made the surrounding call.
#[test]
fn nested_exchange_is_attributed_to_the_calling_agent() {
    let by = |system: &str| format!("{{ tool_called: {{ name: payments, by: {{ system: {system} }} }} }}");
    passes("within", "refund", ROUTES, &format!("checks: [{}]", by("shop")));
    fails("within", "refund", ROUTES, &format!("checks: [{{ not: {} }}]", by("shop")), &["payments"]);
    passes("within", "refund", ROUTES, &format!("checks: [{{ not: {} }}]", by("bank")));
}

/// Some agents use their own call ids, both in the call and in the result.
#[test]
fn matches_results_after_agent_renumbers_call_ids() {
    passes("renumbers", "refund", "", REFUNDED);
    passes("renumbers", "twice", "", "checks: [{ tool_called: { name: find_order, count: 2 } }]");
    passes("renumbers", "refund", "", "checks: [{ tool_result: { name: refund_order, result: { done: true } } }]");
}
