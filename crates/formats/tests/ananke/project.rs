//! Files of a test, and what is looked at afterwards.

use std::path::PathBuf;

use agentci_formats::{LoadOptions, Loaded, load_with};
use agentci_plan::{Case, Check};
use agentci_source::{MemoryFiles, Reading};

pub(crate) const CONFIG: &str =
    "version: '1.0'\ntarget:\n  type: agui\n  endpoint: http://127.0.0.1:1/agent\n  agentId: shop\n";

/// A config whose target has these keys beside the usual ones of AG-UI, which stand after them.
pub(crate) fn config(target: &str) -> String {
    format!("{CONFIG}{}", indented(target))
}

/// Lines, two columns further in.
pub(crate) fn indented(lines: &str) -> String {
    format!("  {}\n", lines.trim_end().replace('\n', "\n  "))
}

/// A test of that name and one turn, with these keys beside.
pub(crate) fn test(name: &str, more: &str) -> String {
    format!("version: '1.0'\nname: {name}\nturns: [{{ user: hi }}]\n{more}")
}

/// A project `p` with this config and one test.
pub(crate) fn project(config: &str, test: &str) -> MemoryFiles {
    MemoryFiles::default().with("p/ananke.config.yaml", config).with("p/a.test.yaml", test)
}

pub(crate) fn load(files: &MemoryFiles, paths: &[&str]) -> Loaded {
    load_with(files, &paths.iter().map(PathBuf::from).collect::<Vec<_>>(), &LoadOptions::default())
}

/// Loads the project.
pub(crate) fn loaded(config: &str, test: &str) -> Loaded {
    load(&project(config, test), &["p"])
}

/// The only case of a project in which nothing is wrong.
#[track_caller]
pub(crate) fn good(config: &str, test: &str) -> Case {
    let loaded = loaded(config, test);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    *loaded.plan.suites[0].cases[0].clone()
}

pub(crate) fn messages(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
}

/// What is wrong with a test whose config is right.
pub(crate) fn wrong_test(test: &str) -> Vec<String> {
    let loaded = loaded(CONFIG, test);
    assert!(loaded.plan.suites[0].cases[0].broken.is_some(), "{test}");
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

/// What is wrong with a config, which refuses the suite.
pub(crate) fn wrong_config(config: &str) -> Vec<String> {
    let loaded = loaded(config, &test("a", ""));
    assert!(loaded.plan.suites.is_empty(), "{config}");
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

/// Checks in short: the dialect's name and the arguments, `not` for negated ones, `$` for those that wait for variables.
pub(crate) fn shown<'c>(checks: impl IntoIterator<Item = &'c Check>) -> Vec<String> {
    let one = |check: &Check| {
        let arguments = check.arguments.value(Reading::Core).unwrap();
        let not = if check.negate { "not " } else { "" };
        let waits = if check.templated { "$ " } else { "" };
        format!("{}: {waits}{not}{} {arguments}", check.label().unwrap(), check.kind.value)
    };
    checks.into_iter().map(one).collect()
}

/// What is asked of each turn, and of the whole.
pub(crate) fn asked(case: &Case) -> (Vec<Vec<String>>, Vec<String>) {
    let turns = case.turns.iter().map(|turn| shown(turn.checks.iter().map(|check| &**check))).collect();
    (turns, shown(case.checks.iter().map(|check| &**check)))
}
