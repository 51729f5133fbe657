//! The content of configs.

use std::path::Path;
use std::time::Duration;

use agentci_plan::{
    A2aCard, AguiWire, ApiKeyPlace, Auth, Case, Data, McpTransport, REQUEST_TIMEOUT, Strictness, Target, Text,
};
use agentci_source::Severity;
use serde_json::json;

use crate::project::{CONFIG, config, good, indented, load, loaded, messages, project, test, wrong_config};

fn a2a(keys: &str) -> String {
    format!("version: '1.1'\ntarget:\n  type: a2a\n{}", indented(keys))
}

fn mcp(keys: &str) -> String {
    a2a(keys).replace("1.1", "1.2").replace("a2a", "mcp")
}

fn called() -> String {
    "version: '1.2'\nname: a\nturns: [{ type: mcp:list }]\n".to_owned()
}

fn literal(text: &str) -> Text {
    Text::Literal(text.to_owned())
}

fn a2a_target(case: &Case) -> &agentci_plan::A2aTarget {
    let Target::A2a(target) = &*case.target else { panic!("{:?}", case.target) };
    target
}

#[test]
fn reads_agui_tools_and_wire_format() {
    let keys = "tools:\n- { name: pick, description: Pick one, parameters: { type: object }, reply: { n: 1 } }\n\
                - { name: look, replies: ['${A}', [2]] }\n- { name: pay, error: no money }\n- { name: ask, reply: null }\n\
                wire: copilotkit\nprotocol: fail";
    let case = good(&config(keys), &test("a", ""));
    let Target::Agui(target) = &*case.target else { panic!("{:?}", case.target) };
    assert_eq!(
        (target.wire, target.protocol, target.timeout),
        (AguiWire::Copilotkit, Strictness::Fail, REQUEST_TIMEOUT)
    );
    assert_eq!((target.thread.as_ref(), target.agent.as_ref()), (None, Some(&literal("shop"))));
    let tools: Vec<_> = target.tools.iter().map(|tool| (tool.name.value.as_str(), tool.description.as_str())).collect();
    assert_eq!(tools, [("pick", "Pick one"), ("look", ""), ("pay", ""), ("ask", "")]);
    assert_eq!(target.tools[1].parameters, json!({ "type": "object", "properties": {} }));
    let answers: Vec<_> =
        case.world.scripted.iter().map(|tool| (tool.name.value.as_str(), tool.answers.clone())).collect();
    assert_eq!(
        answers.iter().map(|(name, answers)| (*name, answers.len())).collect::<Vec<_>>(),
        [("pick", 1), ("look", 2), ("pay", 1), ("ask", 1)]
    );
    assert_eq!((answers[0].1[0].ok, &answers[0].1[0].data), (true, &Data::literal(&json!({ "n": 1 }))));
    assert_eq!(answers[1].1[0].data, Data::parse(&json!("${A}")));
    assert_eq!((answers[2].1[0].ok, &answers[2].1[0].data), (false, &Data::literal(&json!("no money"))));
}

#[test]
fn endpoint_can_contain_variables_anywhere() {
    for endpoint in ["${ENV.URL}", "http://localhost:${PORT}/x", "${SCHEME:-http}://host"] {
        good(&CONFIG.replace("http://127.0.0.1:1/agent", &format!("\"{endpoint}\"")), &test("a", ""));
    }
}

#[test]
fn a2a_agent_is_located_in_one_of_three_ways() {
    let test = test("a", "");
    let at = good(
        &a2a(
            "agentCardUrl: http://a/card\ncontextId: ${C}\nblocking: no\nacceptedOutputModes: [text/plain]\ntimeout_ms: 10",
        ),
        &test,
    );
    let target = a2a_target(&at);
    assert!(matches!(&target.card, A2aCard::At(url) if url.value == literal("http://a/card")), "{target:?}");
    assert_eq!((target.blocking, target.timeout), (Some(false), Duration::from_millis(10)));
    assert_eq!(
        (target.accepted_output_modes.as_slice(), target.context.as_ref().unwrap().written()),
        (&["text/plain".to_owned()][..], "${C}".into())
    );
    let inline = good(&a2a("agentCard: { name: shop, url: http://a }"), &test);
    assert_eq!(a2a_target(&inline).card, A2aCard::Inline(json!({ "name": "shop", "url": "http://a" })));
    let direct = good(&a2a("endpoint: http://a"), &test);
    assert!(matches!(&a2a_target(&direct).card, A2aCard::Endpoint(_)));
    let one = "the target needs exactly one of `agentCardUrl`, `agentCard` and `endpoint`";
    assert_eq!(wrong_config(&a2a("blocking: true")), [one]);
    assert_eq!(wrong_config(&a2a("endpoint: http://a\nagentCardUrl: http://a")), [one]);
    assert_eq!(wrong_config(&a2a("agentCard: { url: '${URL}' }")), ["`agentCard` cannot contain variables"]);
}

#[test]
fn reads_a2a_authentication() {
    for (keys, auth) in [
        (
            "{ scheme: apiKey, value: '${ENV.KEY}' }",
            Auth::ApiKey { name: "X-API-Key".into(), place: ApiKeyPlace::Header, value: Text::parse("${ENV.KEY}") },
        ),
        (
            "{ scheme: apiKey, in: cookie, name: k, value: v }",
            Auth::ApiKey { name: "k".into(), place: ApiKeyPlace::Cookie, value: literal("v") },
        ),
        ("{ scheme: bearer, token: t }", Auth::Bearer(literal("t"))),
        (
            "{ scheme: oauth2, tokenUrl: http://a/t, clientId: c, clientSecret: s, scopes: [x] }",
            Auth::OAuth2 {
                token_url: literal("http://a/t"),
                client_id: literal("c"),
                client_secret: literal("s"),
                scopes: vec!["x".into()],
            },
        ),
        (
            "{ scheme: mtls, cert: c/a.pem, key: ../k.pem }",
            Auth::Mtls { certificate: "p/c/a.pem".into(), key: "k.pem".into(), authority: None },
        ),
    ] {
        let case = good(&a2a(&format!("endpoint: http://a\nauth: {keys}")), &test("a", ""));
        assert_eq!(a2a_target(&case).auth.as_ref(), Some(&auth));
    }
    for (keys, found) in [
        (
            "{ scheme: basic }",
            vec!["`scheme` must be one of `apiKey`, `bearer`, `oauth2`, `mtls`, found the string `basic`"],
        ),
        ("{ token: t }", vec!["`auth` needs `scheme`"]),
        ("{ scheme: bearer, value: t }", vec!["`auth` needs `token`", "unknown key `value` in `auth`"]),
        ("{ scheme: mtls, cert: '${C}', key: k }", vec!["`cert` cannot contain variables"]),
    ] {
        let mut problems = wrong_config(&a2a(&format!("endpoint: http://a\nauth: {keys}")));
        problems.sort();
        assert_eq!(problems, found, "{keys}");
    }
}

#[test]
fn mcp_target_is_a_program_or_a_server() {
    let files = project(&mcp("transport: stdio\ncommand: [python3, server.py, '${A}']\nenv: { B: 1 }"), &called())
        .with("p/server.py", "");
    let loaded = load(&files, &["p"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    let Target::Mcp(target) = &*loaded.plan.suites[0].cases[0].target else { panic!("no MCP") };
    let McpTransport::Stdio { command, environment } = &target.transport else { panic!("{target:?}") };
    assert_eq!(command[1].file.as_deref(), Some(Path::new("p/server.py")));
    assert_eq!(environment, &[("B".to_owned(), literal("1"))]);
    for word in ["sse", "http"] {
        let case = good(&mcp(&format!("transport: {word}\nendpoint: http://a")), &called());
        assert!(matches!(&*case.target, Target::Mcp(target) if matches!(&target.transport, McpTransport::Http(_))));
    }
    for (keys, found) in [
        ("endpoint: http://a", vec!["the target needs `transport`"]),
        ("transport: pipe", vec!["`transport` must be one of `stdio`, `sse`, `http`, found the string `pipe`"]),
        ("transport: stdio", vec!["the target needs `command`"]),
        ("transport: stdio\ncommand: []", vec!["`command` is empty"]),
        ("transport: sse", vec!["the target needs `endpoint`"]),
        (
            "transport: stdio\ncommand: [a]\nendpoint: http://a",
            vec!["`endpoint` does not apply to the transport `stdio`"],
        ),
        ("transport: sse\nendpoint: http://a\nenv: {}", vec!["`env` does not apply to the transport `sse`"]),
    ] {
        assert_eq!(wrong_config(&mcp(keys)), found, "{keys}");
    }
    let warned = crate::project::loaded(&mcp("transport: stdio\ncommand: [a]\nheaders: { A: b }"), &called());
    assert_eq!(messages(&warned), ["`headers` are not sent over the transport `stdio`"]);
    assert!(!warned.diagnostics.has_errors());
}

#[test]
fn reports_every_problem_of_a_config() {
    let wrong = "version: 1.0\ntarget:\n  type: agui\n  endpoint: localhost:80\n  agentid: x\n  contextId: c\n  transport: sse\n  \
                 timeout_ms: 0\n  headers: [a]\n  state: 7\n  tools: [{ name: a, reply: 1, error: no }, { name: a, reply: 2 }]\n  wire: smoke\n\
                 recording: here\nassertions: 3\n";
    assert_eq!(
        wrong_config(wrong),
        [
            "`endpoint` must be an HTTP URL, found the string `localhost:80`",
            "unknown key `agentid` in the target",
            "`contextId` belongs to targets of type `a2a`",
            "`transport` belongs to targets of type `mcp`",
            "`timeout_ms` must be greater than 0, found the number 0",
            "`headers` must be a mapping, found a list",
            "`state` must be a mapping, found the number 7",
            "a tool can have only one of `reply`, `replies` and `error`",
            "the tool `a` is defined twice",
            "`wire` must be one of `auto`, `agui`, `copilotkit`, found the string `smoke`",
            "unknown key `recording` in the config",
            "`assertions` must be a mapping, found the number 3",
        ]
    );
    assert_eq!(wrong_config("version: '1.0'\n"), ["the config needs `target`"]);
    assert_eq!(wrong_config("version: '1.0'\ntarget: { endpoint: x }\n"), ["the target needs `type`"]);
    assert_eq!(
        wrong_config("version: '1.0'\ntarget: agui\n"),
        ["the target must be a mapping, found the string `agui`"]
    );
    assert_eq!(
        wrong_config("version: '1.0'\ntarget: { type: gaui, timeout_ms: x }\n"),
        [
            "`type` must be one of `agui`, `a2a`, `mcp`, found the string `gaui`",
            "`timeout_ms` must be a number of milliseconds, found the string `x`",
        ]
    );
    assert_eq!(wrong_config(""), ["the config must be a mapping, found nothing"]);
}

#[test]
fn protocols_require_the_version_that_introduced_them() {
    assert_eq!(
        wrong_config(&a2a("endpoint: http://a").replace("1.1", "1.0")),
        ["a target of type `a2a` needs version 1.1, but the file has 1.0"]
    );
    assert_eq!(
        wrong_config(&mcp("transport: sse\nendpoint: http://a").replace("1.2", "1.1")),
        ["a target of type `mcp` needs version 1.2, but the file has 1.1"]
    );
    good(&a2a("endpoint: http://a").replace("1.1", "1.2"), &test("a", ""));
}

#[test]
fn warns_once_per_file_about_tool_checks_on_a2a() {
    let demand = "assert: { tools: { require: [{ name: x }], forbid: [y] } }";
    let config = a2a(&format!("endpoint: http://a\n{demand}"));
    let files =
        project(&config, &test("a", "")).with("p/b.test.yaml", test("b", demand)).with("p/c.test.yaml", test("c", ""));
    let loaded = load(&files, &["p"]);
    assert_eq!(messages(&loaded), ["an A2A agent does not report its tool calls"; 2]);
    assert_eq!(loaded.diagnostics.count(Severity::Warning), 2);
    assert!(loaded.plan.suites[0].cases.iter().all(|case| case.broken.is_none()));
}

#[test]
fn recordings_folder_is_configurable() {
    let case = good(&format!("{CONFIG}recordings: kept/here\n"), &test("a", ""));
    assert_eq!(case.world.recording.as_ref().unwrap().path, Path::new("p/kept/here/a.test.jsonl"));
    let broken = loaded(CONFIG, "version: '1.0'\nname: [\n");
    assert_eq!(broken.plan.suites[0].cases[0].id, "a");
}
