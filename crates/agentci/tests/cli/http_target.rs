//! HTTP agents that the run starts, with stub tools.

use std::fs;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Instant;

use crate::http_agent::command;
use crate::processes::{is_gone, signal, told};
use crate::ran::Ran;
use crate::suite::Suite;

/// A suite with the agent of `http_agent`.
fn suite(world: &str, cases: &str) -> Suite {
    let suite = Suite::empty();
    let pid = suite.path("agent.pid");
    let target = format!(
        "target:\n  http:\n    url: \"http://127.0.0.1:${{PORT}}/ask\"\n    timeout: 1s\n    command: {}\n    env: {{ HTTP_AGENT: {:?} }}\n",
        command(),
        pid.to_str().unwrap()
    );
    suite.file("suite/agentci.yaml", format!("suite: suite\n{target}{world}cases:\n{cases}"))
}

const TOOLS: &str = "world:\n  tools:\n    bases: [PAY_BASE]\n    routes:\n      paySlips:\n        - { request: { id: 1 }, response: { net: 1250 } }\n        - { request: { id: 2 }, response: { net: 2500 } }\n";

/// A case with a question and checks.
fn case(id: &str, question: &str, checks: &str) -> String {
    format!(
        "  - id: {id}\n    input: {{ user_input: {question:?}, variables: {{ name: Ada }} }}\n    checks: [{checks}]\n"
    )
}

/// The first finding of a case.
fn said(ran: &Ran, id: &str) -> String {
    let events = ran.events();
    let end = events.iter().find(|event| event["type"] == "case_end" && event["case_id"] == id).unwrap();
    end["findings"][0].to_string()
}

#[test]
fn agent_uses_stubbed_tools_and_ends_with_the_run() {
    let cases = [
        case("hello", "hello", "{ contains: \"Hello, world\" }, { not: { tool_called: paySlips } }"),
        case(
            "one",
            "pay 1",
            "{ contains: \"net pay is 1250\" }, { tool_called: { name: paySlips, args: { id: 1 }, count: 1 } }",
        ),
        case("two", "pay 2", "{ contains: \"2500\" }"),
    ];
    let suite = suite(TOOLS, &cases.concat());
    let ran = suite.run(&[]);
    ran.all_passed();
    assert!(is_gone(told(&suite.path("agent.pid"))));
    assert_eq!(ran.final_output("one"), "Your net pay is 1250");
}

#[test]
fn each_failure_has_its_cause_and_other_cases_continue() {
    let cases = [
        case("below", "hello", "{ contains: Bonjour }"),
        case("missing", "pay 3", "{ contains: \"I do not know\" }"),
        case("missing-and-late", "pay 3, slow", ""),
        case("missing-and-wrong", "pay 3, fail", ""),
        case("late", "slow", ""),
        case("refused", "fail", ""),
        case("nothing", "nothing", ""),
        case("good", "pay 1", "{ contains: \"1250\" }"),
    ];
    let ran = suite(TOOLS, &cases.concat()).run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let verdicts = ran.verdicts();
    let seen: Vec<(&str, &str)> = verdicts.iter().map(|(id, _, cause)| (id.as_str(), cause.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("below", "check"),
            ("good", ""),
            ("late", "timeout"),
            ("missing", "stub_miss"),
            ("missing-and-late", "stub_miss"),
            ("missing-and-wrong", "stub_miss"),
            ("nothing", "agent_error"),
            ("refused", "agent_error"),
        ],
        "{ran:?}"
    );
    for (id, words) in [
        ("missing", "paySlips"),
        ("missing-and-late", "did not finish within 1s"),
        ("missing-and-wrong", "status 500"),
        ("refused", "no model"),
        ("nothing", "answer is empty"),
    ] {
        assert!(said(&ran, id).contains(words), "{id}: {}", said(&ran, id));
    }
    // After a miss, checks are not evaluated.
    let checks: Vec<_> =
        ran.events().into_iter().filter(|event| event["type"] == "check" && event["case_id"] == "missing").collect();
    assert_eq!((checks.len(), &checks[0]["status"]), (1, &"not_evaluated".into()), "{ran:?}");
}

#[test]
fn stub_miss_can_be_a_warning() {
    let tools = format!("{TOOLS}    miss: warn\n");
    let ran = suite(&tools, &case("missing", "pay 3", "{ contains: \"I do not know\" }")).run(&[]);
    ran.all_passed();
    let events = ran.events();
    let end = events.iter().find(|event| event["type"] == "case_end").unwrap();
    assert!(end["warnings"][0].as_str().unwrap().contains("paySlips"), "{end}");
}

#[test]
fn parallel_cases_have_separate_stubs() {
    let own = |id: &str, net: u32| {
        let checks = format!("{{ contains: \"{net}\" }}, {{ tool_called: {{ name: paySlips, count: 1 }} }}");
        let world = format!(
            "    world: {{ tools: {{ routes: {{ paySlips: [{{ request: {{ id: 1 }}, response: {{ net: {net} }}, delay: 100ms }}] }} }} }}\n"
        );
        case(id, "pay 1", &checks) + &world
    };
    let cases: String = (1..=6).map(|number| own(&format!("c{number}"), number * 111)).collect();
    let ran = suite(TOOLS, &cases).run(&["--parallel", "6"]);
    ran.all_passed();
}

#[test]
fn crashed_agent_is_reported_and_restarted() {
    let cases = [case("dies", "die", ""), case("next", "hello", "{ contains: Hello }"), case("last", "hello", "")];
    let ran = suite("", &cases.concat()).run(&["--parallel", "1"]);
    ran.only_wrong("dies", "error", "agent_exited");
    assert!(said(&ran, "dies").contains("the agent ended with exit code 3"), "{}", said(&ran, "dies"));
    let events = ran.events();
    let end = |id: &str| events.iter().find(|event| event["type"] == "case_end" && event["case_id"] == id).unwrap();
    assert!(end("dies")["stderr_tail"].to_string().contains("out of ideas"), "{ran:?}");
    let warning = end("next")["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("exit code 3") && warning.contains("restarted"), "{ran:?}");
    assert!(end("last")["warnings"].is_null(), "{ran:?}");
}

#[test]
fn failed_agent_start_is_not_retried_and_shows_stderr() {
    let yaml = "suite: suite\ntarget: { http: { url: \"http://127.0.0.1:${PORT}/\", command: [sh, -c, \"echo >> ../tries; echo no key >&2; exit 4\"] } }\ncases:\n  - { id: first, input: { user_input: hi } }\n  - { id: second, input: { user_input: hi } }\n";
    let suite = Suite::empty().file("suite/agentci.yaml", yaml.replace("../tries", "tries"));
    let ran = suite.run(&["--parallel", "2"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.verdicts().iter().all(|verdict| verdict.2 == "unreachable"), "{ran:?}");
    assert_eq!(fs::read_to_string(suite.path("tries")).unwrap().lines().count(), 1);
    assert!(said(&ran, "first").contains("the agent ended with exit code 4 before it was ready"), "{ran:?}");
    assert!(said(&ran, "second").contains("see the case `first`"), "{ran:?}");
    assert_eq!(ran.stdout.matches("stderr: no key").count(), 1, "{ran:?}");
}

#[test]
fn agent_startup_has_a_timeout() {
    let suite = Suite::empty();
    let pid = suite.path("pid");
    let yaml = format!(
        "suite: suite\ntarget: {{ http: {{ url: \"http://127.0.0.1:${{PORT}}/\", patience: 300ms, command: [sh, -c, \"echo $$ > {0}.new; mv {0}.new {0}; sleep 600\"] }} }}\ncases: [{{ id: only, input: {{}} }}]\n",
        pid.display()
    );
    let suite = suite.file("suite/agentci.yaml", yaml.replace("$$", "$$$$"));
    let ran = suite.run(&[]);
    assert_eq!(ran.verdicts()[0].2, "unreachable", "{ran:?}");
    ran.says(&["was not ready within 300ms", "the server must listen on the port in the variable `PORT`"]);
    assert!(is_gone(told(&pid)));
}

#[test]
fn agent_that_ignores_sigterm_is_killed() {
    let suite = suite("", &case("hello", "hello", "{ contains: \"Hello, world\" }"));
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap();
    let deaf = "command: [sh, -c, \"trap '' TERM; exec \\\"$@\\\"\", sh, ";
    let suite = suite.file("suite/agentci.yaml", yaml.replace("command: [", deaf));
    suite.run(&[]).all_passed();
    assert!(is_gone(told(&suite.path("agent.pid"))));
}

#[test]
fn interrupt_stops_the_agent() {
    let suite = suite("", &case("slow", "slow", "").replace("    checks: []\n", "")).file("unused", "");
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap().replace("timeout: 1s", "timeout: 10m");
    let suite = suite.file("suite/agentci.yaml", yaml);
    let child = suite.command(&["run", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let agent = told(&suite.path("agent.pid"));
    let started = Instant::now();
    assert!(signal(child.id(), "INT"));
    let ran = suite.ran(&child.wait_with_output().unwrap(), started.elapsed());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(is_gone(agent));
}

/// A live tool, not a stub: it always pays 7.
fn live_tool() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            crate::http_agent::answer_json(&mut stream.unwrap(), "{\"net\":7}");
        }
    });
    url
}

/// For a server that the run starts, only the world around it is recorded; a replay still runs the server.
#[test]
fn replay_starts_the_configured_server() {
    let world = TOOLS
        .replace("world:\n", "world:\n  recording: \"recordings/{case}.jsonl\"\n")
        .replace("bases: [PAY_BASE]", &format!("bases: {{ PAY_BASE: {{ live: {:?} }} }}", live_tool()));
    let checks = "{ tool_called: { name: paySlips, args: { id: 1 }, count: 1 } }";
    let suite = suite(&world, &case("pay", "pay 1", checks));
    let recorded = suite.agentci(&["record", "suite"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    recorded.says(&["nothing was recorded"]);
    assert!(suite.path("suite/recordings/pay.jsonl").exists(), "{recorded:?}");
    fs::remove_file(suite.path("agent.pid")).unwrap();
    fs::remove_dir_all(suite.path(".agentci")).unwrap();
    let replayed = suite.run(&["--mode", "replay", "--require-agent"]);
    replayed.all_passed();
    assert!(suite.path("agent.pid").exists());
}

#[test]
fn reports_stub_port_in_use_with_its_flag() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = suite(TOOLS, &case("one", "pay 1", "")).run(&["--stub-port", &port]);
    assert_eq!(ran.verdicts()[0].2, "config", "{ran:?}");
    assert!(ran.stdout.contains("--stub-port") && ran.stdout.contains(&port), "{ran:?}");
}

#[test]
fn does_not_call_another_server_on_the_agent_port() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let suite = suite("", &case("hello", "hello", ""));
    let yaml = fs::read_to_string(suite.path("suite/agentci.yaml")).unwrap().replace("${PORT}", &port);
    let ran = suite.file("suite/agentci.yaml", yaml).run(&[]);
    assert_eq!(ran.verdicts()[0].2, "unreachable", "{ran:?}");
    assert!(ran.stdout.contains(&format!("something listens on `127.0.0.1:{port}`")), "{ran:?}");
}

#[test]
fn process_agent_gets_tool_urls_from_environment() {
    let yaml =
        format!("{TOOLS}cases:\n  - {{ id: a, input: {{}}, checks: [{{ contains: \"http://127.0.0.1:\" }}] }}\n");
    let ran = Suite::native(&yaml).agent("a", "finish \"{\\\"base\\\":\\\"$PAY_BASE\\\"}\"").run(&[]);
    ran.all_passed();
}

#[test]
fn unreachable_agent_error_suggests_command() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let yaml = format!(
        "suite: suite\nmode: live\ntarget: {{ http: {{ url: \"http://{free}/\" }} }}\ncases: [{{ id: only, input: {{}} }}]\n"
    );
    let ran = Suite::empty().file("suite/agentci.yaml", yaml).run(&[]);
    assert_eq!(ran.verdicts()[0].2, "unreachable", "{ran:?}");
    ran.says(&[
        "help: let agentci start it with `command` in its target (`agent_command` in scenarios), or start it before the run",
    ]);
}

#[test]
fn http_tool_fault_applies_only_to_its_tool() {
    let with = |fault: &str| suite(&format!("{TOOLS}  faults: [{fault}]\n"), &case("one", "pay 1", ""));
    let met = with("{ tool: paySlips, delay: 1ms }").run(&[]);
    met.all_passed();
    assert!(!met.stdout.contains("never happened"), "{met:?}");
    let unmet = with("{ tool: paySlip, delay: 1ms }");
    unmet.run(&[]).says(&["never happened: `paySlip` was never called; did you mean `paySlips`?"]);
    unmet.agentci(&["check", "suite"]).complains(&["`paySlip` is not an available tool", "did you mean `paySlips`?"]);
}
