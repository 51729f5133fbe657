//! The suites that `agentci init` writes pass without changes.

use std::fs;
use std::net::{TcpListener, TcpStream};

use crate::suite::Suite;

/// Every kind of agent, and how many cases its example has.
const KINDS: [(&str, usize); 8] =
    [("command", 2), ("http", 2), ("agui", 1), ("a2a", 1), ("mcp", 2), ("sdk", 2), ("prompts", 2), ("answers", 4)];

#[test]
fn example_of_every_kind_is_valid_and_passes() {
    for (kind, cases) in KINDS {
        let suite = Suite::empty();
        let made = suite.agentci(&["init", "--kind", kind]);
        assert_eq!((made.code, made.stdout.as_str()), (Some(0), ""), "{made:?}");
        let next = "next steps:\n  agentci check agent-tests\n  agentci run agent-tests\n";
        assert!(made.stderr.ends_with(next), "{made:?}");
        let checked = suite.agentci(&["check", "agent-tests", "--strict", "--secrets"]);
        assert_eq!((checked.code, checked.stderr.as_str()), (Some(0), ""), "{kind}: {checked:?}");
        let in_ci = suite.command(&["run", "agent-tests", "--output-dir", "in-ci"]).env("CI", "true").output().unwrap();
        assert!(in_ci.status.success(), "{kind}: {in_ci:?}");
        let checked =
            suite.command(&["check", "agent-tests", "--strict", "--secrets"]).env("CI", "true").output().unwrap();
        assert!(checked.status.success(), "{kind}: {checked:?}");
        let ran = suite.agentci(&["run", "agent-tests"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{kind}: {ran:?}");
        let passed = ran.verdicts().iter().filter(|verdict| verdict.1 == "pass").count();
        assert_eq!(passed, cases, "{kind}: {ran:?}");
        if kind != "answers" {
            let text = fs::read_to_string(suite.path("agent-tests/agentci.yaml")).unwrap();
            assert!(text.contains("\nsuite: agent-tests\n") && !text.contains('@'), "{text}");
        }
    }
}

#[test]
fn without_terminal_and_kind_nothing_is_written() {
    let suite = Suite::empty();
    for arguments in [&["init"][..], &["init", "t"], &["init", "--force"]] {
        let ran = suite.agentci(arguments);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["cannot ask for the kind of your agent without a terminal", "set it with `--kind KIND`: "]);
        for (kind, _) in KINDS {
            ran.complains(&[&format!("`{kind}`")]);
        }
        assert_eq!(fs::read_dir(suite.root()).unwrap().count(), 0);
    }
}

#[test]
fn help_names_every_kind() {
    let help = Suite::empty().agentci(&["init", "--help"]);
    for (kind, _) in KINDS {
        help.says(&[kind]);
    }
}

/// Checks that an example can be recorded and replayed, as its comments say.
fn records_and_plays(kind: &str) {
    let suite = Suite::empty();
    assert_eq!(suite.agentci(&["init", "t", "--kind", kind]).code, Some(0));
    // Remove the existing recordings, so that only the new ones are replayed.
    for folder in ["t/cassettes", "t/recordings"] {
        drop(fs::remove_dir_all(suite.path(folder)));
    }
    let recorded = suite.agentci(&["record", "t", "--output-dir", "elsewhere"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let played = suite.agentci(&["run", "t", "--mode", "replay"]);
    assert_eq!(played.code, Some(0), "{played:?}");
    let passed = played.verdicts().iter().filter(|verdict| verdict.1 == "pass").count();
    assert_eq!(KINDS.iter().find(|known| known.0 == kind), Some(&(kind, passed)), "{played:?}");
}

#[test]
fn command_example_can_be_recorded() {
    records_and_plays("command");
}

/// The parent of `agentci` may pass on open connections, as some CI runners do. They do not belong to the agent.
#[test]
fn records_server_despite_inherited_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let inherited = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).unwrap();
    let yaml = r#"suite: t
target:
  http:
    url: "http://127.0.0.1:${PORT}/v1/chat/completions"
    body: { model: demo, messages: [{ role: user, content: "${INPUT.question}" }] }
    command: ["${ENV.AGENTCI}", serve, llm, server.yaml, --port, "${PORT}"]
world: { recording: "recordings/{case}.jsonl" }
cases: [{ id: a, input: { question: Hello }, checks: [{ contains: help you }] }]
"#;
    let server = "rules: [{ when: { user: Hello }, reply: How can I help you? }]\n";
    let suite = Suite::empty().file("t/agentci.yaml", yaml).file("t/server.yaml", server);
    let recorded = suite.agentci(&["record", "t", "--output-dir", "elsewhere"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
}

#[test]
fn tools_snapshot_is_created_by_record_and_then_compared() {
    let suite = Suite::empty();
    assert_eq!(suite.agentci(&["init", "t", "--kind", "mcp"]).code, Some(0));
    let (snapshot, yaml) = (suite.path("t/tools.json"), suite.path("t/agentci.yaml"));
    let written = fs::read(&snapshot).unwrap();
    fs::remove_file(&snapshot).unwrap();
    let missing = suite.agentci(&["run", "t"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    missing.says(&["the snapshot `t/tools.json` does not exist: create it with `agentci record`"]);
    assert!(!snapshot.exists(), "only recording makes one");
    // The other case has nothing to record and still runs, even in CI, because nothing it calls costs money.
    let recorded = suite.command(&["record", "t"]).env("CI", "true").output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    let made = fs::read(&snapshot).unwrap();
    let json = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
    assert_eq!(json(&made), json(&written));
    assert_eq!(suite.agentci(&["run", "t"]).code, Some(0));
    // A changed tool fails the case; `record` does not overwrite the snapshot.
    fs::write(&snapshot, String::from_utf8(made).unwrap().replace("\"string\"", "\"integer\"")).unwrap();
    for command in ["run", "record"] {
        let changed = suite.agentci(&[command, "t"]);
        assert_eq!(changed.code, Some(1), "{changed:?}");
        changed.says(&["the tool `search_docs` changed: at /inputSchema/properties/q/type"]);
    }
    // Without a snapshot check there is nothing to record.
    let text = fs::read_to_string(&yaml).unwrap().replace("mcp:list: { snapshot: tools.json }", "mcp:list: {}");
    fs::write(&yaml, text).unwrap();
    let nothing = suite.agentci(&["record", "t"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    nothing.says(&["the case has no `recording` to record to", "`mcp:list: { snapshot: tools.json }`"]);
}

#[test]
fn prompts_example_can_be_recorded() {
    records_and_plays("prompts");
}

/// Lines that are commented out are the user's next steps, so they must be valid too.
#[test]
fn commented_out_next_steps_are_valid() {
    for arguments in [
        ["--kind", "command", "--command", "agent"],
        ["--kind", "http", "--url", "http://127.0.0.1:1/"],
        ["--kind", "agui", "--url", "http://127.0.0.1:1/"],
        ["--kind", "a2a", "--url", "http://127.0.0.1:1/"],
        ["--kind", "mcp", "--command", "server"],
        ["--kind", "sdk", "--command", "agent"],
        ["--kind", "command", "--command", "agent '${INPUT}'"],
    ] {
        // The file that `record` would write.
        let suite = Suite::empty().file("t/cassettes/answers.jsonl", "");
        let mut words = vec!["init", "t"];
        words.extend(arguments);
        assert_eq!(suite.agentci(&words).code, Some(0));
        let mut taken = 0;
        for name in ["t/agentci.yaml", "t/model.yaml"].map(|name| suite.path(name)).iter().filter(|name| name.exists())
        {
            let text = fs::read_to_string(name).unwrap();
            fs::write(name, without_signs(&text, &mut taken)).unwrap();
        }
        assert!(taken > 0, "{arguments:?} has no next step");
        let checked = suite.agentci(&["check", "t"]);
        assert_eq!(checked.code, Some(0), "{arguments:?}: {checked:?}");
    }
}

/// Uncomments lines of YAML as an editor does: removes `#` and one space.
fn without_signs(text: &str, taken: &mut usize) -> String {
    let yaml = |rest: &str| {
        let key = rest.trim_start().trim_start_matches("- ");
        let name = key.split(':').next().filter(|name| key.len() > name.len());
        name.is_some_and(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'))
    };
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.split_once("# ").filter(|(before, rest)| before.trim().is_empty() && yaml(rest)) {
            Some((indent, rest)) => {
                *taken += 1;
                lines.push(format!("{indent}{rest}"));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn existing_files_are_skipped_unless_forced() {
    let suite = Suite::empty().file("t/agentci.yaml", "mine").file("u/model.yaml", "mine too");
    let refused = suite.agentci(&["init", "t", "--kind", "http"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.complains(&["`t/agentci.yaml` already exists", "overwrite files in `t` with `--force`"]);
    assert_eq!(fs::read_to_string(suite.path("t/agentci.yaml")).unwrap(), "mine");
    assert!(!suite.path("t/model.yaml").exists());
    let made = suite.agentci(&["init", "u", "--kind", "http"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    made.complains(&["skipped u/model.yaml: already exists (use `--force` to overwrite)\n", "wrote u/agentci.yaml\n"]);
    let forced = suite.agentci(&["init", "t", "--kind", "http", "--force"]);
    assert_eq!((forced.code, forced.stderr.matches("wrote").count()), (Some(0), 2), "{forced:?}");
    assert_eq!(suite.agentci(&["run", "t"]).code, Some(0));
}

#[test]
fn does_not_write_through_dangling_symlink() {
    let suite = Suite::empty().file("t/keep", "");
    std::os::unix::fs::symlink("nowhere", suite.path("t/agentci.yaml")).unwrap();
    suite.agentci(&["init", "t", "--kind", "sdk"]).complains(&["`t/agentci.yaml` already exists"]);
    assert!(!suite.path("t/nowhere").exists());
}

#[test]
fn refuses_folder_with_suite_in_another_format() {
    for (first, second) in [(["--kind", "answers"], ["--kind", "command"]), (["--kind", "mcp"], ["--kind", "answers"])]
    {
        let suite = Suite::empty();
        assert_eq!(suite.agentci(&["init", "./t", first[0], first[1]]).code, Some(0));
        let before: Vec<_> = fs::read_dir(suite.path("t")).unwrap().map(|entry| entry.unwrap().path()).collect();
        let ran = suite.agentci(&["init", "t", second[0], second[1], "--force"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["`t` contains a suite in another format: t", "help: choose another folder"]);
        assert_eq!(fs::read_dir(suite.path("t")).unwrap().count(), before.len());
    }
}

#[test]
fn reports_folder_that_cannot_be_created_or_written() {
    let suite = Suite::empty().file("file", "");
    let ran = suite.agentci(&["init", "file/below", "--kind", "command"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["file/below", "help: choose a folder that can be created"]);
    // A folder with the name of the file cannot be overwritten, not even by root.
    let suite = suite.file("t/agentci.yaml/x", "");
    let ran = suite.agentci(&["init", "t", "--kind", "command", "--force"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["t/agentci.yaml", "help: choose a writable folder"]);
    assert!(!ran.stderr.contains("next steps"), "{ran:?}");
}

#[test]
fn unusual_folder_names_are_quoted_in_next_steps() {
    let suite = Suite::empty();
    let made = suite.agentci(&["init", "--kind", "command", "--", "it's mine"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    made.complains(&["  agentci run 'it'\\''s mine'\n"]);
    assert_eq!(suite.agentci(&["run", "it's mine"]).code, Some(0));
    let made = suite.agentci(&["init", "--kind", "command", "--", "-x"]);
    made.complains(&["  agentci run -- -x\n"]);
    assert_eq!(suite.agentci(&["run", "--", "-x"]).code, Some(0));
}

#[test]
fn suite_name_is_derived_from_folder_name() {
    for (folder, name) in [
        ("support-bot", "support-bot"),
        ("My Bot (2)", "My-Bot-2"),
        ("2024", "suite-2024"),
        ("null", "suite-null"),
        ("Größe", "Größe"),
        ("v1.2", "v1.2"),
    ] {
        let suite = Suite::empty();
        assert_eq!(suite.agentci(&["init", folder, "--kind", "command"]).code, Some(0));
        let text = fs::read_to_string(suite.path(folder).join("agentci.yaml")).unwrap();
        assert!(text.contains(&format!("\nsuite: {name}\n")), "{text}");
        assert_eq!(suite.agentci(&["check", folder, "--strict"]).code, Some(0), "{folder}");
    }
}
