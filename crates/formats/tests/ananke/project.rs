//! Helpers: the files of a project, and its plan in short form.

use std::path::PathBuf;

use agentci_formats::{LoadOptions, Loaded, load_with};
use agentci_plan::{Case, Check};
use agentci_source::{MemoryFiles, Reading};

pub(crate) const CONFIG: &str =
    "version: '1.0'\ntarget:\n  type: agui\n  endpoint: http://127.0.0.1:1/agent\n  agentId: shop\n";

/// A config with an AG-UI target that has these keys after the usual ones.
pub(crate) fn config(target: &str) -> String {
    format!("{CONFIG}{}", indented(target))
}

/// Indents lines by two columns.
pub(crate) fn indented(lines: &str) -> String {
    format!("  {}\n", lines.trim_end().replace('\n', "\n  "))
}

/// A test with this name, one turn, and these keys.
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

/// The only case of a valid project.
#[track_caller]
pub(crate) fn good(config: &str, test: &str) -> Case {
    let loaded = loaded(config, test);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    *loaded.plan.suites[0].cases[0].clone()
}

pub(crate) fn messages(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
}

/// The messages about an invalid test with a valid config.
pub(crate) fn wrong_test(test: &str) -> Vec<String> {
    let loaded = loaded(CONFIG, test);
    assert!(loaded.plan.suites[0].cases[0].broken.is_some(), "{test}");
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

/// The messages about an invalid config, which rejects the suite.
pub(crate) fn wrong_config(config: &str) -> Vec<String> {
    let loaded = loaded(config, &test("a", ""));
    assert!(loaded.plan.suites.is_empty(), "{config}");
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

/// Checks in short form: the label, `$` if it contains variables, `not` if it is negated, the name and the arguments.
pub(crate) fn shown<'c>(checks: impl IntoIterator<Item = &'c Check>) -> Vec<String> {
    let one = |check: &Check| {
        let arguments = check.arguments.value(Reading::Core).unwrap();
        let not = if check.negate { "not " } else { "" };
        let waits = if check.templated { "$ " } else { "" };
        format!("{}: {waits}{not}{} {arguments}", check.label().unwrap(), check.kind.value)
    };
    checks.into_iter().map(one).collect()
}

/// The checks of each turn, and of the whole test.
pub(crate) fn asked(case: &Case) -> (Vec<Vec<String>>, Vec<String>) {
    let turns = case.turns.iter().map(|turn| shown(turn.checks.iter().map(|check| &**check))).collect();
    (turns, shown(case.checks.iter().map(|check| &**check)))
}
