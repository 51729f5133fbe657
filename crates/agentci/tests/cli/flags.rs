//! Flags and exit codes.

use std::process::Stdio;

use crate::suite::Suite;
use crate::surroundings::on_a_desk;

fn two_cases() -> Suite {
    Suite::new().case("second", "", "finish '{\"ok\":true}'")
}

#[test]
fn prints_help_without_arguments() {
    let ran = Suite::empty().agentci(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    ran.says(&["Usage: agentci", "run", "check", "convert", "list", "Exit codes: 0 all passed"]);
    assert!(!ran.stdout.contains("demo-agent"));
    let asked = Suite::empty().agentci(&["-h"]);
    assert_eq!((asked.code, asked.stdout), (Some(0), ran.stdout));
}

#[test]
fn version_is_the_same_with_every_flag_form() {
    // `--version` alone is handled before flags are parsed; with another flag it is not.
    let beside = Suite::empty().agentci(&["--color", "never", "--version"]);
    assert_eq!((beside.code, beside.stderr.as_str()), (Some(0), ""));
    assert!(beside.stdout.starts_with("agentci ") && beside.stdout.ends_with('\n'), "{beside:?}");
    for alone in ["--version", "-V"] {
        let ran = Suite::empty().agentci(&[alone]);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), beside.stdout.as_str(), ""));
    }
}

#[test]
fn usage_error_exits_with_two() {
    for arguments in [&["run", "--no-such-flag"][..], &["no-such-command"], &["convert"], &["run", "--fail-fast=yes"]] {
        let ran = Suite::empty().agentci(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?} {ran:?}");
        ran.complains(&["error: ", "Usage: agentci"]);
    }
}

#[test]
fn flags_of_other_tools_get_a_suggestion() {
    for (flag, words) in [
        ("--record=folder", "agentci record PATH"),
        ("--replay", "--mode replay"),
        ("-d", "agentci check PATH"),
        ("--debug", "`-v`"),
    ] {
        let ran = Suite::empty().agentci(&["run", "suite", flag]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        ran.complains(&["unexpected argument", words]);
        assert!(!ran.stderr.contains("similar argument"), "{ran:?}");
    }
    let ran = two_cases().agentci(&["run", "suite", "-c", "ananke.config.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["`--connector` applies to suites in the yao format", "use `--config FILE`"]);
}

#[test]
fn missing_flag_value_is_a_usage_error() {
    for flag in ["--parallel", "--timeout", "--case", "--mode"] {
        let ran = Suite::empty().agentci(&["run", flag]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        ran.complains(&["a value is required for", flag]);
    }
}

#[test]
fn invalid_flag_value_exits_with_one() {
    for (arguments, reason) in [
        (["--parallel", "0"], "at least 1"),
        (["--parallel", "many"], "at least 1"),
        (["--timeout", "5"], "`5` is not a duration"),
        (["--timeout", "5 minutes"], "`5 minutes` is not a duration"),
        (["--mode", "foo"], "one of replay, record, live"),
        (["--run", "("], "unclosed group"),
        (["--run", "(?=x)"], "look-around"),
        (["--color", "sometimes"], "possible values: auto, always, never"),
    ] {
        let suite = two_cases();
        let ran = suite.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?} {ran:?}");
        ran.complains(&[arguments[0], reason]);
        assert!(ran.run_folders().is_empty());
    }
}

#[test]
fn duration_without_unit_error_mentions_the_unit() {
    let ran = two_cases().run(&["--timeout", "5"]);
    ran.complains(&["`5` is not a duration", "a unit"]);
}

#[test]
fn dry_run_runs_and_writes_nothing() {
    let suite = Suite::new().case("second", "", "echo ran > ran; finish '{}'");
    let ran = suite.run(&["--dry-run"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("would run suite/good\nwould run suite/second\n", ""));
    assert!(!suite.path("ran").exists() && !suite.path(".agentci").exists());
    assert_eq!(suite.run(&["--dry-run", "--case", "good"]).stdout, "would run suite/good\n");
}

#[test]
fn json_flag_prints_only_the_summary_to_stdout() {
    let ran = two_cases().run(&["--json"]);
    assert_eq!(ran.code, Some(0));
    let printed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(printed, ran.summary());
    let written = std::fs::read_to_string(ran.run_folder().join("summary.json")).unwrap();
    assert_eq!(ran.stdout, written);
    ran.complains(&["PASS good", "2 cases: 2 passed", "artifacts: .agentci/runs/suite/"]);
}

#[test]
fn json_flag_prints_a_list_for_several_suites() {
    let other =
        "suite: other\ntarget: { process: { command: [sh, ../suite/agent.sh] } }\ncases: [{ id: good, input: {} }]\n";
    let ran = two_cases().file("other/agentci.yaml", other).agentci(&["run", ".", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let printed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let names: Vec<_> = printed.as_array().unwrap().iter().map(|summary| &summary["suite"]["name"]).collect();
    assert_eq!(names, ["other", "suite"]);
}

#[test]
fn fail_fast_starts_no_case_after_first_failure() {
    let suite = Suite::new().case("bad", "", "exit 1").case("zulu", "", "echo ran > ran; finish '{}'");
    let ran = suite.run(&["--fail-fast", "--parallel", "1"]);
    assert_eq!(ran.code, Some(1));
    ran.says(&["ERROR bad (", "1 case: 0 passed, 0 failed, 1 error, 0 skipped in ", "; stopped: 2 cases not run\n"]);
    assert!(!suite.path("ran").exists());
    assert_eq!(ran.verdicts().len(), 1);
    assert_eq!(ran.summary()["aggregates"]["cases_not_run"], 2);
}

#[test]
fn no_color_without_terminal_unless_forced() {
    assert!(!two_cases().run(&[]).stdout.contains('\u{1b}'));
    let ran = two_cases().run(&["--color", "always"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("\u{1b}[") && ran.stdout.contains("PASS"), "{ran:?}");
    let ran = Suite::empty().agentci(&["check", "nowhere", "--color", "always"]);
    assert!(ran.stderr.contains("\u{1b}["), "{ran:?}");
}

/// `script` from util-linux provides the terminal.
#[cfg(target_os = "linux")]
#[test]
fn terminal_gets_color_unless_disabled() {
    let printed = |no_color: Option<&str>, flag: &str| {
        let suite = two_cases();
        let line = format!("{} run suite {flag}", env!("CARGO_BIN_EXE_agentci"));
        suite.write();
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(suite.root()).stdin(Stdio::null()).env("TERM", "xterm");
        on_a_desk(&mut command);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let coloured = |text: &str| text.contains("\u{1b}[") && text.contains("mPASS");
    assert!(coloured(&printed(None, "")));
    assert!(coloured(&printed(Some(""), "")));
    assert!(!coloured(&printed(Some("1"), "")));
    assert!(!coloured(&printed(None, "--color never")));
    assert!(coloured(&printed(Some("1"), "--color always")));
}

#[test]
fn closed_pipe_is_not_a_failure() {
    let suite = two_cases();
    for arguments in [&["run", "suite"][..], &["run", "suite", "--json"], &["list", "suite"], &["convert", "suite"]] {
        let mut child = suite.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("error:"), "{arguments:?} {stderr}");
    }
}

#[test]
fn failed_run_exits_with_one_despite_closed_pipe() {
    let suite = Suite::new().case("bad", "", "exit 1");
    let mut child = suite.command(&["run", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(1), Vec::new()));
}

/// Writing to `/dev/full` fails as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn stdout_write_error_is_a_failure() {
    for command in [&["list", "suite"][..], &["convert", "suite"], &["run", "suite"]] {
        let suite = two_cases();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = suite.command(command).stdout(full).output().unwrap();
        let ran = suite.ran(&output, std::time::Duration::ZERO);
        assert_eq!(ran.code, Some(1), "{command:?} {ran:?}");
        ran.complains(&["No space left"]);
    }
}

#[test]
fn generates_valid_shell_completions() {
    let suite = Suite::empty();
    for shell in ["bash", "zsh", "fish"] {
        let ran = suite.agentci(&["completions", shell]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.says(&["shard", "baseline", "serve"]);
    }
    let script = suite.agentci(&["completions", "bash"]).stdout;
    let suite = suite.file("agentci.bash", script);
    let read = std::process::Command::new("bash").arg("-n").arg(suite.path("agentci.bash")).output().unwrap();
    assert!(read.status.success(), "{read:?}");
}

#[test]
fn refuses_flag_without_effect_on_any_case() {
    let suite = two_cases();
    for flag in
        [["--stub-port", "0"], ["--stub-bind", "127.0.0.1"], ["--embedder", "builtin"], ["--semantic-timeout", "3s"]]
    {
        let ran = suite.run(&flag);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["has no effect: no selected case", flag[0], "leave it out"]);
    }
}

#[test]
fn short_help_fits_on_a_screen_and_long_help_has_everything() {
    let short = Suite::empty().agentci(&["run", "-h"]).stdout;
    assert!(short.lines().count() <= 60, "{short}");
    assert!(short.contains("--failed") && short.contains("see more with '--help'"), "{short}");
    let long = Suite::empty().agentci(&["run", "--help"]).stdout;
    for flag in ["--shard", "--connector", "--seed", "--stub-port", "--semantic-timeout"] {
        assert!(!short.contains(flag) && long.contains(flag), "{flag}");
    }
}
