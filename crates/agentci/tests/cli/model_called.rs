//! Checks and limits on the requests of an agent to its model, for every API, and attribution of calls to one of
//! several agents.

use crate::ran::Ran;
use crate::suite::Suite;

/// Calls the model over plain HTTP. `post` returns the answer as JSON, or the lines of a stream.
const ASK: &str = r#"
import json, os, sys, time, urllib.error, urllib.request

def send(address, body):
    headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"],
               "x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    if "anthropic" not in address[0]: headers = dict(list(headers.items())[:2])
    request = urllib.request.Request(address[1], json.dumps(body).encode(), headers)
    return urllib.request.urlopen(request, timeout=10).read().decode()

def post(kind, body):
    openai, anthropic = os.environ["OPENAI_BASE_URL"], os.environ["ANTHROPIC_BASE_URL"]
    path = {"chat": openai + "/chat/completions", "responses": openai + "/responses",
            "anthropic": anthropic + "/v1/messages"}[kind]
    answer = send((kind, path), body)
    return [line for line in answer.splitlines() if line] if body.get("stream") else json.loads(answer)

def function(name, required=("id",)):
    return {"name": name, "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": list(required)}}

USER = {"role": "user", "content": "find A-17"}
def chat(*before, **more):
    return post("chat", {"model": "m", "messages": [*before, USER], **more})
"#;

const MODEL: &str = "rules:\n- when: { user: fail }\n  fail: { status: 429, times: 1 }\n  reply: late\n\
                     - when: { user: cut }\n  fail: { cut: true, times: 1 }\n  reply: late\n\
                     - reply: done\n  usage: { input: 50, output: 1 }\n";

/// Runs an agent that is a plain program; `case` is added to its only case.
fn run(agent: &str, case: &str) -> Ran {
    suite(agent, case, MODEL).agentci(&["run", "suite"])
}

fn suite(agent: &str, case: &str, model: &str) -> Suite {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text }} }}\n\
         world: {{ model: {{ script: model.yaml }} }}\ncases:\n- id: a\n  input: {{}}\n  {case}\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", model);
    suite.file("suite/agent.py", format!("{ASK}\n{agent}\nprint('done')\n"))
}

#[track_caller]
fn green(agent: &str, case: &str) {
    let ran = run(agent, case);
    assert_eq!(ran.code, Some(0), "{agent}\n{case}\n{ran:?}");
}

#[track_caller]
fn red(agent: &str, case: &str, told: &[&str]) {
    let ran = run(agent, case);
    assert_eq!(ran.code, Some(1), "{agent}\n{case}\n{ran:?}");
    ran.says(told);
}

#[test]
fn finds_system_prompt_in_every_api_format() {
    let case = "checks: [{ model_called: { system: work for the shop, user: A-17, of: all } }]";
    for agent in [
        r#"chat({"role": "system", "content": "You work for the shop."})"#,
        r#"chat({"role": "developer", "content": [{"type": "text", "text": "You work for the shop."}]})"#,
        r#"chat({"role": "system", "content": "You work for the shop."}, stream=True)"#,
        r#"post("responses", {"model": "m", "instructions": "You work for the shop.", "input": "find A-17"})"#,
        r#"post("responses", {"model": "m", "input": [{"role": "developer", "content": "You work for the shop."}, USER]})"#,
        r#"post("anthropic", {"model": "m", "max_tokens": 9, "system": "You work for the shop.", "messages": [USER]})"#,
        r#"post("anthropic", {"model": "m", "max_tokens": 9, "messages": [USER], "stream": True,
                 "system": [{"type": "text", "text": "You work for the shop."}, {"type": "text", "text": "Be brief."}]})"#,
    ] {
        green(agent, case);
    }
}

#[test]
fn missing_system_prompt_fails() {
    let case = "checks: [{ model_called: { system: work for the shop } }]";
    let told = "no request to the model has a system prompt that contains `work for the shop`";
    red("chat()", case, &[told, "request 1 of 1 has no system prompt"]);
    red(r#"post("responses", {"model": "m", "input": "find A-17"})"#, case, &[told]);
    red(r#"post("anthropic", {"model": "m", "max_tokens": 9, "messages": [USER]})"#, case, &[told]);
    // The same text in a user message is not a system prompt.
    red(r#"chat({"role": "user", "content": "You work for the shop."})"#, case, &[told]);
    let other = r#"chat({"role": "system", "content": "You work for the bank."}); chat()"#;
    red(other, case, &[told, "the system prompt of request 1 of 2 is `You work for the bank.`"]);
    let whole = "checks: [{ model_called: { system: { equals: You work for the shop. }, of: first } }]";
    let told = "the first request to the model has no system prompt that is `You work for the shop.`";
    red(other, whole, &[told, "is `You work for the bank.`, expected `You work for the shop.`"]);
    let all = "checks: [{ model_called: { system: { matches: 'shop|bank' }, of: all } }]";
    red(other, all, &["request 2 of 2 to the model has no system prompt that matches `shop|bank`"]);
}

#[test]
fn offered_tools_are_compared_by_name_and_schema() {
    let case = "checks: [{ model_called: { tools: [{ name: find_order, parameters: { required: [id] } }, ask] } }]";
    let exactly = "checks: [{ model_called: { tools: { exactly: [ask, find_order] } } }]";
    let none = "checks: [{ model_called: { tools: { exactly: [] } } }]";
    let nested = |tools: &str| format!("chat(tools=[{{'type': 'function', 'function': tool}} for tool in [{tools}]])");
    let flat = |tools: &str| {
        format!(
            "post('responses', {{'model': 'm', 'input': 'x', 'tools': [{{'type': 'function', **tool}} for tool in [{tools}]]}})"
        )
    };
    let anthropic = |tools: &str| {
        format!(
            "post('anthropic', {{'model': 'm', 'max_tokens': 9, 'messages': [USER], \
             'tools': [{{'name': tool['name'], 'input_schema': tool['parameters']}} for tool in [{tools}]]}})"
        )
    };
    for offer in [&nested as &dyn Fn(&str) -> String, &flat, &anthropic] {
        let good = offer("function('find_order'), function('ask')");
        green(&good, case);
        let renamed = offer("function('findOrder'), function('ask')");
        red(&renamed, case, &["no request to the model offers the tool `find_order`", "offers `findOrder`, `ask`"]);
        let changed = offer("function('find_order', ()), function('ask')");
        red(&changed, case, &["offers it with [] at `/required`, expected [\"id\"]"]);
        let more = offer("function('find_order'), function('ask'), function('drop_table')");
        red(&more, exactly, &["no request to the model offers only `ask`, `find_order`", "also offers `drop_table`"]);
    }
    let good = nested("function('find_order'), function('ask')");
    green(&good, exactly);
    red(&good, none, &["no request to the model offers no tools", "also offers `find_order`"]);
    green("chat()", none);
    red("chat()", exactly, &["request 1 of 1 offers no tools"]);
}

#[test]
fn compares_the_requested_model_name() {
    let case = "checks: [{ model_called: { model: gpt-big } }]";
    let agent = r#"
models = {"answers": "gpt-big", "guards": "gpt-small"}
for use in USES: post("chat", {"model": models[use], "messages": [USER]})"#;
    green(&format!("USES = ['guards', 'answers']\n{agent}"), case);
    let told = "no request to the model names a model that is `gpt-big`";
    red(&format!("USES = ['guards']\n{agent}"), case, &[told, "the model of request 1 of 1 is `gpt-small`"]);
    green(&format!("USES = ['guards']\n{agent}"), "checks: [{ model_called: { model: { matches: ^gpt- } } }]");
}

#[test]
fn requests_with_previous_response_id_include_earlier_messages() {
    let ask = |first: &str| {
        format!(
            "first = post('responses', {{'model': 'm', {first}}})\n\
             post('responses', {{'model': 'm', 'input': 'and now?', 'previous_response_id': first['id']}})"
        )
    };
    let item = ask("'input': [{'role': 'system', 'content': 'You work for the shop.'}, USER]");
    let instructions = ask("'instructions': 'You work for the shop.', 'input': 'find A-17'");
    for agent in [&item, &instructions] {
        green(agent, "checks: [{ model_called: { system: the shop, of: first } }]");
        green(
            agent,
            "checks: [{ model_called: { messages: A-17, of: all } }, { model_called: { user: now, of: last } }]",
        );
    }
    let all = "checks: [{ model_called: { system: the shop, of: all } }]";
    green(&item, all);
    // Instructions are not carried over: the second request has none.
    red(&instructions, all, &["request 2 of 2 to the model has no system prompt that contains `the shop`"]);
}

#[test]
fn forbidden_text_is_found_in_every_message() {
    let case = "checks: [{ not: { model_called: { messages: other-customer } } }]";
    green("chat()", case);
    let told = "request 2 of 2 to the model has a message that contains `other-customer`, which `not` forbids";
    red(r#"chat(); chat({"role": "assistant", "content": "I know other-customer."})"#, case, &[told]);
    let result = r#"[{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "find", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "of other-customer"}]}]}]"#;
    let agent = format!(
        "post('anthropic', {{'model': 'm', 'max_tokens': 9, 'messages': {result}, 'tools': [{{'name': 'find', 'input_schema': {{'type': 'object'}}}}]}})"
    );
    red(&agent, case, &["request 1 of 1 to the model has a message that contains `other-customer`"]);
}

#[test]
fn checks_fail_if_the_model_was_never_called() {
    for check in ["model_called", "model_called: { system: x }", "model_called: { count: 1 }"] {
        red(
            "pass",
            &format!("checks: [{{ {check} }}]").replace("{ model_called }", "model_called"),
            &["the model was never called"],
        );
    }
    for of in ["all", "first", "last"] {
        red(
            "pass",
            &format!("checks: [{{ model_called: {{ system: x, of: {of} }} }}]"),
            &["the model was never called"],
        );
    }
    let never =
        "checks: [{ model_called: { count: 0 } }, { not: model_called }, { not: { model_called: { messages: x } } }]";
    green("pass", never);
    red("chat()", "checks: [{ model_called: { count: 0 } }]", &["the model was called once, but must not be"]);
    red("chat()", "checks: [{ not: model_called }]", &["the model was called once, which `not` forbids"]);
    green("chat()", "checks: [model_called]");
}

#[test]
fn requests_are_counted_and_limited() {
    let twice = "chat(); chat()";
    green(twice, "checks: [{ model_called: { user: A-17, count: 2 } }]\n  limits: { model_calls: 2, tokens_in: 100 }");
    red(
        twice,
        "checks: [{ model_called: { user: A-17, count: { max: 1 } } }]",
        &["called 2 times with a request that meets the conditions, expected at most once"],
    );
    red(
        twice,
        "limits: { model_calls: 1 }",
        &["budget exceeded: model_calls limit=1 actual=2", "the agent called its model 2 times"],
    );
    red(twice, "limits: { tokens_in: 99 }", &["budget exceeded: tokens_in limit=99 actual=100"]);
    green("pass", "limits: { model_calls: 0, tokens_in: 0 }");
}

#[test]
fn request_retried_after_a_fault_is_counted_once() {
    let again = |user: &str| {
        format!(
            "body = {{'model': 'm', 'messages': [{{'role': 'user', 'content': '{user}'}}]}}\n\
             try: post('chat', body)\nexcept Exception: post('chat', body)"
        )
    };
    let case = "checks: [{ model_called: { count: 1 } }]\n  limits: { model_calls: 1 }";
    green(&again("fail"), case);
    green(&again("cut"), case);
    // A different request after the fault counts, and so does a repeated request that was already answered.
    let other = again("fail").replace("except Exception: post('chat', body)", "except Exception: chat()");
    red(&other, case, &["budget exceeded: model_calls limit=1 actual=2"]);
    red("chat(); chat()", case, &["budget exceeded: model_calls limit=1 actual=2"]);
}

#[test]
fn turns_have_separate_request_limits() {
    let server = r#"
from http.server import BaseHTTPRequestHandler, HTTPServer
class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"]))
        for _ in range(2 if b"twice" in asked else 1): chat()
        self.send_response(200); self.end_headers(); self.wfile.write(b'{"answer": "ok"}')
    def log_message(self, *words): pass
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;
    let text = |limit: &str| {
        format!(
            "suite: s\ntarget: {{ http: {{ url: 'http://127.0.0.1:${{PORT}}/ask', command: [python3, server.py] }} }}\n\
             world: {{ model: {{ script: model.yaml }} }}\ncases:\n- id: a\n  turns:\n\
             \x20 - {{ user: once, limits: {{ model_calls: 1 }}, checks: [{{ model_called: {{ count: 1 }} }}] }}\n\
             \x20 - {{ user: twice, limits: {{ {limit} }}, checks: [{{ model_called: {{ count: 2 }} }}] }}\n"
        )
    };
    for (limit, code) in [("model_calls: 2, tokens_in: 100", 0), ("model_calls: 1", 1), ("tokens_in: 99", 1)] {
        let suite = Suite::empty().file("suite/agentci.yaml", text(limit)).file("suite/model.yaml", MODEL);
        let ran = suite.file("suite/server.py", format!("{ASK}{server}")).agentci(&["run", "suite"]);
        assert_eq!(ran.code, Some(code), "{limit}: {ran:?}");
    }
}

/// The second turn continues from the first answer by its id alone.
#[test]
fn turn_includes_messages_continued_from_earlier_turns() {
    let server = r#"
from http.server import BaseHTTPRequestHandler, HTTPServer
last = {}
class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["content-length"])))["question"]
        system = [] if last else [{"role": "system", "content": "You work for the shop."}]
        last["previous_response_id"] = post("responses", {"model": "m", "input": [*system, {"role": "user", "content": said}], **last})["id"]
        self.send_response(200); self.end_headers(); self.wfile.write(b'{"answer": "ok"}')
    def log_message(self, *words): pass
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;
    let ran = |checks: &str| {
        let text = format!(
            "suite: s\ntarget: {{ http: {{ url: 'http://127.0.0.1:${{PORT}}/ask', command: [python3, server.py] }} }}\n\
             world: {{ model: {{ script: model.yaml }} }}\ncases:\n- id: a\n  turns:\n\
             \x20 - {{ input: {{ question: find A-17 }} }}\n\x20 - {{ input: {{ question: and now? }}, checks: [{checks}] }}\n"
        );
        let suite = Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", MODEL);
        suite.file("suite/server.py", format!("{ASK}{server}")).agentci(&["run", "suite"])
    };
    let kept = ran("{ model_called: { system: the shop, messages: A-17, user: now, count: 1, of: all } }");
    assert_eq!(kept.code, Some(0), "{kept:?}");
    let forbidden = ran("{ not: { model_called: { messages: A-17 } } }");
    assert_eq!(forbidden.code, Some(1), "{forbidden:?}");
    forbidden.says(&["request 1 of 1 to the model has a message that contains `A-17`, which `not` forbids"]);
    let other = ran("{ model_called: { messages: A-18 } }");
    assert_eq!(other.code, Some(1), "{other:?}");
}

/// An agent that hands over to another; both have the tool.
const TWO_AGENTS: &str = r#"
FIND = {"type": "function", "function": function("find_order")}
def loop(system, user, **more):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    answer = post("chat", {"model": "m", "messages": messages, "tools": [FIND], **more})
    if more:
        parts = [json.loads(line[6:]) for line in answer if line.startswith("data: {")]
        deltas = [call for part in parts for choice in part["choices"] for call in choice["delta"].get("tool_calls") or []]
        call = {"id": deltas[0]["id"], "type": "function", "function": {"name": "find_order", "arguments": '{"id": "A-17"}'}}
    else:
        call = (answer["choices"][0]["message"].get("tool_calls") or [None])[0]
    if call:
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": call["id"], "content": "found"}]
        post("chat", {"model": "m", "messages": messages, "tools": [FIND]})
"#;

#[test]
fn calls_are_attributed_to_agents_by_system_prompt() {
    let model = "rules:\n- when: { tool_result: true }\n  reply: done\n- when: { user: find }\n  \
                 tool_calls: [{ name: find_order, args: { id: A-17 } }]\n- reply: hello\n";
    let run = |agent: &str, checks: &str| {
        suite(&format!("{TWO_AGENTS}{agent}"), &format!("checks: [{checks}]"), model).agentci(&["run", "suite"])
    };
    let by = |system: &str| format!("{{ tool_called: {{ name: find_order, by: {{ system: {system} }}, count: 1 }} }}");
    let not =
        |system: &str| format!("{{ not: {{ tool_called: {{ name: find_order, by: {{ system: {system} }} }} }} }}");
    for agent in [
        "loop('You are triage.', 'hi'); loop('You are orders.', 'find A-17')",
        "loop('You are triage.', 'hi'); loop('You are orders.', 'find A-17', stream=True)",
    ] {
        let ran = run(agent, &format!("{}, {}", by("You are orders"), not("triage")));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let ran = run(agent, &by("{ matches: triage }"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.says(&[
            "`find_order` was called 0 times, expected exactly once",
            "1 call of `find_order` not counted: requested under another system prompt, `You are orders.`",
        ]);
        let ran = run(agent, &not("You are orders"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }
}

#[test]
fn refuses_checks_on_unobservable_model_requests() {
    for (target, asked, told) in [
        (
            "process: { command: [x] }",
            "checks: [model_called]",
            "`model_called` cannot be evaluated: nothing reports the model requests of",
        ),
        (
            "agui: { endpoint: 'http://127.0.0.1:1/' }",
            "limits: { model_calls: 1 }",
            "`limits.model_calls` cannot be evaluated",
        ),
        (
            "a2a: { endpoint: 'http://127.0.0.1:1/' }",
            "limits: { tokens_in: 1 }",
            "`limits.tokens_in` cannot be evaluated: nothing reports the input tokens of",
        ),
        (
            "process: { command: [x] }",
            "checks: [{ tool_called: { name: a, by: { system: x } } }]",
            "`tool_called.by` cannot be evaluated",
        ),
    ] {
        let text = format!("suite: s\ntarget: {{ {target} }}\ncases:\n- id: a\n  turns: [{{ user: hi }}]\n  {asked}\n");
        let ran = Suite::empty().file("suite/agentci.yaml", text).agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{target} {asked}: {ran:?}");
        ran.complains(&[told]);
    }
    let chat = "suite: s\ntarget: { chat: { connector: { script: model.yaml }, prompts: [Be brief.] } }\n\
                cases: [{ id: a, turns: [{ user: hi }], limits: { model_calls: 1, tokens_in: 1000 }, checks: [{ model_called: { system: Be brief, count: 1 } }] }]\n";
    let ran =
        Suite::empty().file("suite/agentci.yaml", chat).file("suite/model.yaml", MODEL).agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn invalid_check_is_reported_before_the_run() {
    for (check, told) in [
        ("model_called: { system: '' }", "`model_called` expects nothing: every request contains the empty string"),
        ("model_called: { system: }", "`system` has no value"),
        ("model_called: { tools: [] }", "`model_called` expects nothing: the list is empty"),
        ("model_called: { tools: { exactly: [''] } }", "`tools` must not be empty"),
        ("model_called: { system: { matches: '(' } }", "this pattern cannot be used"),
        ("model_called: { system: { equals: a, matches: b } }", "`system` needs either `equals` or `matches`"),
        ("model_called: { count: 0, of: all }", "`count: 0` and `of` contradict each other"),
        ("model_called: { sytem: a }", "did you mean `system`?"),
        (
            "tool_called: { name: a, by: { system: '' } }",
            "`tool_called` expects nothing: every request contains the empty string",
        ),
    ] {
        let ran = suite("pass", &format!("checks: [{{ {check} }}]"), MODEL).agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{check}: {ran:?}");
        ran.complains(&[told, "agentci.yaml:7:"]);
    }
}

#[test]
fn convert_prints_the_check_and_the_limits() {
    let case = "limits: { model_calls: 3, tokens_in: 100 }\n  checks: [{ model_called: { tools: [a, { name: b, parameters: { required: [x] } }], of: all } }, model_called, { tool_called: { name: a, by: { system: x } } }]";
    let suite = suite("pass", case, MODEL);
    let converted = suite.agentci(&["convert", "suite"]);
    for part in ["model_calls: 3", "tokens_in: 100", "of: all", "- model_called\n", "by:\n", "parameters:\n"] {
        assert!(converted.stdout.contains(part), "{part}: {}", converted.stdout);
    }
    let again = suite.file("suite/agentci.yaml", &converted.stdout).agentci(&["convert", "suite"]);
    assert_eq!(again.stdout, converted.stdout, "{again:?}");
}

/// Runs a case with one turn whose agent calls its model four times, with these limits for the turn and for the case.
fn limited(turn: &str, case: &str) -> Ran {
    let text = format!(
        "suite: s\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text }} }}\n\
         world: {{ model: {{ script: model.yaml }} }}\ncases:\n- id: a\n  limits: {{ {case} }}\n  \
         turns: [{{ user: hi, limits: {{ {turn} }} }}]\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", text).file("suite/model.yaml", MODEL);
    let agent = format!("{ASK}\nfor _ in range(4): chat()\nprint('done')\n");
    suite.file("suite/agent.py", agent).agentci(&["run", "suite"])
}

#[test]
fn exceeded_limit_is_reported_once_per_definition() {
    let of_case = "FAIL s/a: budget exceeded: model_calls";
    let of_turn = "FAIL s/a: turn 1: budget exceeded: model_calls";
    for (turn, case, cases, turns) in [
        ("", "model_calls: 2", 1, 0),
        ("model_calls: 2", "", 0, 1),
        // The same request exceeds both.
        ("model_calls: 2", "model_calls: 2", 1, 1),
        // The first one ends the case.
        ("model_calls: 1", "model_calls: 2", 0, 1),
        ("model_calls: 2", "model_calls: 1", 1, 0),
        ("model_calls: 4", "model_calls: 4", 0, 0),
    ] {
        let ran = limited(turn, case);
        let (of_cases, of_turns) = (ran.stdout.matches(of_case).count(), ran.stdout.matches(of_turn).count());
        assert_eq!((of_cases, of_turns), (cases, turns), "turn {{ {turn} }}, case {{ {case} }}: {ran:?}");
        assert_eq!(ran.code, Some(i32::from(cases + turns > 0)), "{ran:?}");
    }
    // The request that exceeded `model_calls` does not cause a second finding for its tokens.
    let ran = limited("", "model_calls: 1, tokens_in: 60");
    assert_eq!(ran.stdout.matches("FAIL s/a:").count(), 1, "{ran:?}");
}

#[test]
fn reports_show_model_calls_beside_tool_calls() {
    let ran = limited("", "model_calls: 4");
    ran.says(&["PASS a (", ", 4 model calls)", "0 tool calls, 0 tool errors, 4 model calls"]);
    assert_eq!(ran.case("a")["model_calls"], 4);
    let summary = ran.summary();
    assert_eq!(summary["aggregates"]["model_calls"], 4);
    assert_eq!(summary["aggregates"]["metrics"]["model_calls"]["max"], 4.0);
    // If the model is observed and was not called, the count is 0.
    let unasked = suite("pass", "checks: [{ not: model_called }]", MODEL).agentci(&["run", "suite"]);
    assert_eq!(unasked.case("a")["model_calls"], 0);
    // If the model is not observed, the count is not 0 but null.
    let text = "suite: s\ntarget: { process: { command: [echo, hi], speaks: text } }\ncases: [{ id: a, input: {} }]\n";
    let unseen = Suite::empty().file("suite/agentci.yaml", text).agentci(&["run", "suite"]);
    assert_eq!((unseen.code, &unseen.case("a")["model_calls"]), (Some(0), &serde_json::Value::Null));
    assert!(!unseen.stdout.contains("model call"), "{unseen:?}");
}
