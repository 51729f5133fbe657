//! `agentci init` for the user's own agents.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::http_server::{Answer, listen};
use crate::ran::{read_events, run_folders};
use crate::suite::Suite;

const AGENT: &str = r#"
import json, sys
task = json.loads(sys.stdin.readline())
print(json.dumps({"type": "final_output", "output": {"answer": task["input"]["question"]}}), flush=True)
"#;

/// An agent without any agentci code: sends its input to its model and prints the answer.
const ASKS: &str = r#"
import json, os, sys, urllib.request
body = {"model": "m", "messages": [{"role": "user", "content": sys.stdin.read().strip()}]}
headers = {"authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), headers)
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
"#;

/// Creates a suite with these flags, in a folder with an agent, and asserts that `check` and `run` succeed.
fn passes(flags: &[&str]) -> Suite {
    let suite = Suite::empty().file("bot/agent.py", AGENT).file("bot/asks.py", ASKS);
    let mut words = vec!["init", "evals/first"];
    words.extend(flags);
    let made = suite.agentci(&words);
    assert_eq!(made.code, Some(0), "{made:?}");
    let checked = suite.agentci(&["check", "evals", "--strict", "--secrets"]);
    assert_eq!(checked.code, Some(0), "{flags:?}: {checked:?}");
    let ran = suite.agentci(&["run", "evals"]);
    assert_eq!(ran.code, Some(0), "{flags:?}: {ran:?}");
    assert_eq!(ran.verdicts().len(), 1);
    suite
}

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("examples").join(path)
}

/// A server of the examples; it is stopped on drop.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(path: &str) -> Self {
        let mut command = Command::new("python3");
        command.arg(example(path)).arg("0").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|word| word.starts_with("http://"));
        Self { address: address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned(), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn program_is_found_from_any_working_directory() {
    let suite = passes(&["--command", "python3 bot/agent.py"]);
    let text = fs::read_to_string(suite.path("evals/first/agentci.yaml")).unwrap();
    assert!(text.contains("command: [python3, ../../bot/agent.py]\n    folder: ../..\n"), "{text}");
    for (folder, path) in [("evals", "first"), ("evals/first", "."), ("bot", "../evals")] {
        let output = suite.command(&["run", path]).current_dir(suite.path(folder)).output().unwrap();
        assert!(output.status.success(), "{folder}: {output:?}");
    }
}

#[test]
fn program_on_path_takes_precedence_over_local_file() {
    let suite = Suite::empty().file("python3", "not this one").file("agent.py", AGENT);
    assert_eq!(suite.agentci(&["init", "t", "--command", "python3 agent.py"]).code, Some(0));
    let ran = suite.agentci(&["run", "t"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn shell_syntax_is_run_by_a_shell() {
    let suite = passes(&["--kind", "command", "--command", "cd bot && NAME=x python3 agent.py"]);
    let text = fs::read_to_string(suite.path("evals/first/agentci.yaml")).unwrap();
    assert!(text.contains("command: [sh, -c, \"cd bot && NAME=x python3 agent.py\"]\n"), "{text}");
}

#[test]
fn special_characters_in_command_reach_the_agent_unchanged() {
    let suite = Suite::empty().file("agent.py", AGENT.replace("task[\"input\"][\"question\"]", "sys.argv[1:]"));
    let odd = r#"python3 agent.py 'a: b, [c] # d' "${X}" no 1.0 -v 'ü"'"#;
    assert_eq!(suite.agentci(&["init", "t", "--command", &format!("exec {odd}"), "--force"]).code, Some(0));
    let ran = suite.agentci(&["run", "t"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let said = &ran.final_output("answers")["answer"];
    assert_eq!(*said, json!(["a: b, [c] # d", "", "no", "1.0", "-v", "ü\""]));
}

/// The question is passed as one argument, wherever `${INPUT}` is in the command and however it is quoted.
#[test]
fn question_is_passed_as_a_single_argument() {
    let program = "import sys\nprint('said: ' + '|'.join(sys.argv[1:]))\n";
    for (command, written) in [
        ("python3 say.py ${INPUT}", "[python3, ../say.py, \"${INPUT}\"]"),
        ("python3 say.py '${INPUT}'", "[python3, ../say.py, \"${INPUT}\"]"),
        ("python3 say.py \"${INPUT}\"", "[python3, ../say.py, \"${INPUT}\"]"),
        (
            "cd . && python3 say.py '${INPUT}'",
            "[sh, -c, \"cd . && python3 say.py ''\\\"$${1}\\\"''\", sh, \"${INPUT}\"]",
        ),
    ] {
        let suite = Suite::empty().file("say.py", program);
        let made = suite.agentci(&["init", "t", "--command", command]);
        assert_eq!(made.code, Some(0), "{made:?}");
        let yaml = suite.path("t/agentci.yaml");
        let text = fs::read_to_string(&yaml).unwrap();
        assert!(text.contains(&format!("    command: {written}\n")), "{command}: {text}");
        let checked = suite.agentci(&["check", "t", "--strict", "--secrets"]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
        // The question is always one argument, never part of a script.
        let odd = r#"a \"b\" 'c' $(touch owned) `touch owned` ; touch owned"#;
        let heard = r#"a "b" 'c' $(touch owned) `touch owned` ; touch owned"#;
        let checks =
            "    checks: [{ equals: WANTED }]\n".replace("WANTED", &json!(format!("said: {heard}")).to_string());
        fs::write(&yaml, text.replace("Hello, what can you do?\"\n", &format!("{odd}\"\n{checks}"))).unwrap();
        let ran = suite.agentci(&["run", "t"]);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
        assert!(!suite.path("owned").exists() && !suite.path("t/owned").exists());
    }
}

#[test]
fn question_is_passed_to_sdk_agent_as_argument() {
    let asks = ASKS.replace("sys.stdin.read().strip()", "sys.argv[1]");
    let suite = Suite::empty().file("asks.py", asks);
    let made = suite.agentci(&["init", "t", "--kind", "sdk", "--command", "python3 asks.py '${INPUT}'"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let ran = suite.agentci(&["run", "t"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn suggests_record_command_only_for_directly_recordable_agents() {
    let suite = Suite::empty().file("bot/asks.py", ASKS);
    let recordable = |flags: &[&str]| {
        let made = suite.agentci(&[&["init", "--force"], flags].concat());
        assert_eq!(made.code, Some(0), "{made:?}");
        made.stderr.contains("agentci record -- ")
    };
    let command = ["--kind", "sdk", "--command", "python3 bot/asks.py"];
    assert!(recordable(&command));
    suite
        .agentci(&[&["init", "--force"], &command[..]].concat())
        .complains(&["\n  agentci record -- python3 bot/asks.py\n"]);
    // An agent that needs its question as an argument, and other kinds, cannot be recorded as they are.
    assert!(!recordable(&["--kind", "sdk", "--command", "python3 bot/asks.py '${INPUT}'"]));
    assert!(!recordable(&["--kind", "command", "--command", "python3 bot/asks.py"]));
    assert!(!recordable(&["--kind", "sdk"]));
}

#[test]
fn sdk_agent_calls_the_scripted_model() {
    let suite = passes(&["--kind", "sdk", "--command", "python3 bot/asks.py"]);
    let events = read_events(&run_folders(&suite.path(".agentci/runs"))[0].join("run.jsonl"));
    assert!(events.iter().any(|event| event["type"] == "model_call"), "{events:?}");
    // Without the script it has no model, and the case reports that.
    let yaml = suite.path("evals/first/agentci.yaml");
    let text = fs::read_to_string(&yaml).unwrap().replace("  model: { script: model.yaml }\n", "  tools: {}\n");
    fs::write(&yaml, text).unwrap();
    let ran = suite.agentci(&["run", "evals", "--output-dir", "without"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["the agent ended with exit code 1", "KeyError: 'OPENAI_BASE_URL'"]);
}

#[test]
fn http_servers_are_called_or_started() {
    let url = listen(|asked| Some(Answer(200, "", json!({ "answer": asked.body["question"] }).to_string())));
    passes(&["--kind", "http", "--url", &format!("{url}/ask")]);
    let server = r#"
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"answer": asked["question"]}).encode())
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Agent).serve_forever()
"#;
    let suite = Suite::empty().file("server.py", server);
    let url = "http://127.0.0.1:${PORT}/ask";
    let made = suite.agentci(&["init", "t", "--kind", "http", "--url", url, "--command", "python3 server.py"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let ran = suite.agentci(&["run", "t"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The suite offers a scripted model in a comment. This server never calls it, so the case fails once it is enabled.
    let yaml = suite.path("t/agentci.yaml");
    let text = fs::read_to_string(&yaml).unwrap();
    let world = "world: { model: { script: model.yaml } }\n";
    assert!(text.contains(&format!("# {world}")) && suite.path("t/model.yaml").exists(), "{text}");
    fs::write(&yaml, text.replace(&format!("# {world}"), world)).unwrap();
    let ran = suite.agentci(&["run", "t"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["(model_never_asked)"]);
}

#[test]
fn agui_and_a2a_servers_are_called() {
    let shop = Server::start("conversations/server.py");
    passes(&["--kind", "agui", "--url", &shop.address]);
    let travel = Server::start("a2a/server.py");
    let suite = passes(&["--kind", "a2a", "--url", &travel.address]);
    let text = fs::read_to_string(suite.path("evals/first/agentci.yaml")).unwrap();
    assert!(text.contains(&format!("card_url: {}.well-known/agent-card.json\n", travel.address)), "{text}");
    passes(&["--kind", "a2a", "--url", &format!("{}.well-known/agent-card.json", travel.address)]);
}

#[test]
fn mcp_servers_are_started_or_called() {
    passes(&["--kind", "mcp", "--command", &format!("python3 {}", example("mcp/server.py").display())]);
    let url = listen(|asked| {
        let result = match asked.body["method"].as_str()? {
            "initialize" => {
                json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "x", "version": "1" } })
            }
            "tools/list" => json!({ "tools": [] }),
            _ => return Some(Answer(202, "", String::new())),
        };
        let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result });
        Some(Answer(200, "content-type: application/json\r\n", body.to_string()))
    });
    passes(&["--kind", "mcp", "--url", &format!("{url}/mcp")]);
}

#[test]
fn unreachable_agent_is_reported_with_its_location() {
    for (flags, line, words) in [
        (["--kind", "command", "--command", "no-such-agent"], "command: [no-such-agent]", "`no-such-agent` not found"),
        (["--kind", "mcp", "--command", "no-such-agent"], "command: [no-such-agent]", "`no-such-agent` not found"),
        (["--kind", "http", "--url", "http://127.0.0.1:1/"], "url: http://127.0.0.1:1/", "nothing is listening"),
        (["--kind", "agui", "--url", "http://127.0.0.1:1/"], "endpoint: http://127.0.0.1:1/", "nothing is listening"),
        (["--kind", "a2a", "--url", "http://127.0.0.1:1/x"], "endpoint: http://127.0.0.1:1/x", "nothing is listening"),
    ] {
        let suite = Suite::empty();
        let mut arguments = vec!["init", "t"];
        arguments.extend(flags);
        assert_eq!(suite.agentci(&arguments).code, Some(0));
        assert_eq!(suite.agentci(&["check", "t"]).code, Some(0));
        let ran = suite.agentci(&["run", "t"]);
        assert_eq!(ran.code, Some(1), "{flags:?}: {ran:?}");
        ran.says(&[line, words, "(unreachable)", "help: "]);
    }
}

#[test]
fn refuses_incompatible_flags_without_writing_files() {
    for (flags, message, help) in [
        (&["--url", "http://x/"][..], "`--url` requires `--kind`", "add `--kind http`"),
        (&["--kind", "agui", "--command", "x"], "of kind `agui` has no command", "with `--url`"),
        (&["--kind", "command", "--url", "http://x/"], "of kind `command` has no URL", "with `--command`"),
        (&["--kind", "prompts", "--command", "x"], "of kind `prompts` has no command", "leave it out"),
        (&["--kind", "http", "--command", "x"], "also needs `--url`", "--url"),
        (
            &["--kind", "mcp", "--command", "x", "--url", "http://x/"],
            "either a command or a URL",
            "either `--command` or `--url`",
        ),
        (&["--kind", "http", "--url", "localhost:80"], "`localhost:80` is not a URL", "include the scheme"),
        (&["--command", "x 'y"], "a quote in the command is not closed", "as you would type it"),
    ] {
        let suite = Suite::empty();
        let mut arguments = vec!["init", "t"];
        arguments.extend(flags);
        let ran = suite.agentci(&arguments);
        assert_eq!(ran.code, Some(1), "{flags:?}: {ran:?}");
        ran.complains(&[message, help]);
        assert!(!suite.path("t").exists());
    }
    assert_eq!(Suite::empty().agentci(&["init", "--kind", "telepathy"]).code, Some(1));
    assert_eq!(Suite::empty().agentci(&["init", "--command", ""]).code, Some(2));
}

#[test]
fn template_placeholders_in_user_input_are_kept() {
    let suite = passes(&["--command", "python3 bot/agent.py '@work@' 'x @url@ @suite@' \"\\d+\""]);
    let text = std::fs::read_to_string(suite.path("evals/first/agentci.yaml")).unwrap();
    assert!(text.contains(r#""@work@", "x @url@ @suite@", "\\d+"]"#), "{text}");
}
