//! Flags that only suites of some formats have a use for.

use agentci::plan::Dialect;

use crate::cli::{CliError, LoadedSuite, Suites};

/// Such a flag, as the user gave it or not.
pub(super) struct FormatFlag {
    pub(super) name: &'static str,
    pub(super) given: bool,
    /// The formats that have a use for it.
    pub(super) formats: &'static [Dialect],
    /// What to do where there is no suite of them.
    pub(super) help: &'static str,
}

impl FormatFlag {
    /// What is wrong if the flag is given and nothing selected has a use for it.
    pub(super) fn fits(&self, suites: &Suites) -> Result<(), CliError> {
        let is_for = |loaded: &&LoadedSuite| self.formats.contains(&loaded.suite.dialect);
        let mut fitting = suites.loaded().iter().filter(is_for).peekable();
        let none = if fitting.peek().is_some() { "none is selected" } else { "there is none" };
        // A suite without cases has nothing to select.
        if !self.given || fitting.any(|loaded| loaded.suite.cases.is_empty() || !loaded.selected.is_empty()) {
            return Ok(());
        }
        let names: Vec<&str> = self.formats.iter().map(|format| format.name()).collect();
        let (format, names) = (if names.len() == 1 { "format" } else { "formats" }, names.join(" and "));
        Err(CliError::new(format!("`{}` is for suites of the {names} {format}, and {none}", self.name), self.help))
    }
}
