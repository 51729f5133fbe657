//! A suite in a temporary folder that is removed with the test.
//!
//! Every suite of [`Suite::new`] has a case `good` that passes, so that each test also shows that a bad case does not
//! affect others. The agent is a shell script: it reads its task into `$task` and then runs the script for that case.
//! It can use `say LINE`, `call TOOL ARGS` (the answer is in `$answer`) and `finish OUTPUT`. Its working directory is
//! the test's folder.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::ran::Ran;
use crate::surroundings::on_a_desk;

const PREAMBLE: &str = r#"
number=0
say() { printf '%s\n' "$1"; }
call() {
  number=$((number + 1))
  say "{\"type\":\"tool_call\",\"name\":\"$1\",\"call_id\":\"c$number\",\"args\":$2}"
  read -r answer
}
finish() { say "{\"type\":\"final_output\",\"output\":$1}"; }
read -r task
"#;

/// The files of a test, with methods to run the binary on them.
pub(crate) struct Suite {
    root: Rc<TempDir>,
    settings: String,
    agent: String,
}

impl Suite {
    /// A folder without any suite.
    pub(crate) fn empty() -> Self {
        Self { root: Rc::new(tempfile::tempdir().unwrap()), settings: String::new(), agent: String::new() }
    }

    /// A `RunLedger` suite named `suite` in a folder with that name, with the case `good`.
    pub(crate) fn new() -> Self {
        Self::empty().case("good", "", r#"finish '{"ok":true}'"#)
    }

    /// A native suite: `yaml` follows its name and target.
    pub(crate) fn native(yaml: &str) -> Self {
        let head = "suite: suite\ntarget: { process: { command: [sh, agent.sh] } }\n";
        Self::empty().file("suite/agentci.yaml", format!("{head}{yaml}"))
    }

    /// Adds a case file with `yaml` after its id and cassette, and the agent's script for it.
    pub(crate) fn case(self, id: &str, yaml: &str, script: &str) -> Self {
        let input = if yaml.contains("input:") { "" } else { "input: {}\n" };
        let text = format!("id: {id}\n{input}cassette: cassettes/{id}.jsonl\n{yaml}\n");
        self.file(&format!("suite/cases/{id}.yaml"), text).tape(id, "").agent(id, script)
    }

    /// Sets the agent's script for a case.
    pub(crate) fn agent(mut self, id: &str, script: &str) -> Self {
        // The last script comes first, so that it replaces an earlier one for the case.
        self.agent = format!("*'\"task_id\":\"{id}\"'*)\n{script}\n;;\n{}", self.agent);
        self
    }

    /// Adds lines to `suite.yaml`.
    pub(crate) fn setting(mut self, yaml: &str) -> Self {
        writeln!(self.settings, "{yaml}").unwrap();
        self
    }

    /// Writes the cassette of a case.
    pub(crate) fn tape(self, id: &str, lines: &str) -> Self {
        self.file(&format!("suite/cassettes/{id}.jsonl"), lines)
    }

    /// Writes any other file.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// The folder in which the binary runs.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Runs `agentci run suite` with more arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Ran {
        let mut arguments = vec!["run", "suite"];
        arguments.extend(more);
        self.agentci(&arguments)
    }

    /// Runs `agentci` with these arguments.
    pub(crate) fn agentci(&self, arguments: &[&str]) -> Ran {
        let started = Instant::now();
        let output = self.command(arguments).output().unwrap();
        self.ran(&output, started.elapsed())
    }

    /// The result of a run, which keeps the folder alive.
    pub(crate) fn ran(&self, output: &Output, took: Duration) -> Ran {
        Ran::new(Rc::clone(&self.root), output, took)
    }

    /// The command, not yet started: in the test's folder, without variables of the environment that change the output.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.write();
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentci"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null()).env("TERM", "dumb");
        on_a_desk(&mut command);
        command
    }

    /// Writes the agent and, unless it exists, `suite.yaml`.
    pub(crate) fn write(&self) {
        if !self.path("suite").is_dir() {
            return;
        }
        let script = format!("{PREAMBLE}case $task in\n{}esac\n", self.agent);
        let path = self.path("suite/agent.sh");
        // A concurrent run may be reading it.
        if fs::read_to_string(&path).is_ok_and(|written| written == script) {
            return;
        }
        fs::write(path, script).unwrap();
        if self.path("suite/cases").is_dir() && !self.path("suite/suite.yaml").exists() {
            let usual = [
                ("suite_name:", "suite_name: suite"),
                ("agent_command:", "agent_command: [sh, agent.sh]"),
                ("mode:", "mode: replay"),
                ("cases_path:", "cases_path: cases"),
                ("tool_registry:", "tool_registry: [search, create]"),
            ];
            let said = |key: &str| self.settings.lines().any(|line| line.starts_with(key));
            let lines: Vec<&str> = usual.iter().filter(|(key, _)| !said(key)).map(|(_, line)| *line).collect();
            fs::write(self.path("suite/suite.yaml"), format!("{}\n{}", lines.join("\n"), self.settings)).unwrap();
        }
    }
}
