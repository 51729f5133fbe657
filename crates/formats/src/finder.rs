//! The front ends of the dialects and the finders of their suites.
//!
//! A search walks folders and offers the files to the finders in the order of [`FRONT_ENDS`]. A finder creates a suite
//! immediately if a file is a suite by itself, or at the end if a suite consists of many files.

use std::path::{Path, PathBuf};

use agentci_plan::Dialect;
use agentci_source::{Diagnostic, Files, Node};

use crate::document::OpenedFile;
use crate::search::SuiteSearch;
use crate::{LoadOptions, ananke, aumai, native, runledger, scenario, yao};

/// The front ends, in the order in which files are offered to them.
pub(crate) static FRONT_ENDS: [&FrontEnd; 6] = [
    &native::FRONT_END,
    &runledger::FRONT_END,
    &ananke::FRONT_END,
    &yao::FRONT_END,
    &scenario::FRONT_END,
    &aumai::FRONT_END,
];

/// All supported dialects.
pub fn dialects() -> impl Iterator<Item = Dialect> {
    FRONT_ENDS.iter().map(|front| front.dialect)
}

/// A help text that describes the suites of all dialects, in the order of [`Dialect`].
pub(crate) fn what_is_a_suite() -> String {
    let mut fronts = FRONT_ENDS;
    fronts.sort_by_key(|front| front.dialect as u8);
    let [before @ .., last] = fronts.map(|front| front.looks_like);
    format!("a suite is {}, or {last}", before.join(", "))
}

/// How to recognise the files of a dialect and find its suites.
pub(crate) struct FrontEnd {
    pub(crate) dialect: Dialect,
    /// A description of its suites, for a list of all dialects.
    pub(crate) looks_like: &'static str,
    /// File names of which each is a suite.
    pub(crate) suite_names: &'static [&'static str],
    /// Names of config files whose tests are in other files.
    pub(crate) config_names: &'static [&'static str],
    /// A key that only this dialect has. It identifies the dialect even if a mistyped key next to it suggests another.
    pub(crate) own_key: Option<&'static str>,
    /// Whether the top level of a YAML file has the keys of the dialect.
    pub(crate) fits: fn(&Node) -> bool,
    /// The same for a file with the name of a suite, whose keys may be mistyped.
    pub(crate) fits_named: fn(&Node) -> bool,
    pub(crate) finder: MakeFinder,
}

type MakeFinder = for<'f> fn(&'f dyn Files, &'f LoadOptions) -> Box<dyn Finder + 'f>;

impl FrontEnd {
    /// A dialect whose files are recognised by their content, not by their name.
    pub(crate) const fn new(
        dialect: Dialect,
        looks_like: &'static str,
        fits: fn(&Node) -> bool,
        finder: MakeFinder,
    ) -> Self {
        Self { dialect, looks_like, suite_names: &[], config_names: &[], own_key: None, fits, fits_named: fits, finder }
    }
}

/// The dialect whose suites have this file name.
pub(crate) fn suite_named(name: &str) -> Option<&'static FrontEnd> {
    FRONT_ENDS.into_iter().find(|front| front.suite_names.contains(&name))
}

/// The dialect whose configs have this file name.
pub(crate) fn config_named(name: &str) -> Option<&'static FrontEnd> {
    FRONT_ENDS.into_iter().find(|front| front.config_names.contains(&name))
}

/// The dialect of a file that the user named. The content decides; the name only breaks ties.
pub(crate) fn recognise(name: &str, root: &Node) -> Option<&'static FrontEnd> {
    let by_name = suite_named(name).filter(|front| (front.fits_named)(root));
    let has = |key: &str| root.get(key).is_some();
    let by_key = || FRONT_ENDS.into_iter().find(|front| front.own_key.is_some_and(has));
    by_name.or_else(by_key).or_else(|| FRONT_ENDS.into_iter().find(|front| (front.fits)(root)))
}

/// Whether a file belongs to a dialect whose suites consist of many files.
pub(crate) fn is_one_of_many(root: &Node) -> bool {
    FRONT_ENDS.iter().any(|front| front.suite_names.is_empty() && (front.fits)(root))
}

/// What the options select in addition to the named paths.
pub(crate) enum ChosenSuites {
    /// Nothing for this finder.
    Nothing,
    /// The selection was loaded or rejected.
    Taken,
    Folder(PathBuf),
}

/// The kind of a file with the name of a suite.
pub(crate) enum SuiteCandidate {
    /// A suite, valid or not.
    Suite,
    /// An empty file, and the problem to report, if any.
    Empty(Option<Diagnostic>),
    /// Settings for suites elsewhere.
    Settings,
    Other,
}

/// Finds the suites of one dialect. Methods that do not apply to it keep their defaults.
pub(crate) trait Finder {
    /// Loads what the options select; `alone` is set if the user named no path.
    fn choose(&mut self, _alone: bool, _search: &mut SuiteSearch<'_>) -> ChosenSuites {
        ChosenSuites::Nothing
    }

    /// Takes a named file that is not YAML; returns whether it did.
    fn take_named(&mut self, _path: &Path, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Whether a named file belongs to this dialect although it lacks the usual keys or cannot be parsed.
    fn is_meant(&mut self, _file: &OpenedFile) -> bool {
        false
    }

    /// Takes a file of this dialect that the user named or that is a suite by itself.
    fn take(&mut self, file: OpenedFile, search: &mut SuiteSearch<'_>);

    /// Classifies a file with the name of a suite of this dialect.
    fn candidate(&self, _path: &Path, _root: &Node, _search: &SuiteSearch<'_>) -> SuiteCandidate {
        SuiteCandidate::Other
    }

    /// Why a named file with the name of a suite is not a suite.
    fn refusal(&self, _path: &Path, _root: &Node) -> Option<Diagnostic> {
        None
    }

    /// Takes the JSON Lines files of a folder; returns whether any belonged to this dialect.
    fn take_lines(&mut self, _folder: &Path, _paths: &[PathBuf], _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Removes the files of this dialect from the YAML files that a search found; returns whether there were any.
    fn take_found(&mut self, _paths: &mut Vec<PathBuf>, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// If no suite was found: takes the opened files of this dialect and returns the paths that belong to no suite, or
    /// `None` if no file belongs to this dialect.
    fn take_opened(
        &mut self,
        _folder: &Path,
        _files: &mut Vec<OpenedFile>,
        _: &mut SuiteSearch<'_>,
    ) -> Option<Vec<PathBuf>> {
        None
    }

    /// Reports files that a search found and no finder took; returns whether it reported any.
    fn report_left(&mut self, _configs: &[PathBuf], _strays: &mut Vec<PathBuf>, _search: &mut SuiteSearch<'_>) -> bool {
        false
    }

    /// Whether a YAML file that belongs to no suite is a known kind of file of this dialect.
    fn knows(&self, _path: &Path) -> bool {
        false
    }

    /// Creates the suites whose files may have been named one by one.
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
