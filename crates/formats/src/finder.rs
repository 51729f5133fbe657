//! How suites are found: one front end a dialect, each with a finder of its own.
//!
//! A search walks folders and asks the finders in the order of [`FRONT_ENDS`] what they take of what it meets. A finder makes
//! suites at once where a file is one by itself, or in the end where many files are one suite.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, Files, Node};

use crate::document::OpenedFile;
use crate::search::SuiteSearch;
use crate::{LoadOptions, ananke, aumai, native, runledger, scenario, yao};

/// Every dialect, in the order in which they are asked.
pub(crate) static FRONT_ENDS: [&FrontEnd; 6] = [
    &native::FRONT_END,
    &runledger::FRONT_END,
    &ananke::FRONT_END,
    &yao::FRONT_END,
    &scenario::FRONT_END,
    &aumai::FRONT_END,
];

/// Every dialect that is read.
pub fn dialects() -> impl Iterator<Item = Dialect> {
    FRONT_ENDS.iter().map(|front| front.dialect)
}

/// What a suite looks like, for someone who named something else; dialects in the order of [`Dialect`].
pub(crate) fn what_is_a_suite() -> String {
    let mut fronts = FRONT_ENDS;
    fronts.sort_by_key(|front| front.dialect as u8);
    let [before @ .., last] = fronts.map(|front| front.looks_like);
    format!("a suite is {}, or {last}", before.join(", "))
}

/// How files of a dialect are known, and who finds its suites.
pub(crate) struct FrontEnd {
    pub(crate) dialect: Dialect,
    /// What its suites look like, in a list of all dialects.
    pub(crate) looks_like: &'static str,
    /// Names of files that are a suite each.
    pub(crate) suite_names: &'static [&'static str],
    /// Names of configs whose tests are other files.
    pub(crate) config_names: &'static [&'static str],
    /// A key that no other dialect has: a mistyped key beside it must not make a suite look like one of another dialect.
    pub(crate) own_key: Option<&'static str>,
    /// Whether the top level of a YAML file bears the marks of the dialect.
    pub(crate) fits: fn(&Node) -> bool,
    /// The same for a file with the name of a suite, where the marks may be mistyped.
    pub(crate) fits_named: fn(&Node) -> bool,
    pub(crate) finder: MakeFinder,
}

type MakeFinder = for<'f> fn(&'f dyn Files, &'f LoadOptions) -> Box<dyn Finder + 'f>;

impl FrontEnd {
    /// A dialect whose files are known by their content, whatever they are called.
    pub(crate) const fn new(
        dialect: Dialect,
        looks_like: &'static str,
        fits: fn(&Node) -> bool,
        finder: MakeFinder,
    ) -> Self {
        Self { dialect, looks_like, suite_names: &[], config_names: &[], own_key: None, fits, fits_named: fits, finder }
    }
}

/// The dialect that a file with this name is looked at for.
pub(crate) fn suite_named(name: &str) -> Option<&'static FrontEnd> {
    FRONT_ENDS.into_iter().find(|front| front.suite_names.contains(&name))
}

/// The dialect that a file with this name is a config of.
pub(crate) fn config_named(name: &str) -> Option<&'static FrontEnd> {
    FRONT_ENDS.into_iter().find(|front| front.config_names.contains(&name))
}

/// The dialect of a file that was named directly: its content decides, its name only where the content leaves a choice.
pub(crate) fn recognise(name: &str, root: &Node) -> Option<&'static FrontEnd> {
    let by_name = suite_named(name).filter(|front| (front.fits_named)(root));
    let has = |key: &str| root.get(key).is_some();
    let by_key = || FRONT_ENDS.into_iter().find(|front| front.own_key.is_some_and(has));
    by_name.or_else(by_key).or_else(|| FRONT_ENDS.into_iter().find(|front| (front.fits)(root)))
}

/// Whether a file is of a dialect whose suites are made of many files.
pub(crate) fn is_one_of_many(root: &Node) -> bool {
    FRONT_ENDS.iter().any(|front| front.suite_names.is_empty() && (front.fits)(root))
}

/// What is to be loaded beside the paths that were named.
pub(crate) enum ChosenSuites {
    /// Nothing that this finder knows of.
    Nothing,
    /// What was chosen is taken, or refused.
    Taken,
    Folder(PathBuf),
}

/// What a file is that has the name of a suite.
pub(crate) enum SuiteCandidate {
    /// A suite, good or wrong.
    Suite,
    /// An empty file, and what is wrong with that.
    Empty(Option<Diagnostic>),
    /// Settings for suites elsewhere.
    Settings,
    /// Something else.
    Other,
}

/// Finds the suites of one dialect. Whatever has no meaning in it need not be said.
pub(crate) trait Finder {
    /// Loads what the options choose; `alone` tells that no path was named.
    fn choose(&mut self, _alone: bool, _search: &mut SuiteSearch<'_>) -> ChosenSuites {
        ChosenSuites::Nothing
    }

    /// Takes a file that was named directly and is no YAML; whether it was.
    fn take_named(&mut self, _path: &Path, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Whether a file that was named directly is of this dialect although it lacks the marks or cannot be parsed.
    fn is_meant(&mut self, _file: &OpenedFile) -> bool {
        false
    }

    /// Takes a file of this dialect that was named directly, or that is a suite by itself.
    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>);

    /// What a file is that has the name of a suite of this dialect.
    fn candidate(&self, _path: &Path, _root: &Node, _search: &SuiteSearch<'_>) -> SuiteCandidate {
        SuiteCandidate::Other
    }

    /// Why a file with the name of a suite is none, for someone who named it.
    fn refusal(&self, _path: &Path, _root: &Node) -> Option<Diagnostic> {
        None
    }

    /// Takes files of JSON lines in a folder; whether there were any of this dialect.
    fn take_lines(&mut self, _folder: &Path, _paths: &[PathBuf], _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Takes what it knows by sight out of the YAML files that a search met; whether there was any.
    fn take_found(&mut self, _paths: &mut Vec<PathBuf>, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Where no suite was found, takes what it knows once it is opened; what is left is of no suite. `None` if there was none.
    fn take_opened(
        &mut self,
        _folder: &Path,
        _files: &mut Vec<OpenedFile>,
        _: &mut SuiteSearch<'_>,
    ) -> Option<Vec<PathBuf>> {
        None
    }

    /// Reports what a search met and nobody took; whether there was any.
    fn report_left(&mut self, _configs: &[PathBuf], _strays: &mut Vec<PathBuf>, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Whether a YAML file of no suite is of something that this dialect is about.
    fn knows(&self, _path: &Path) -> bool {
        false
    }

    /// Makes the suites whose files may have been named one by one.
    fn finish(&mut self, _search: &mut SuiteSearch<'_>) {}
}

#[cfg(test)]
mod tests {
    use agentci_source::Sources;

    use super::*;

    #[test]
    fn a_mistyped_key_does_not_change_the_dialect() {
        for (name, text, found) in [
            ("suite.yaml", "{ suite_name: a, cases: b }", Some(Dialect::Runledger)),
            ("x.yaml", "{ agent_command: [a], cases: b }", Some(Dialect::Runledger)),
            ("agentci.yaml", "{ suite_name: a, cases: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ suite_name: a, cases: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ suite_name: a }", Some(Dialect::Runledger)),
            ("suite.yaml", "[cases]", None),
            ("x.yaml", "{ name: a, expected_behavior: {} }", Some(Dialect::Aumai)),
            ("suite.yaml", "tests: [{ name: a, input_messages: [] }]", Some(Dialect::Aumai)),
            ("x.yaml", "[{ name: a, expected_behaviour: {} }]", Some(Dialect::Aumai)),
            ("x.yaml", "{ name: deploy, jobs: {} }", None),
            ("x.yaml", "{ name: a, turns: [] }", Some(Dialect::Ananke)),
            ("x.yaml", "{ suite: a, turns: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ name: a, turns: 3 }", None),
            ("x.yaml", "{ version: 1.0, target: { type: agui } }", Some(Dialect::Ananke)),
            ("x.yaml", "{ test_name: a, user_input: b }", Some(Dialect::Scenario)),
            ("x.yaml", "{ test_name: a }", None),
            ("x.yaml", "{ expected_behavior: {}, turns: [], test_name: a, user_input: b }", Some(Dialect::Aumai)),
            ("x.yaml", "{ turns: [], test_name: a, user_input: b }", Some(Dialect::Ananke)),
            ("agentci.yaml", "{ name: a, target: { process: { cmd: [a] } }, tests: [] }", Some(Dialect::Native)),
            ("agentci.yaml", "{ target: { default: { url: a } } }", None),
            ("agentci.yaml", "{ suit: a, casess: [] }", Some(Dialect::Native)),
            ("agentci.yaml", "{ tool_bases: { A: b } }", None),
            ("x.yaml", "{ suit: a, casess: [] }", None),
            ("agentci.yaml", "{ target: { process: {} }, cases: [{ turns: [] }] }", Some(Dialect::Native)),
        ] {
            let file = Sources::default().add(Path::new(name), text);
            let root = agentci_source::yaml::parse(text, file).unwrap();
            assert_eq!(recognise(name, &root).map(|front| front.dialect), found, "{name} {text}");
        }
    }

    #[test]
    fn every_dialect_has_one_front_end() {
        for (index, front) in FRONT_ENDS.iter().enumerate() {
            assert!(FRONT_ENDS[..index].iter().all(|other| other.dialect != front.dialect), "{:?}", front.dialect);
        }
    }
}
