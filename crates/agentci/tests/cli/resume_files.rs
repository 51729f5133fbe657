//! `--resume`: which files belong to a case, so that it is run again if one of them changes.

use std::path::{Path, PathBuf};

use crate::ran::run_folders;
use crate::suite::Suite;

/// A program that answers its task.
const AGENT: &str = "read -r task\necho '{\"type\":\"final_output\",\"output\":{\"say\":\"ok\"}}'\n";

/// A scripted model.
const MODEL: &str = "default: ok\n";

const PROCESS: &str = "target: { process: { command: [sh, agent.sh] } }\n";

/// A suite of `a`, which finishes, and `z`, which does not: its hook fails.
fn suite(head: &str, of_both: &str) -> Suite {
    let hook = "hooks: [{ command: [\"false\"] }]";
    let yaml = format!("suite: suite\n{head}cases:\n  - {{ id: a, {of_both} }}\n  - {{ id: z, {of_both}, {hook} }}\n");
    Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.sh", AGENT)
}

/// The run folder of the first run.
fn first_run(suite: &Suite) -> PathBuf {
    let ran = suite.agentci(&["run", "suite", "--output-dir", "first"]);
    ran.says(&["ERROR z"]);
    run_folders(&suite.path("first")).remove(0)
}

fn resume(suite: &Suite, run: &Path) -> crate::ran::Ran {
    suite.agentci(&["run", "suite", &format!("--resume={}", run.display())])
}

/// Checks that a case is kept until a file changes.
fn belongs(suite: Suite, path: &str, changed: &str) {
    let run = first_run(&suite);
    resume(&suite, &run).complains(&["1 case kept, 1 case to run"]);
    let suite = suite.file(path, changed);
    let resumed = resume(&suite, &run);
    resumed.complains(&["0 cases kept, 2 cases to run", "changed: a\n"]);
}

#[test]
fn files_of_commands_are_searched_where_the_programs_run() {
    let other = format!("# another\n{AGENT}");
    let in_folder = "target: { process: { command: [sh, main.sh], folder: work } }\n";
    belongs(suite(in_folder, "input: {}").file("suite/work/main.sh", AGENT), "suite/work/main.sh", &other);
    let anywhere = "target: { process: { command: [sh, main.sh] } }\n";
    belongs(suite(anywhere, "input: {}").file("main.sh", AGENT), "main.sh", &other);
    let program = "target: { process: { command: [./main.sh], folder: work } }\n";
    let suite_of_program = suite(program, "input: {}").file("suite/work/main.sh", format!("#!/bin/sh\n{AGENT}"));
    allow_to_run(&suite_of_program.path("suite/work/main.sh"));
    belongs(suite_of_program, "suite/work/main.sh", &format!("#!/bin/sh\n{other}"));
}

fn allow_to_run(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn files_of_hooks_are_searched_where_the_hooks_run() {
    let yaml = format!(
        "suite: suite\n{PROCESS}cases:\n  - {{ id: a, input: {{}}, hooks: [{{ command: [sh, hook.sh], folder: work }}] }}\n  \
         - {{ id: z, input: {{}}, hooks: [{{ command: [\"false\"] }}] }}\n"
    );
    let suite = Suite::empty().file("suite/agentci.yaml", yaml).file("suite/agent.sh", AGENT);
    belongs(suite.file("suite/work/hook.sh", "echo '{}'\n"), "suite/work/hook.sh", "echo '{ }'\n");
}

#[test]
fn files_of_assistants_belong_to_their_cases() {
    let chat = "target: { chat: { connector: { script: model.yaml }, script: index.ts, env: chat.env } }\n";
    let index = "function Next() { return null; }\n";
    let made = || {
        suite(chat, "turns: [{ user: hi }]")
            .file("suite/model.yaml", MODEL)
            .file("suite/index.ts", index)
            .file("suite/chat.env", "NAME=one\n")
    };
    belongs(made(), "suite/model.yaml", "default: no\n");
    belongs(made(), "suite/index.ts", &format!("// another\n{index}"));
    belongs(made(), "suite/chat.env", "NAME=two\n");
}

#[test]
fn files_of_judges_belong_to_all_cases() {
    let judge = "{ connector: { script: judge.yaml }, script: judge.ts }";
    let made = || {
        suite(&format!("{PROCESS}agents: {{ judge: {{ chat: {judge} }} }}\n"), "input: {}")
            .file("suite/judge.yaml", MODEL)
            .file("suite/judge.ts", "function Next() { return null; }\n")
    };
    belongs(made(), "suite/judge.yaml", "default: no\n");
    belongs(made(), "suite/judge.ts", "function Next() { return undefined; }\n");
    let program = "{ command: [sh, judge.sh], speaks: text, folder: judges }";
    let made = suite(&format!("{PROCESS}agents: {{ judge: {{ process: {program} }} }}\n"), "input: {}");
    belongs(made.file("suite/judges/judge.sh", "echo yes\n"), "suite/judges/judge.sh", "echo no\n");
}

#[test]
fn answer_files_of_routes_belong_to_their_cases() {
    let routes = "world: { tools: { bases: [SHOP], routes: { get: [{ response_file: answer.json }] } } }\n";
    let made = suite(&format!("{PROCESS}{routes}"), "input: {}").file("suite/answer.json", "{}\n");
    belongs(made, "suite/answer.json", "{\"a\":1}\n");
}
