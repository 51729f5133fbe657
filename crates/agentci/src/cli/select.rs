//! Selects cases by ID, tag and pattern, and by the result of an earlier run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use agentci::plan::{CasePosition, PlannedCase, Suite, planned, positions};
use agentci_text::{FNV1A, fnv1a};
use clap::Args;
use regex::Regex;
use serde_json::Value;

use super::failed_cases::{FailedCases, newest_run};
use super::{CliContext, CliError, LoadedSuite, Suites, meant_or};

/// Stands for the newest run of each suite.
const NEWEST: &str = "";

/// Flags that select cases.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Select a case by ID, or all combinations of a case with a matrix by its ID without axes (may be repeated)
    #[arg(long = "case", value_name = "ID", help_heading = "Selection")]
    cases: Vec<String>,
    /// Select cases with this tag, such as `model=small` for an axis of a matrix (may be repeated; any tag matches)
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
    /// Select N of the cases at random; the same seed selects the same cases, also when others are added
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Selection")]
    sample: Option<u32>,
    /// Seed for all random choices [default: random, printed at the start]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The random seed, once it was drawn.
    #[arg(skip)]
    drawn: OnceLock<u64>,
}

impl Selection {
    /// Selects the matching cases of each suite. It is an error if an ID is unknown, or if no case matches. Run folders are
    /// in `output_dir`, unless each suite says where.
    pub(crate) fn apply(
        &self,
        suites: &mut Suites,
        output_dir: Option<&Path>,
        context: &CliContext,
    ) -> Result<(), CliError> {
        for wanted in &self.cases {
            known(suites, wanted)?;
        }
        let failed = self.failed_cases(suites, output_dir)?;
        let has_failed = |suite: &Suite, case: &PlannedCase<'_>| {
            failed.as_ref().is_none_or(|failed| failed.iter().any(|run| run.has(&suite.name, case.id())))
        };
        for LoadedSuite { suite, selected, .. } in suites.loaded_mut() {
            let matches = |case: &PlannedCase<'_>| self.matches(suite, case) && has_failed(suite, case);
            let fits = |at: &CasePosition| planned(&suite.cases, *at).is_some_and(|case| matches(&case));
            *selected = positions(&suite.cases).filter(fits).collect();
        }
        let any_case = suites.loaded().iter().any(|loaded| !loaded.suite.cases.is_empty());
        if any_case && suites.loaded().iter().all(|loaded| loaded.selected.is_empty()) {
            return Err(CliError::new(
                "no case matches the selection",
                "`agentci list` shows every case with its tags",
            ));
        }
        if let Some(line) = self.draw_sample(suites) {
            context.say(&line);
        }
        Ok(())
    }

    /// The seed for all random choices.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| *self.drawn.get_or_init(draw_seed))
    }

    /// The seed, if the user set it.
    pub(crate) fn given_seed(&self) -> Option<u64> {
        self.seed
    }

    /// The flags that are stored with a run.
    pub(crate) fn recorded(&self) -> [(&'static str, Option<Value>); 2] {
        [("sample", self.sample.map(Value::from)), ("seed", self.sample.map(|_| self.seed().into()))]
    }

    /// Keeps a random sample of the selected cases. Returns a line that says how to repeat it.
    fn draw_sample(&self, suites: &mut Suites) -> Option<String> {
        let sample = self.sample?;
        let seed = self.seed();
        let mut drawn: Vec<(u64, usize, usize)> = Vec::new();
        for (suite, loaded) in suites.loaded().iter().enumerate() {
            let name = loaded.suite.name.as_str();
            let keys = loaded.selected_cases().map(|case| sample_key(seed, name, case.id()));
            drawn.extend(keys.enumerate().map(|(place, key)| (key, suite, place)));
        }
        let all = drawn.len();
        drawn.sort_unstable();
        drawn.truncate(sample as usize);
        let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); suites.loaded().len()];
        for (_, suite, place) in &drawn {
            kept[*suite].insert(*place);
        }
        for (loaded, kept) in suites.loaded_mut().iter_mut().zip(kept) {
            loaded.selected = kept.into_iter().map(|place| loaded.selected[place]).collect();
        }
        let cases = drawn.len();
        Some(format!("sampled {cases} of {all} cases; `--sample {sample} --seed {seed}` selects the same ones\n"))
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

    fn matches(&self, suite: &Suite, case: &PlannedCase<'_>) -> bool {
        let by_id = self.cases.is_empty() || self.cases.iter().any(|id| ids(case).any(|known| known == id));
        let by_tag = self.tags.is_empty() || case.case.tags.iter().any(|tag| self.tags.contains(tag));
        let by_pattern = self
            .run
            .as_ref()
            .is_none_or(|run| run.is_match(case.id()) || run.is_match(&format!("{}/{}", suite.name, case.id())));
        by_id && by_tag && by_pattern
    }
}

/// The place of a case in the order in which cases are drawn.
fn sample_key(seed: u64, suite: &str, id: &str) -> u64 {
    let hash = [suite, "\0", id].iter().fold(FNV1A, |hash, part| fnv1a(hash, part.as_bytes()));
    agentci::plan::mix(seed ^ hash)
}

/// A random seed, short enough to type.
fn draw_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    agentci::plan::mix(u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20) ^ u64::from(std::process::id())) >> 40
}

/// The id of a case, and the one that it shares with the other combinations of its matrix.
fn ids<'p>(case: &PlannedCase<'p>) -> impl Iterator<Item = &'p str> + use<'p> {
    [case.id()].into_iter().chain(case.common_id())
}

fn known(suites: &Suites, wanted: &str) -> Result<(), CliError> {
    let mut known: Vec<&str> = Vec::new();
    for LoadedSuite { suite, .. } in suites.loaded() {
        known.extend(positions(&suite.cases).filter_map(|at| planned(&suite.cases, at)).flat_map(|case| ids(&case)));
    }
    if known.is_empty() || known.contains(&wanted) {
        return Ok(());
    }
    let help = meant_or(wanted, known, "`agentci list` shows every case");
    Err(CliError::new(format!("unknown case `{}`", wanted.escape_debug()), help))
}
