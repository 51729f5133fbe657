//! `agentci serve tools`: the printed address, answers from fixtures, reported misses, and shutdown.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::processes::signal;
use crate::suite::Suite;

struct Server {
    child: Child,
    address: Value,
}

impl Server {
    fn start(suite: &Suite, arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "tools"];
        all.extend(arguments);
        let mut child = suite.command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: serde_json::from_str(&line).unwrap() }
    }

    fn url(&self) -> &str {
        self.address["url"].as_str().unwrap()
    }

    /// Sends a request to an address that the server printed, or to a path below the first one.
    fn ask(&self, method: &str, url: &str, body: &str) -> (u16, Value) {
        let url = if url.starts_with('/') { format!("{}{url}", self.url()) } else { url.to_owned() };
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        let head = format!("{method} /{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}");
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap())
    }

    /// Ends the server with a signal; returns its standard error and exit code.
    fn end(mut self, name: &str) -> (String, Option<i32>) {
        assert!(signal(self.child.id(), name));
        let mut said = String::new();
        self.child.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
        (said, self.child.wait().unwrap().code())
    }
}

fn scenario(name: &str, fixtures: &str) -> String {
    format!("test_name: {name}\nuser_input: Why?\nexpected_answer: So.\ntool_fixtures:\n{fixtures}")
}

fn scenarios() -> Suite {
    let first = "  paySlips:\n    - request:\n      ids: [1]\n      response_file: slips/1.json\n";
    let second =
        "  paySlips:\n    - { request: { ids: [1] }, response: other }\n  tax:\n    - { response: { rate: 22 } }\n";
    Suite::empty()
        .file("tests/us/a_first.yaml", scenario("first", first))
        .file("tests/us/b_second.yaml", scenario("second one", second))
        .file("tests/us/__files/slips/1.json", "{ \"net\": 1.50 }\n")
        .file("tests/uk/other.yaml", scenario("uk", "  vat:\n    - { response: 20 }\n"))
}

#[test]
fn fixtures_are_served_together_and_by_case() {
    let suite = scenarios();
    let server = Server::start(&suite, &["--agent", "us"]);
    let url = server.url().to_owned();
    assert!(url.starts_with("http://127.0.0.1:") && !url.ends_with(":0"), "{url}");
    let slips = |base: &str| server.ask("POST", &format!("{base}/paySlips"), "{\"ids\":[1]}");
    // Answers come in the order of the files; the last one repeats.
    assert_eq!(slips(&url), (200, json!({"net": serde_json::from_str::<Value>("1.50").unwrap()})));
    assert_eq!(slips(&url), (200, json!("other")));
    assert_eq!(slips(&url), (200, json!("other")));
    let cases = server.address["cases"].as_object().unwrap();
    assert_eq!(cases.keys().collect::<Vec<_>>(), ["first", "second one"]);
    assert_eq!(slips(cases["second one"].as_str().unwrap()), (200, json!("other")));
    assert_eq!(server.ask("GET", "/tax?x=1", ""), (200, json!({"rate": 22})));
    assert_eq!(server.ask("GET", "/vat", "").0, 500);
    let (status, body) = server.ask("POST", "/first/paySlips", "{\"ids\":[2]}");
    assert_eq!((status, &body["difference"]), (500, &json!({"at": "/ids/0", "expected": 1, "got": 2})));
    let (_, misses) = server.ask("GET", server.address["misses"].as_str().unwrap(), "");
    let told: Vec<&Value> = misses["misses"].as_array().unwrap().iter().map(|miss| &miss["tool"]).collect();
    assert_eq!(told, ["vat", "paySlips"]);
    let (said, code) = server.end("TERM");
    assert_eq!(code, Some(0));
    assert!(said.contains("miss: unknown tool `vat`; requested: GET vat {}; known: `paySlips`, `tax`"), "{said}");
    assert!(said.contains("miss: no fixture of `paySlips` matches this request; "), "{said}");
}

#[test]
fn case_flag_serves_only_that_case_with_faults() {
    let suite = Suite::empty().file(
        "suite/agentci.yaml",
        "suite: s\ntarget: { process: { command: [sh] } }\ncases:\n\
         - { id: a, input: {}, world: { tools: { routes: { t: [{ response: a }] } } } }\n\
         - id: b\n  input: {}\n  world:\n    tools: { routes: { t: [{ response: b, status: 201 }] } }\n    \
         faults: [{ tool: t, call: 1, error: upstream timeout }]\n",
    );
    let server = Server::start(&suite, &["suite", "--case", "b"]);
    assert_eq!(server.ask("GET", "/t", ""), (500, json!({"error": "upstream timeout"})));
    assert_eq!(server.ask("GET", "/t", ""), (201, json!("b")));
    assert_eq!(server.end("INT").1, Some(0));
}

#[test]
fn reports_unknown_case_path_or_agent_with_help() {
    let suite = scenarios();
    for (arguments, parts) in [
        (
            &["--agent", "us", "--case", "frist"][..],
            &["case `frist` does not exist or has no tools to serve", "did you mean `first`?"][..],
        ),
        (&["none"], &["none"]),
        (&["--agent", "es"], &["es"]),
    ] {
        let mut all = vec!["serve", "tools"];
        all.extend(arguments);
        let ran = suite.agentci(&all);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(parts.iter().all(|part| ran.stderr.contains(part)), "{}", ran.stderr);
    }
    let other = Suite::native("cases: [{ id: a, input: {} }]\n");
    let ran = other.agentci(&["serve", "tools", "suite"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no tools to serve\nhelp: "), "{}", ran.stderr);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = suite.agentci(&["serve", "tools", "tests", "--port", &port]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("cannot be used") && ran.stderr.contains("help: "), "{}", ran.stderr);
}

#[test]
fn invalid_scenario_is_reported_and_others_are_served() {
    let suite = scenarios().file("tests/us/c_wrong.yaml", "test_name: wrong\nuser_imput: x\n");
    let server = Server::start(&suite, &["tests/us"]);
    assert_eq!(server.ask("GET", "/tax", "").0, 200);
    let (said, code) = server.end("TERM");
    assert_eq!(code, Some(0));
    assert!(said.contains("tests/us/c_wrong.yaml:2"), "{said}");
}
