//! Selects the cases to run, and checks the flags against them before anything runs.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use agentci::plan::planned;
use agentci::source::{Diagnostics, Severity};
use agentci::verdict::NotLoaded;

use super::dialect::DialectRunFlags;
use super::github_job::{annotate_not_loaded, not_loaded};
use super::resume::FoundRun;
use super::run_arguments::RunCount;
use super::unselected_cases::UnselectedCases;
use super::{CliContext, CliError, LoadedSuite, RunArguments, Suites, inputs};

/// What was found out before a run.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// What could not be loaded and is not reported by a case of any shard.
    pub(super) not_loaded: Vec<NotLoaded>,
    /// The stored run that each suite continues, by position.
    pub(super) resumed: Vec<Option<FoundRun>>,
}

/// Selects the cases to run, checks the flags against them, and reports problems with both.
pub(super) fn prepare(
    suites: &mut Suites,
    read: &BTreeSet<PathBuf>,
    arguments: &RunArguments,
    context: &CliContext,
) -> Result<Prepared, CliError> {
    let RunArguments { dialects, dialects_run, reports, .. } = arguments;
    let aside = arguments.talks_aside() || arguments.dry_run;
    dialects_run.report_has_a_place(suites, reports.first_out().is_some())?;
    if let Some(RunCount::Fixed(runs)) = arguments.runs {
        suites.repeat(runs);
    }
    let resumed = arguments
        .resume
        .fits(arguments)
        .and_then(|()| arguments.selection.apply(suites, arguments.output_dir.as_deref(), context))
        .and_then(|()| arguments.resume.find(suites, arguments, context));
    let resumed = match resumed {
        Ok(resumed) => resumed,
        Err(error) => {
            context.show(suites.problems(), suites.sources());
            let errors = not_loaded(suites.problems(), suites.sources());
            annotate_not_loaded(&errors, context, aside);
            return Err(error);
        }
    };
    if arguments.runs == Some(RunCount::UntilDecided) {
        suites.repeat_until_decided().map_err(|suite| {
            let message =
                format!("`--runs until-decided` needs the gate `no_regression`, but `{suite}` does not set it");
            CliError::new(message, "add `gates: { baseline: baseline.json, no_regression: true }` to the suite")
        })?;
    }
    // Flags are checked against the whole selection: a shard may have none of the suites that they apply to.
    dialects.fit(suites)?;
    let useful = are_useful(arguments, suites);
    let not_loaded = not_loaded(&not_told_later(suites), suites.sources());
    arguments.shard.apply(suites, context)?;
    context.show(&not_told_later(suites), suites.sources());
    annotate_not_loaded(&not_loaded, context, aside);
    reports.fit(&to_run(suites), arguments.json)?;
    inputs::are_kept(reports, suites, read)?;
    useful?;
    dialects_run.name_is_free(suites)?;
    let to_run = to_run(suites).len();
    arguments.gates.apply(suites, to_run)?;
    Ok(Prepared { not_loaded, resumed })
}

/// Refuses flags about results, tools and semantic checks that apply to nothing that is selected.
fn are_useful(arguments: &RunArguments, suites: &Suites) -> Result<(), CliError> {
    // Problems with the suites have already been reported.
    if suites.loaded().is_empty() || DialectRunFlags::all_are_of_use(suites) {
        return Ok(());
    }
    arguments.dialects_run.are_useful()?;
    arguments.reports.no_folder()?;
    arguments.services.are_useful(suites)
}

/// The problems that no case of the run will report.
pub(super) fn not_told_later(suites: &Suites) -> Diagnostics {
    let mut told = HashSet::new();
    for LoadedSuite { suite, ready, selected, .. } in suites.loaded().iter().filter(|loaded| !loaded.ready.refused) {
        for position in selected {
            let index = position.case as usize;
            told.extend(suite.cases[index].broken.iter().flatten().chain(&ready.cases[index].problems).cloned());
            told.extend(planned(&suite.cases, *position).and_then(|case| case.row_problem()));
        }
    }
    let others = UnselectedCases::new(suites);
    let mut rest = Diagnostics::default();
    for problem in suites.problems() {
        let is_new = match problem.severity {
            Severity::Warning => !others.has(problem),
            Severity::Error => !told.contains(problem),
        };
        if is_new {
            rest.push(problem.clone());
        }
    }
    rest
}

/// The names of the suites that will run.
fn to_run(suites: &Suites) -> Vec<&str> {
    suites.loaded().iter().filter(|loaded| loaded.is_runnable()).map(|loaded| loaded.suite.name.as_str()).collect()
}
