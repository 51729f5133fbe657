//! Flags that apply only to suites in some formats.

use agentci::plan::Dialect;

use crate::cli::{CliError, LoadedSuite, Suites};

/// Such a flag, and whether it is set.
pub(super) struct FormatFlag {
    pub(super) name: &'static str,
    pub(super) given: bool,
    /// The formats that it applies to.
    pub(super) formats: &'static [Dialect],
    /// The remedy if there is no suite in these formats.
    pub(super) help: &'static str,
}

impl FormatFlag {
    /// Refuses the flag if it is set but applies to nothing that is selected.
    pub(super) fn fits(&self, suites: &Suites) -> Result<(), CliError> {
        let is_for = |loaded: &&LoadedSuite| self.formats.contains(&loaded.suite.dialect);
        let mut fitting = suites.loaded().iter().filter(is_for).peekable();
        let none = if fitting.peek().is_some() { "none is selected" } else { "there are none" };
        // A suite without cases has nothing to select.
        if !self.given || fitting.any(|loaded| loaded.suite.cases.is_empty() || !loaded.selected.is_empty()) {
            return Ok(());
        }
        let names: Vec<&str> = self.formats.iter().map(|format| format.name()).collect();
        let (format, names) = (if names.len() == 1 { "format" } else { "formats" }, names.join(" and "));
        Err(CliError::new(format!("`{}` applies to suites in the {names} {format}, but {none}", self.name), self.help))
    }
}
