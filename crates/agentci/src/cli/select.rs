//! Selects cases by ID, tag and pattern, and by the result of an earlier run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use agentci::plan::{Case, Suite};
use clap::Args;
use regex::Regex;

use super::failed_cases::{FailedCases, newest_run};
use super::{CliError, LoadedSuite, Suites, meant_or};

/// Stands for the newest run of each suite.
const NEWEST: &str = "";

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
    /// Select the cases that did not pass in the last run of their suite, or in the run stored in `RUN_DIR`
    #[arg(
        long,
        visible_alias = "lf",
        value_name = "RUN_DIR",
        num_args = 0..=1,
        default_missing_value = NEWEST,
        require_equals = true,
        help_heading = "Selection"
    )]
    failed: Option<OsString>,
}

impl Selection {
    /// Selects the matching cases of each suite. It is an error if an ID is unknown, or if no case matches. Run folders are
    /// in `output_dir`, unless each suite says where.
    pub(crate) fn apply(&self, suites: &mut Suites, output_dir: Option<&Path>) -> Result<(), CliError> {
        for wanted in &self.cases {
            known(suites, wanted)?;
        }
        let failed = self.failed_cases(suites, output_dir)?;
        let has_failed = |suite: &Suite, case: &Case| {
            failed.as_ref().is_none_or(|failed| failed.iter().any(|run| run.has(&suite.name, &case.id)))
        };
        for LoadedSuite { suite, selected, .. } in suites.loaded_mut() {
            let matches = |case: &Case| self.matches(suite, case) && has_failed(suite, case);
            *selected = (0..suite.cases.len()).filter(|index| matches(&suite.cases[*index])).collect();
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

    /// Whether the newest run of each suite selects the cases.
    pub(crate) fn selects_newest_failed(&self) -> bool {
        self.failed.as_ref().is_some_and(|run| run == NEWEST)
    }

    /// The newest run, if it selects the cases of the only suite that runs.
    pub(crate) fn newest_failed_run(&self, suites: &Suites, output_dir: Option<&Path>) -> Option<PathBuf> {
        let mut runnable = suites.loaded().iter().filter(|loaded| loaded.is_runnable());
        let only = runnable.next().filter(|_| self.selects_newest_failed() && runnable.next().is_none())?;
        newest_run(&only.suite, output_dir)
    }

    /// The cases that did not pass in the stored runs, if they are to be selected.
    fn failed_cases(&self, suites: &Suites, output_dir: Option<&Path>) -> Result<Option<Vec<FailedCases>>, CliError> {
        let failed: Vec<FailedCases> = match &self.failed {
            None => return Ok(None),
            Some(run) if run == NEWEST => {
                let each = suites.loaded().iter();
                each.map(|loaded| FailedCases::of_newest(&loaded.suite, output_dir)).collect::<Result<_, _>>()?
            }
            Some(run) => vec![FailedCases::read(Path::new(run))?],
        };
        // An empty selection would be a pass that means nothing.
        if !failed.is_empty() && failed.iter().all(FailedCases::is_empty) {
            return Err(CliError::new(
                "`--failed`: every case of the last run passed",
                "run all cases without `--failed`",
            ));
        }
        Ok(Some(failed))
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
