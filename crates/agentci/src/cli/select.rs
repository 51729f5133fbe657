//! Selects cases by ID, tag and pattern.

use agentci::plan::{Case, Suite};
use clap::Args;
use regex::Regex;

use super::{CliError, LoadedSuite, Suites, meant_or};

/// Flags that select cases.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Select a case by ID (may be repeated)
    #[arg(long = "case", value_name = "ID", help_heading = "Selection")]
    cases: Vec<String>,
    /// Select cases with this tag (may be repeated; any tag matches)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Selection")]
    tags: Vec<String>,
    /// Select cases whose ID or `SUITE/ID` matches this regular expression
    #[arg(long = "run", value_name = "REGEX", value_parser = Regex::new, help_heading = "Selection")]
    run: Option<Regex>,
}

impl Selection {
    /// Selects the matching cases of each suite. It is an error if an ID is unknown, or if no case matches.
    pub(crate) fn apply(&self, suites: &mut Suites) -> Result<(), CliError> {
        for wanted in &self.cases {
            known(suites, wanted)?;
        }
        for LoadedSuite { suite, selected, .. } in suites.loaded_mut() {
            *selected = (0..suite.cases.len()).filter(|index| self.matches(suite, &suite.cases[*index])).collect();
        }
        let any_case = suites.loaded().iter().any(|loaded| !loaded.suite.cases.is_empty());
        if any_case && suites.loaded().iter().all(|loaded| loaded.selected.is_empty()) {
            return Err(CliError::new(
                "no case matches the selection",
                "`agentci list` shows every case with its tags",
            ));
        }
        Ok(())
    }

    fn matches(&self, suite: &Suite, case: &Case) -> bool {
        let by_id = self.cases.is_empty() || self.cases.iter().any(|id| case.id == *id);
        let by_tag = self.tags.is_empty() || case.tags.iter().any(|tag| self.tags.contains(tag));
        let by_pattern = self
            .run
            .as_ref()
            .is_none_or(|run| run.is_match(&case.id) || run.is_match(&format!("{}/{}", suite.name, case.id)));
        by_id && by_tag && by_pattern
    }
}

fn known(suites: &Suites, wanted: &str) -> Result<(), CliError> {
    let cases = suites.loaded().iter().flat_map(|loaded| &loaded.suite.cases);
    let ids: Vec<&str> = cases.map(|case| case.id.as_str()).collect();
    if ids.is_empty() || ids.contains(&wanted) {
        return Ok(());
    }
    let help = meant_or(wanted, ids, "`agentci list` shows every case");
    Err(CliError::new(format!("unknown case `{}`", wanted.escape_debug()), help))
}
