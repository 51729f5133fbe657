//! Recorded MCP servers: `agentci serve mcp` and `world.mcp` replay them from a recording of an agent.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::mcp_world::AGENT;
use crate::processes::signal;
use crate::suite::Suite;

const STOCK: &str = "tools:\n  count: { answers: [{ when: { sku: 1 }, reply: four }, { when: { sku: 1 }, reply: three }, { error: no such sku }] }\n";

struct Server(Child, String);

impl Server {
    fn start(suite: &Suite, arguments: &[&str]) -> Self {
        let mut child = suite.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address: Value = serde_json::from_str(&line).unwrap();
        Self(child, address["url"].as_str().unwrap().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        signal(self.0.id(), "TERM");
        self.0.wait().unwrap();
    }
}

/// Runs an agent that makes these calls to the server at an address; returns its output.
fn obey(suite: &Suite, recorded: &[&str], url: &str, lines: &str) -> String {
    std::fs::write(
        suite.path("mcp.json"),
        format!("{{\"mcpServers\":{{\"stock\":{{\"type\":\"http\",\"url\":\"{url}\"}}}}}}"),
    )
    .unwrap();
    let mut command = if recorded.is_empty() {
        let mut command = std::process::Command::new("python3");
        command.arg("agent.py").current_dir(suite.root());
        command
    } else {
        suite.command(&[recorded, &["--", "python3", "agent.py"]].concat())
    };
    command.env("AGENTCI_MCP_STOCK_URL", url).env("AGENTCI_MCP_CONFIG", suite.path("mcp.json"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A suite with a recording of two equal calls and a failed one.
fn recorded() -> Suite {
    let suite = Suite::empty().file("agent.py", AGENT).file("stock.mcp.yaml", STOCK);
    let live = Server::start(&suite, &["serve", "mcp", "stock.mcp.yaml"]);
    let lines = "stock count {\"sku\": 1}\nstock count {\"sku\": 1}\nstock count {\"sku\": 2}";
    let said = obey(&suite, &["record", "-o", "suite/stock.jsonl"], &live.1, lines);
    assert_eq!(said, "four\nthree\nno such sku");
    suite
}

#[test]
fn serves_mcp_server_from_recording() {
    let suite = recorded();
    let played = Server::start(&suite, &["serve", "mcp", "suite/stock.jsonl"]);
    let lines =
        "stock count {\"sku\": 1}\nstock count {\"sku\": 2}\nstock count {\"sku\": 1}\nstock count {\"sku\": 1}";
    let again = "`count` with {\"sku\":1} was recorded 2 times, but is called once more";
    assert_eq!(obey(&suite, &[], &played.1, lines), format!("four\nno such sku\nthree\n{again}"));
    let ran = suite.agentci(&["serve", "mcp", "suite/stock.jsonl", "--server", "orders"]);
    ran.complains(&[
        "no MCP server of the recording has `orders` in its address or command: http://127.0.0.1:",
        "`--server TEXT`",
    ]);
    let ran = suite.agentci(&["serve", "mcp", "stock.mcp.yaml", "--server", "orders"]);
    ran.complains(&["`--server` selects a server of a recording, but this is a script"]);
}

#[test]
fn case_replays_recorded_mcp_server() {
    let case = |id: &str, lines: &str| format!("- id: {id}\n  turns: [{{ user: '{lines}' }}]\n");
    let (one, two) = ("stock count {\"sku\": 1}", "stock count {\"sku\": 2}");
    let cases = [
        case("all", &format!("{one}\n\n  {one}\n\n  {two}").replace("\n\n  ", "\n\n    ")),
        case("less", one),
        case("other", "stock count {\"sku\": 3}"),
        case("more", &format!("{two}\n\n    {two}")),
    ];
    let suite = recorded().file("suite/agent.py", AGENT).file(
        "suite/agentci.yaml",
        format!(
            "suite: suite\ntarget: {{ process: {{ command: [python3, agent.py], speaks: text }} }}\n\
             world: {{ mcp: {{ stock: {{ recording: stock.jsonl, server: 127.0.0.1 }} }} }}\nchecks: [{{ tool_called: count }}]\ncases:\n{}",
            cases.concat()
        ),
    );
    let ran = suite.run(&[]);
    let found: Vec<(String, String)> = ran.verdicts().into_iter().map(|(id, _, cause)| (id, cause)).collect();
    let expected = [("all", ""), ("less", ""), ("more", "stub_miss"), ("other", "stub_miss")];
    assert_eq!(found, expected.map(|(id, cause)| (id.to_owned(), cause.to_owned())), "{ran:?}");
    assert_eq!(ran.final_output("all"), "four\nthree\nno such sku");
    ran.says(&[
        "2 recorded calls to the MCP server `stock` were never made: `count` with {\"sku\":1}, `count` with {\"sku\":2}",
        "the MCP server `stock` has no answer: `count` with {\"sku\":3} is not in the recording",
        "`count` with {\"sku\":2} was recorded once, but is called again",
    ]);
}
