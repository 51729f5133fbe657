//! Which folders the search for suites skips, and which it must not skip.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::suite::Suite;

fn native(name: &str) -> String {
    format!(
        "suite: {name}\ntarget: {{ process: {{ command: [echo, hi], speaks: text }} }}\n\
         cases: [{{ id: x, turns: [{{ user: Hello }}], checks: [{{ contains: hi }}] }}]\n"
    )
}

fn two() -> Suite {
    Suite::empty().file("evals/good/agentci.yaml", native("good")).file("evals/old/agentci.yaml", "suite: old\n")
}

#[test]
fn every_command_that_searches_supports_exclude() {
    for words in [&["run"][..], &["test"], &["run", "--dry-run"], &["check"], &["list"], &["convert"]] {
        let folder = two();
        let all: Vec<&str> = [words, &["evals"]].concat();
        assert_eq!(folder.agentci(&all).code, Some(1), "{words:?}");
        let some: Vec<&str> = [words, &["--exclude", "evals/o*/", "evals"]].concat();
        let ran = folder.agentci(&some);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words:?} {ran:?}");
    }
}

#[test]
fn warns_about_exclude_without_matches() {
    let ran = two().agentci(&["list", "--exclude", "old", "--exclude=evals/gone", "evals"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "good/x\n"));
    assert!(ran.stderr.starts_with("warning: `evals/gone` excludes nothing\n  --> --exclude:1:1\n"), "{ran:?}");
    let ran = two().agentci(&["check", "--strict", "--exclude", "old", "--exclude", "gone", "evals"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn convert_keeps_excludes() {
    let text = format!("{}exclude: [old, 'a b/']\n", native("good"));
    let ran = Suite::empty().file("agentci.yaml", text).agentci(&["convert", "agentci.yaml"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("exclude:\n  - old\n  - a b/\n"), "{}", ran.stdout);
}

#[test]
fn unreadable_folder_is_an_error_unless_excluded() {
    let folder = Suite::empty().file("good/agentci.yaml", native("good")).file("locked/agentci.yaml", native("locked"));
    folder.write();
    let locked = folder.path("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can list the folder anyway.
    if fs::read_dir(&locked).is_err() {
        let ran = folder.agentci(&["run"]);
        assert_eq!(ran.code, Some(1));
        ran.says(&["1 case: 1 passed"]);
        ran.complains(&["error: cannot list the folder `locked`: Permission denied", "`exclude:`", "`--exclude`"]);
        assert_eq!(folder.agentci(&["run", "--exclude", "locked"]).code, Some(0));
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn dangling_symlink_as_case_file_is_an_error() {
    let folder = Suite::new().agent("good", "finish '{}'");
    folder.write();
    std::os::unix::fs::symlink("gone.yaml", folder.path("suite/cases/zz.yaml")).unwrap();
    let ran = folder.agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(1));
    ran.complains(&["error: `suite/cases/zz.yaml` cannot be read\n"]);
}
