//! Helpers: the files of a project, and its plan in short form.

use std::path::PathBuf;

use agentci_formats::{LoadOptions, Loaded, load_with};
use agentci_plan::{Case, Fixture, HttpTarget, Routes, Suite, Target, ToolSource};
use agentci_source::MemoryFiles;

/// A scenario with this name, the required keys and these keys.
pub(crate) fn scenario(name: &str, more: &str) -> String {
    format!("test_name: {name}\nuser_input: Why?\nexpected_answer: Because.\n{more}")
}

/// A project with one scenario, `tests/us/a.yaml`, and two answers.
pub(crate) fn project(scenario: &str) -> MemoryFiles {
    MemoryFiles::default()
        .with("tests/us/a.yaml", scenario)
        .with("tests/us/__files/slips/1.json", "{}")
        .with("tests/us/__files/slips/2.json", "[]")
}

pub(crate) fn load(files: &MemoryFiles, paths: &[&str]) -> Loaded {
    load_chosen(files, paths, |_| {})
}

/// The same, with options.
pub(crate) fn load_chosen(files: &MemoryFiles, paths: &[&str], choose: impl FnOnce(&mut LoadOptions)) -> Loaded {
    let mut options = LoadOptions::default();
    choose(&mut options);
    load_with(files, &paths.iter().map(PathBuf::from).collect::<Vec<_>>(), &options)
}

/// The only suite of valid files.
#[track_caller]
pub(crate) fn good_suite(files: &MemoryFiles) -> Suite {
    let loaded = load(files, &["tests"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    loaded.plan.suites[0].clone()
}

/// The only case of a valid project.
#[track_caller]
pub(crate) fn good(scenario: &str) -> Case {
    *good_suite(&project(scenario)).cases[0].clone()
}

/// The messages about an invalid scenario.
#[track_caller]
pub(crate) fn wrong(scenario: &str) -> Vec<String> {
    let loaded = load(&project(scenario), &["tests/us"]);
    assert!(loaded.plan.suites[0].cases[0].broken.is_some(), "{scenario}");
    messages(&loaded).into_iter().map(str::to_owned).collect()
}

pub(crate) fn messages(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
}

/// Suites by name and folder, with their cases.
pub(crate) fn suites(loaded: &Loaded) -> Vec<String> {
    let cases = |suite: &Suite| suite.cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>().join(" ");
    let one = |suite: &Suite| format!("{} in {}: {}", suite.name, suite.folder.display(), cases(suite));
    loaded.plan.suites.iter().map(one).collect()
}

pub(crate) fn routes(case: &Case) -> &Routes {
    let ToolSource::Routes(routes) = &case.world.tools else { panic!("no routes: {:?}", case.world.tools) };
    routes
}

/// The answers of the first tool.
pub(crate) fn answers(case: &Case) -> &[Fixture] {
    &routes(case).tools[0].fixtures
}

pub(crate) fn http(case: &Case) -> &HttpTarget {
    let Target::Http(http) = &*case.target else { panic!("no http: {:?}", case.target) };
    http
}
