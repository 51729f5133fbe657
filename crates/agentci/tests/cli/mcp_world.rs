//! `world.mcp`: scripted MCP servers for the agent of a case.

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

pub(crate) const AGENT: &str = include_str!("mcp_agent.py");

const ORDERS: &str = "
tools:
  find_order:
    inputSchema: { type: object, required: [id], properties: { id: { type: string } } }
    answers:
      - { when: { id: A-17 }, reply: first }
      - { when: { id: A-17 }, reply: second }
      - { when: { id: B-1 }, error: no such order }
  refund_order: { answers: { reply: refunded } }
";

/// A suite whose agent makes the calls in its input; `yaml` follows the target.
pub(crate) fn suite(yaml: &str) -> Suite {
    let target = "{ process: { command: [python3, agent.py], speaks: text } }";
    with_target(target, yaml)
}

fn with_target(target: &str, yaml: &str) -> Suite {
    let text = format!(
        "suite: suite\ntarget: {target}\nworld: {{ mcp: {{ orders: {{ scripted: orders.mcp.yaml }} }} }}\n{yaml}"
    );
    Suite::empty().file("suite/agentci.yaml", text).file("suite/agent.py", AGENT).file("suite/orders.mcp.yaml", ORDERS)
}

/// A case with these lines as its input.
fn case(id: &str, lines: &[&str], more: &str) -> String {
    let said: Vec<String> = lines.iter().map(|line| format!("      {line}\n")).collect();
    format!("- id: {id}\n  turns:\n  - user: |\n{}{more}", said.concat())
}

const FIND: &str = r#"orders find_order {"id": "A-17"}"#;

#[track_caller]
fn verdicts(ran: &Ran, expected: &[(&str, &str, &str)]) {
    let found = ran.verdicts();
    let found: Vec<(&str, &str, &str)> = found.iter().map(|(id, status, cause)| (&**id, &**status, &**cause)).collect();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{ran:?}");
}

#[test]
fn checks_use_the_calls_received_by_the_server() {
    let cases = [
        case("good", &[FIND], ""),
        case("wrong-tool", &[r#"orders lose_order {"id": "A-17"}"#], ""),
        case("wrong-arguments", &[r#"orders find_order {"id": "B-1"}"#], ""),
        case("arguments-of-another-type", &[r#"orders find_order {"id": 17}"#], ""),
        case("unanswered", &[FIND, r#"orders find_order {"id": "C-9"}"#], ""),
    ];
    let checks = "checks: [{ tool_called: { name: find_order, args: { id: A-17 } } }]\ncases:\n";
    let skips = "- { id: skips, turns: [{ user: '' }] }\n";
    let ran = suite(&format!("{checks}{}{skips}", cases.concat())).run(&[]);
    verdicts(
        &ran,
        &[
            ("good", "pass", ""),
            ("wrong-tool", "fail", "stub_miss"),
            ("wrong-arguments", "fail", "check"),
            ("arguments-of-another-type", "fail", "check"),
            ("unanswered", "fail", "stub_miss"),
            ("skips", "fail", "check"),
        ],
    );
    ran.says(&[
        "PASS good (",
        "the MCP server `orders` has no answer: unknown tool `lose_order`",
        "suite/agentci.yaml:3:37\n",
        "the agent sent \"B-1\"",
        "turn 1, call 1 of 1: find_order(id=17) -> failed: Input validation error: at `/id`",
        "the MCP server `orders` has no answer: no answer of the tool `find_order` matches {\"id\":\"C-9\"}",
        "the agent never connected to the MCP server `orders`; its address is in `AGENTCI_MCP_ORDERS_URL`",
    ]);
    let calls = ran.case("good")["tool_calls"].clone();
    assert_eq!(calls, 1, "{ran:?}");
}

#[test]
fn every_attempt_has_separate_servers_that_are_stopped() {
    let suite = suite(&format!(
        "runs: 2\nchecks: [{{ equals: first }}]\ncases:\n{}{}",
        case("a", &[FIND], ""),
        case("b", &[FIND], "")
    ));
    let folder = suite.path("tmp");
    std::fs::create_dir(&folder).unwrap();
    let started = std::time::Instant::now();
    let output = suite.command(&["run", "suite"]).env("TMPDIR", &folder).output().unwrap();
    let ran = suite.ran(&output, started.elapsed());
    ran.all_passed();
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn case_can_replace_and_add_servers() {
    let own = "  world: { mcp: { orders: { scripted: 'scripts/{case}.mcp.yaml' }, my-stock: { scripted: stock.mcp.yaml } } }\n";
    let lines = [r#"orders find_order {"id": "A-17"}"#, "my-stock count {}", r#"my-stock count {"sku": 1}"#];
    let cases = format!("cases:\n{}{}", case("plain", &[FIND], ""), case("own", &lines, own));
    let suite =
        suite(&cases).file("suite/scripts/own.mcp.yaml", "tools: { find_order: { answers: { reply: own } } }").file(
            "suite/stock.mcp.yaml",
            "tools: { count: { answers: [{ when: { sku: 1 }, reply: 4 }, { reply: none }] } }",
        );
    let ran = suite.run(&[]);
    ran.all_passed();
    assert_eq!(ran.final_output("plain"), "first");
    assert_eq!(ran.final_output("own"), "own\nnone\n4");
}

#[test]
fn faults_apply_to_their_tools() {
    let faulty = |id: &str, fault: &str, more: &str| {
        case(id, &[FIND, FIND], &format!("  world: {{ faults: [{{ tool: find_order, call: 1, {fault} }}] }}\n{more}"))
    };
    let cases = [
        faulty("error", "error: down", "  checks: [{ equals: \"down\\nfirst\" }]\n"),
        faulty("delay", "delay: 300ms", "  checks: [{ equals: \"first\\nsecond\" }]\n"),
        faulty("malformed", "malformed: true", "  checks: [{ matches: 'broken: JSONDecodeError.*\\nsecond' }]\n"),
        faulty("truncated", "truncated: true", "  checks: [{ matches: 'broken: IncompleteRead.*\\nsecond' }]\n"),
        faulty("hang", "hang: true", "  timeout: 2s\n"),
        case("never", &[FIND], "  world: { faults: [{ tool: find_order, call: 2, error: down }] }\n"),
    ];
    let ran = suite(&format!("cases:\n{}", cases.concat())).run(&[]);
    let expected = ["error", "delay", "malformed", "truncated"].map(|id| (id, "pass", ""));
    let expected = [&expected[..], &[("hang", "error", "timeout"), ("never", "pass", "")]].concat();
    verdicts(&ran, &expected);
    assert!(ran.case("delay")["wall_ms"].as_u64() >= Some(300), "{ran:?}");
    ran.says(&[
        "the fault `hang` was injected into the answer to `find_order`",
        "it is for call 2 of `find_order`, which was called once at most",
    ]);
}

#[test]
fn calls_after_the_final_answer_are_counted() {
    let agent = "import sys, agent\nline = sys.argv[1]\nserver = agent.Server(agent.found('orders', {}))\n\
                 sys.stdin.readline()\nprint('{\"type\":\"final_output\",\"output\":{}}', flush=True)\n\
                 server.ask('tools/call', {'name': line, 'arguments': {}})\n";
    let target = "{ process: { command: [python3, late.py, TOOL] } }";
    let run = |line: &str, check: &str| {
        let yaml = format!("checks: [{check}]\ncases: [{{ id: a, input: {{}} }}]\n");
        let suite = with_target(&target.replace("TOOL", line), &yaml).file("suite/late.py", agent);
        suite.run(&[])
    };
    let refund = "refund_order";
    run(refund, "{ not: { tool_called: refund_order } }").says(&["FAIL a (", "1 tool call"]);
    run(refund, "{ tool_called: refund_order }").all_passed();
    let missed = run("lose_order", "{ not: { tool_called: refund_order } }");
    verdicts(&missed, &[("a", "fail", "stub_miss")]);
}

#[test]
fn agent_server_with_mcp_urls_starts_for_each_case() {
    let target = "{ http: { url: 'http://127.0.0.1:${PORT}/ask', command: [python3, agent.py, '${PORT}'], body: { text: '${INPUT.text}' } } }";
    let two = |checks: &str| {
        let said = FIND.replace('"', "\\\"");
        format!(
            "{checks}cases:\n- {{ id: a, input: {{ text: \"{said}\" }} }}\n- {{ id: b, input: {{ text: \"{said}\" }} }}\n"
        )
    };
    let checks = "checks: [{ contains: first }, { tool_called: { name: find_order, count: 1 } }]\n";
    let ran = with_target(target, &two(checks)).run(&["--parallel", "1"]);
    ran.all_passed();
    let pid = |ran: &Ran, id: &str| {
        let said = ran.final_output(id).as_str().unwrap().to_owned();
        said.strip_prefix("first\nserved by ").unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert_ne!(pid(&ran, "a"), pid(&ran, "b"));
    // A server that gets the address with each question serves all cases.
    let told = target.replace("body:", "headers: { x-orders: '${MCP.orders.url}' }, body:");
    let ran = with_target(&told, &two(checks)).run(&["--parallel", "1"]);
    ran.all_passed();
    assert_eq!(pid(&ran, "a"), pid(&ran, "b"));
}

#[test]
fn call_requested_by_scripted_model_is_counted_once() {
    let agent = "import agent, json, os, sys, urllib.request\n\
        def ask(messages):\n\
        \x20   headers = {'content-type': 'application/json', 'authorization': 'Bearer ' + os.environ['OPENAI_API_KEY']}\n\
        \x20   body = json.dumps({'model': 'm', 'messages': messages, 'tools': [{'type': 'function', 'function': {'name': 'find_order', 'parameters': {'type': 'object'}}}]}).encode()\n\
        \x20   request = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, headers)\n\
        \x20   return json.load(urllib.request.urlopen(request))['choices'][0]['message']\n\
        messages = [{'role': 'user', 'content': sys.stdin.read()}]\n\
        messages.append(ask(messages))\n\
        call = messages[1]['tool_calls'][0]\n\
        line = 'orders ' + call['function']['name'] + ' ' + call['function']['arguments']\n\
        result = agent.obey(line, {}) if 'honestly' in messages[0]['content'] else 'made up'\n\
        messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': result})\n\
        print(ask(messages)['content'])\n";
    let model =
        "rules:\n- when: { turn: 1 }\n  tool_calls: [{ name: find_order, args: { id: A-17 } }]\n- reply: done\n";
    let yaml = "checks: [{ tool_called: { name: find_order, count: 1, args: { id: A-17 } } }]\ncases:\n\
                - { id: honest, turns: [{ user: do it honestly }] }\n- { id: fake, turns: [{ user: do it }] }\n\
                - { id: asked, turns: [{ user: do it }], checks: [{ tool_called: { name: find_order, seen: executed } }] }\n";
    let suite = with_target("{ process: { command: [python3, model.py], speaks: text } }", yaml);
    let text = std::fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let text = text.replace("world: { ", "world: { model: { script: model.yaml }, ");
    let suite = suite.file("suite/agentci.yaml", text).file("suite/model.yaml", model).file("suite/model.py", agent);
    let ran = suite.run(&[]);
    verdicts(&ran, &[("honest", "pass", ""), ("fake", "pass", ""), ("asked", "fail", "check")]);
    ran.says(&[
        "`find_order` is a tool of the MCP server `orders`, but the agent sent its model a result without calling it",
    ]);
    assert_eq!(ran.case("honest")["tool_calls"], 1, "{ran:?}");
}

#[test]
fn limits_and_allowed_tools_apply_to_mcp_calls() {
    let refund = "orders refund_order {}";
    let cases = [
        case("allowed", &[FIND], "  world: { tools: { allow: [find_order] } }\n"),
        case("not-allowed", &[FIND, refund], "  world: { tools: { allow: [find_order] } }\n"),
        case("few", &[FIND, refund], "  limits: { tool_calls: 2 }\n"),
        case("many", &[FIND, FIND, refund], "  limits: { tool_calls: 2 }\n"),
    ];
    let ran = suite(&format!("cases:\n{}", cases.concat())).run(&[]);
    let wrong = [("not-allowed", "fail", "tool_not_allowed"), ("many", "fail", "limit")];
    verdicts(&ran, &[&[("allowed", "pass", ""), ("few", "pass", "")][..], &wrong].concat());
}

#[test]
fn scripted_servers_are_excluded_from_the_recording() {
    let url = listen(|_| Some(Answer(200, "", "hello".into())));
    let agent = format!(
        "import agent, sys, urllib.request\nprint(urllib.request.urlopen('{url}/x').read().decode())\n\
         print(agent.obey(sys.stdin.read().strip(), {{}}))\n"
    );
    let yaml = format!(
        "checks: [{{ equals: \"hello\\nfirst\" }}, {{ tool_called: {{ name: find_order, count: 1 }} }}]\ncases:\n{}",
        case("a", &[FIND], "")
    );
    let suite = with_target("{ process: { command: [python3, both.py], speaks: text } }", &yaml);
    let text = std::fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let text = text.replace("world: { ", "world: { recording: a.jsonl, ");
    let suite = suite.file("suite/agentci.yaml", text).file("suite/both.py", agent);
    let recorded = suite.agentci(&["record", "suite"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let recording = std::fs::read_to_string(suite.path("suite/a.jsonl")).unwrap();
    assert_eq!(recording.matches("\"type\":\"request\"").count(), 1, "{recording}");
    let ran = suite.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn reports_url_variable_of_unknown_server() {
    let target = "{ process: { command: [python3, agent.py, '${MCP.stock.url}'], speaks: text } }";
    let ran = with_target(target, "cases: [{ id: a, turns: [{ user: Hi }] }]\n").run(&[]);
    ran.says(&["the variable `MCP.stock.url` has no value", "sets `MCP.orders.url`"]);
}
