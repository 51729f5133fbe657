//! `agentci run --watch`: re-runs affected cases when a file changes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::processes::{TELL, is_gone, signal, told};
use crate::ran::run_folders;
use crate::suite::Suite;

/// The timeout for a line that must come, long enough for a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A run with `--watch`, and its output.
struct Watching {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Watching {
    /// Starts it and waits until the first run has ended.
    fn start(suite: &Suite, arguments: &[&str]) -> Self {
        let mut watching = Self::begin(suite, arguments);
        watching.until("watching ");
        watching
    }

    fn begin(suite: &Suite, arguments: &[&str]) -> Self {
        // One pipe for both streams, so that lines arrive in the order in which they are written.
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = suite.command(arguments);
        let child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
        let (sender, lines) = channel();
        listen(reader, sender);
        Self { child, lines, heard: Vec::new() }
    }

    /// The output up to the next line that begins with `start`.
    #[track_caller]
    fn until(&mut self, start: &str) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line = line.unwrap_or_else(|error| panic!("{error}: no {start:?} after {:#?}", self.heard));
            self.heard.push(line.clone());
            said.push(line);
            if said.last().is_some_and(|line| line.starts_with(start)) {
                return said;
            }
        }
    }

    /// Asserts that the next run has this header; returns its output.
    #[track_caller]
    fn runs_for(&mut self, header: &str) -> Vec<String> {
        let first = self.until("changed: ");
        assert_eq!(first.last().map(String::as_str), Some(header), "{:#?}", self.heard);
        self.until("watching ")
    }

    /// Interrupts it and asserts its exit code.
    #[track_caller]
    fn end(mut self) {
        assert!(signal(self.child.id(), "INT"));
        assert_eq!(self.child.wait().unwrap().code(), Some(130), "{:#?}", self.heard);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn listen(stream: impl Read + Send + 'static, sender: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
}

fn has(said: &[String], start: &str) -> bool {
    said.iter().any(|line| line.starts_with(start))
}

const TAPE: &str = r#"{"tool":"search","args":{},"ok":true,"result":1}"#;

/// A suite of three cases, each in its own file.
fn three() -> Suite {
    let finish = "finish '{\"ok\":true}'";
    Suite::new().case("one", "", finish).case("two", "", &format!("call search '{{}}'\n{finish}")).tape("two", TAPE)
}

#[test]
fn saving_a_case_or_its_cassette_runs_that_case() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    let case = suite.path("suite/cases/one.yaml");
    let text = fs::read_to_string(&case).unwrap();
    fs::write(&case, format!("{text}assertions: [{{ type: required_fields, fields: [answer] }}]\n")).unwrap();
    let said = watching.runs_for("changed: suite/cases/one.yaml, running 1 of 3 cases");
    assert!(has(&said, "FAIL one (") && !has(&said, "PASS two (") && !has(&said, "PASS good ("), "{said:#?}");
    assert!(has(&said, "run it again: agentci run suite --case one"), "{said:#?}");
    fs::write(suite.path("suite/cassettes/two.jsonl"), format!("{TAPE}\n{TAPE}\n")).unwrap();
    let said = watching.runs_for("changed: suite/cassettes/two.jsonl, running 1 of 3 cases");
    assert!(has(&said, "PASS two ("), "{said:#?}");
    watching.end();
    assert_eq!(run_folders(&suite.path(".agentci/runs")).len(), 3);
}

#[test]
fn saving_a_program_runs_suites_that_use_it() {
    let other = "suite: other\ntarget: { process: { command: [\"${ENV.AGENTCI}\", demo-agent] } }\n\
                 world: { tools: { cassette: tape.jsonl } }\ncases: [{ id: asks, input: { question: x } }]\n";
    let tape = "{\"tool\":\"search_docs\",\"args\":{\"q\":\"x\"},\"ok\":true,\"result\":{\"hits\":[{\"title\":\"t\",\"snippet\":\"s\"}]}}";
    let suite = Suite::native("cases: [{ id: a, input: {} }, { id: b, input: {} }]\n")
        .agent("a", "finish '{}'")
        .agent("b", "finish '{}'")
        .file("other/agentci.yaml", other)
        .file("other/tape.jsonl", tape);
    let yaml = suite.path("suite/agentci.yaml");
    suite.write();
    // The agent is in a folder beside the suite, with another source file.
    let text = fs::read_to_string(&yaml).unwrap().replace("agent.sh", "../bot/agent.sh");
    fs::write(&yaml, text).unwrap();
    fs::create_dir(suite.path("bot")).unwrap();
    fs::rename(suite.path("suite/agent.sh"), suite.path("bot/agent.sh")).unwrap();
    let suite = suite.file("bot/lib/words.py", "").file("bot/prompt.md", "").file("bot/notes.bin", "");
    let mut watching = Watching::start(&suite, &["run", "suite", "other", "--watch"]);
    let agent = suite.path("bot/agent.sh");
    fs::write(&agent, fs::read_to_string(&agent).unwrap() + "\n# more\n").unwrap();
    let said = watching.runs_for("changed: bot/agent.sh, running 2 of 3 cases");
    assert!(has(&said, "PASS a (") && has(&said, "PASS b (") && !has(&said, "PASS asks ("), "{said:#?}");
    // Its prompts count as well.
    fs::write(suite.path("bot/prompt.md"), "new").unwrap();
    watching.runs_for("changed: bot/prompt.md, running 2 of 3 cases");
    // A file that is not source code triggers nothing; only the next change is named.
    fs::write(suite.path("bot/notes.bin"), "new").unwrap();
    fs::write(suite.path("bot/lib/words.py"), "new").unwrap();
    watching.runs_for("changed: bot/lib/words.py, running 2 of 3 cases");
    fs::write(suite.path("other/tape.jsonl"), format!("{tape}\n")).unwrap();
    watching.runs_for("changed: other/tape.jsonl, running 1 of 3 cases");
    watching.end();
}

#[test]
fn saving_a_python_check_or_a_module_that_it_imports_runs_its_suite() {
    let yaml = "checks: [{ script: { file: checks/check.py, function: f } }]\ncases: [{ id: a, input: {} }]\n";
    let check = "from words import FINE\ndef f(output): return FINE\n";
    let suite = Suite::native(yaml)
        .agent("a", "finish '{}'")
        .file("suite/checks/check.py", check)
        .file("suite/checks/words.py", "FINE = True\n");
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    fs::write(suite.path("suite/checks/check.py"), check.replace("return FINE", "return False")).unwrap();
    let said = watching.runs_for("changed: suite/checks/check.py, running 1 of 1 case");
    assert!(has(&said, "FAIL a ("), "{said:#?}");
    fs::write(suite.path("suite/checks/check.py"), check).unwrap();
    let said = watching.runs_for("changed: suite/checks/check.py, running 1 of 1 case");
    assert!(has(&said, "PASS a ("), "{said:#?}");
    fs::write(suite.path("suite/checks/words.py"), "FINE = None\n").unwrap();
    let said = watching.runs_for("changed: suite/checks/words.py, running 1 of 1 case");
    assert!(has(&said, "FAIL a ("), "{said:#?}");
    watching.end();
}

#[test]
fn broken_file_is_reported_and_still_watched() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    let path = suite.path("suite/suite.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}budgets: [\n")).unwrap();
    let said = watching.runs_for("changed: suite/suite.yaml");
    assert!(has(&said, "error: `[` is never closed") && has(&said, "  --> suite/suite.yaml:"), "{said:#?}");
    fs::write(&path, &text).unwrap();
    let said = watching.runs_for("changed: suite/suite.yaml, running 3 of 3 cases");
    assert!(has(&said, "PASS good ("), "{said:#?}");
    fs::write(suite.path("suite/cases/two.yaml"), "id: two\n").unwrap();
    let said = watching.runs_for("changed: suite/cases/two.yaml, running 1 of 3 cases");
    assert!(has(&said, "ERROR two (") && said.iter().any(|line| line.contains("needs `input`")), "{said:#?}");
    watching.end();
}

#[test]
fn initially_broken_suite_runs_once_fixed() {
    let suite = Suite::native("cases: [{ id: a, input: {} }\n").agent("a", "finish '{}'");
    let mut watching = Watching::begin(&suite, &["run", "suite", "--watch"]);
    assert!(has(&watching.until("watching "), "error: "));
    let path = suite.path("suite/agentci.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("input: {} }", "input: {} }]")).unwrap();
    let said = watching.runs_for("changed: suite/agentci.yaml, running 1 of 1 case");
    assert!(has(&said, "PASS a ("), "{said:#?}");
    watching.end();
}

#[test]
fn detects_replaced_deleted_and_recreated_files() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    let case = suite.path("suite/cases/one.yaml");
    let text = fs::read_to_string(&case).unwrap();
    // As an editor saves: a file of the same size is renamed into place.
    fs::write(suite.path("suite/cases/.one.yaml.new"), &text).unwrap();
    fs::rename(suite.path("suite/cases/.one.yaml.new"), &case).unwrap();
    watching.runs_for("changed: suite/cases/one.yaml, running 1 of 3 cases");
    fs::remove_file(&case).unwrap();
    watching.runs_for("changed: suite/cases/one.yaml, nothing to run");
    fs::write(&case, &text).unwrap();
    let said = watching.runs_for("changed: suite/cases/one.yaml, running 1 of 3 cases");
    assert!(has(&said, "PASS one ("), "{said:#?}");
    fs::remove_file(suite.path("suite/cassettes/two.jsonl")).unwrap();
    let said = watching.runs_for("changed: suite/cassettes/two.jsonl, running 1 of 3 cases");
    assert!(has(&said, "ERROR two (") || has(&said, "FAIL two ("), "{said:#?}");
    watching.end();
}

#[test]
fn files_saved_together_trigger_one_run_including_new_suites() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", ".", "--watch"]);
    let new = "target: { mock: { model_name: m } }\ncases: [{ id: x, turns: [{ user: hi }] }]\n";
    let suite = suite
        .file("outside/a/agentci.yaml", format!("suite: a\n{new}"))
        .file("outside/b/agentci.yaml", format!("suite: b\n{new}"));
    let said = watching.until("changed: ");
    let header = said.last().unwrap();
    // The files are written one after the other, so a slow machine may see them one after the other.
    if header == "changed: outside/a/agentci.yaml, running 1 of 4 cases" {
        watching.until("watching ");
        watching.runs_for("changed: outside/b/agentci.yaml, running 1 of 5 cases");
    } else {
        assert_eq!(header, "changed: outside/a/agentci.yaml, outside/b/agentci.yaml, running 2 of 5 cases");
        watching.until("watching ");
    }
    // A rename changes both at once.
    fs::rename(suite.path("outside"), suite.path("inside")).unwrap();
    let said = watching.until("changed: ");
    assert_eq!(
        said.last().unwrap(),
        "changed: inside/a/agentci.yaml, inside/b/agentci.yaml, outside/a/agentci.yaml, 1 more, running 2 of 5 cases"
    );
    watching.until("watching ");
    watching.end();
}

#[test]
fn files_written_by_runs_trigger_nothing() {
    let suite = Suite::native("cases: [{ id: a, input: {} }]\noutput_dir: runs\n")
        .agent("a", "echo \"$task\" >> suite/agent.log\nfinish '{}'")
        .file("suite/data.txt", "");
    let arguments = ["run", "suite", "--watch", "-o", "suite/out.json", "--report", "csv=suite/out.csv"];
    let mut watching = Watching::start(&suite, &arguments);
    for text in ["one", "three", "five!!"] {
        // Only the saved file is named, neither the agent's log nor a report.
        fs::write(suite.path("suite/data.txt"), text).unwrap();
        watching.runs_for("changed: suite/data.txt, running 1 of 1 case");
    }
    watching.end();
    assert_eq!(fs::read_to_string(suite.path("suite/agent.log")).unwrap().lines().count(), 4);
}

#[test]
fn program_generated_by_each_run_does_not_loop() {
    let suite = Suite::native("cases: [{ id: a, input: {} }]\n")
        .agent("a", "echo \"# $$\" >> suite/made.py\nfinish '{}'")
        .file("suite/data.txt", "");
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    watching.runs_for("changed: suite/made.py, running 1 of 1 case");
    fs::write(suite.path("suite/data.txt"), "new").unwrap();
    watching.runs_for("changed: suite/data.txt, running 1 of 1 case");
    watching.end();
}

#[test]
fn agent_rewritten_by_each_run_does_not_loop() {
    let suite = Suite::native("cases: [{ id: a, input: {} }]\n")
        .agent("a", "echo \"# $$\" >> \"$0\"\nfinish '{}'")
        .file("suite/data.txt", "");
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    watching.runs_for("changed: suite/agent.sh, running 1 of 1 case");
    fs::write(suite.path("suite/data.txt"), "new").unwrap();
    watching.runs_for("changed: suite/data.txt, running 1 of 1 case");
    watching.end();
}

#[test]
fn output_redirected_into_suite_directory_does_not_loop() {
    let suite = Suite::native("cases: [{ id: a, input: {} }]\n").agent("a", "finish '{}'").file("suite/data.txt", "");
    let mut command = suite.command(&["run", "suite", "--watch"]);
    let log = suite.path("suite/watch.log");
    let said = fs::File::create(&log).unwrap();
    let mut child = command.stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap();
    // Files written during a run count as written by the agent, so wait for each run to end before saving the next
    // file.
    let after_runs = |runs: usize| {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = fs::read_to_string(&log).unwrap();
            if text.matches("watching ").count() >= runs {
                return text;
            }
            assert!(Instant::now() < deadline, "not {runs} runs in {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    after_runs(1);
    fs::write(suite.path("suite/data.txt"), "new").unwrap();
    after_runs(2);
    fs::write(suite.path("suite/more.txt"), "new").unwrap();
    let text = after_runs(3);
    assert!(text.contains("changed: suite/data.txt, running"), "{text}");
    assert!(text.contains("changed: suite/more.txt, running"), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!text.contains("watch.log"), "{text}");
}

#[test]
fn recordings_do_not_trigger_themselves() {
    let suite = Suite::native(
        "world:\n  tools:\n    cassette: \"tapes/{case}.jsonl\"\n    live: { search: { command: [echo, '1'] } }\n\
         cases: [{ id: a, input: {} }, { id: b, input: {} }]\n",
    )
    .agent("a", "call search '{}'\nfinish '{}'")
    .agent("b", "call search '{}'\nfinish '{}'");
    let mut watching = Watching::start(&suite, &["record", "suite", "--watch"]);
    assert!(suite.path("suite/tapes/a.jsonl").exists());
    let yaml = suite.path("suite/agentci.yaml");
    fs::write(&yaml, fs::read_to_string(&yaml).unwrap() + "# more\n").unwrap();
    watching.runs_for("changed: suite/agentci.yaml, running 2 of 2 cases");
    fs::remove_file(suite.path("suite/tapes/b.jsonl")).unwrap();
    watching.runs_for("changed: suite/tapes/b.jsonl, running 1 of 2 cases");
    assert!(suite.path("suite/tapes/b.jsonl").exists());
    watching.end();
}

#[test]
fn case_selection_applies_to_every_run() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch", "--case", "one", "--case", "good"]);
    let two = suite.path("suite/cases/two.yaml");
    fs::write(&two, fs::read_to_string(&two).unwrap() + "\n").unwrap();
    watching.runs_for("changed: suite/cases/two.yaml, nothing to run");
    fs::write(suite.path("suite/schema.json"), "{}").unwrap();
    let said = watching.runs_for("changed: suite/schema.json, running 2 of 2 cases");
    assert!(has(&said, "PASS one (") && !has(&said, "PASS two ("), "{said:#?}");
    watching.end();
}

#[test]
fn file_saved_during_a_run_triggers_another_run() {
    let wait = "echo > started\nwhile [ ! -e go ]; do sleep 0.05; done\nfinish '{}'";
    let suite = Suite::native("cases: [{ id: a, input: {} }]\n").agent("a", wait);
    let mut watching = Watching::begin(&suite, &["run", "suite", "--watch"]);
    crate::processes::wait_for(|| suite.path("started").exists().then_some(())).unwrap();
    let yaml = suite.path("suite/agentci.yaml");
    fs::write(&yaml, fs::read_to_string(&yaml).unwrap() + "# more\n").unwrap();
    fs::write(suite.path("go"), "").unwrap();
    watching.runs_for("changed: suite/agentci.yaml, running 1 of 1 case");
    watching.end();
}

#[test]
fn interrupt_during_a_run_stops_the_agent() {
    let suite =
        Suite::native("cases: [{ id: a, input: {} }]\n").agent("a", &format!("{TELL}tell agent.pid $$\nsleep 600"));
    let watching = Watching::begin(&suite, &["run", "suite", "--watch"]);
    let agent = told(&suite.path("agent.pid"));
    watching.end();
    assert!(is_gone(agent));
}

#[test]
fn refuses_flags_that_conflict_with_watch() {
    let suite = three();
    for flags in [&["--shard", "1/2"][..], &["--dry-run"], &["--json"]] {
        let mut arguments = vec!["run", "suite", "--watch"];
        arguments.extend(flags);
        let ran = suite.agentci(&arguments);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.complains(&["cannot be used with", flags[0]]);
    }
    let ran = suite.agentci(&["run", "nowhere", "--watch"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["nowhere"]);
}

/// A file that is saved again and again still triggers a run.
#[test]
fn constantly_saved_file_still_triggers_a_run() {
    let suite = three();
    let mut watching = Watching::start(&suite, &["run", "suite", "--watch"]);
    let case = suite.path("suite/cases/one.yaml");
    let text = fs::read_to_string(&case).unwrap();
    let (stop, stopped) = channel::<()>();
    let saver = std::thread::spawn(move || {
        let mut number = 0;
        while stopped.try_recv().is_err() {
            number += 1;
            fs::write(&case, format!("{text}# {number}\n")).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    watching.until("changed: suite/cases/one.yaml");
    stop.send(()).unwrap();
    saver.join().unwrap();
}
