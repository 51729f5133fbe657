//! A stored run that was compared with its suite as it is now.

use std::fmt::Write as _;
use std::sync::Arc;

use agentci::report::{and_more, count_of, one_line};
use agentci::runner::FinishedCases;
use agentci::verdict::RunSession;
use agentci::{Resumption, Settings, StoredProgress};

use super::flag::FoundRun;
use crate::cli::run_metadata::commit;
use crate::cli::{CliContext, CliError, Suites};

/// The stored run that a suite continues.
#[derive(Debug, Clone)]
pub(crate) struct ResumedSuite {
    /// The cases that are not run again.
    pub(crate) finished: Arc<FinishedCases>,
    /// The seed of the stored run, if it made random choices.
    pub(crate) seed: Option<u64>,
    /// The command that the stored run belongs to.
    pub(crate) session: Option<RunSession>,
}

impl ResumedSuite {
    /// Compares a stored run with the suite at this position, and says what is run again. Fails if the results of both
    /// do not belong together.
    pub(crate) fn new(
        (suites, position): (&Suites, usize),
        found: &FoundRun,
        (settings, seed): (&Settings, Option<u64>),
        context: &CliContext,
    ) -> Result<Self, CliError> {
        let stored = &found.progress;
        let name = found.folder.display().to_string();
        if let Some((difference, help)) = difference((suites, position), stored, settings, seed) {
            return Err(CliError::new(format!("`{name}` cannot be resumed: {difference}"), help));
        }
        let resumption = suites.resumption(position, stored, settings, &name);
        if found.is_named && stored.is_whole() && resumption.to_run == 0 {
            let help =
                format!("`agentci report {name}` makes its reports again; run without `--resume` to run its cases");
            return Err(CliError::new(format!("`{name}` is complete: there is nothing left to run"), help));
        }
        context.say(&told(&resumption, stored, &name));
        let Resumption { finished, .. } = resumption;
        Ok(Self { finished, seed: stored.start.seed, session: stored.start.session.clone() })
    }
}

/// Why the results of a stored run do not belong to those of this one, and what to do.
fn difference(
    (suites, position): (&Suites, usize),
    stored: &StoredProgress,
    settings: &Settings,
    seed: Option<u64>,
) -> Option<(String, String)> {
    let loaded = &suites.loaded()[position];
    let start = &stored.start;
    let mode = settings.mode.unwrap_or(loaded.suite.mode).name();
    if start.mode != mode {
        return Some((
            format!("it ran in mode `{}`, not `{mode}`", start.mode),
            format!("add `--mode {}`", start.mode),
        ));
    }
    let shard = start.shard.as_ref().map(|shard| format!("{}/{}", shard.index, shard.count));
    let own = loaded.part.as_ref().map(|part| format!("{}/{}", part.of.index, part.of.count));
    if shard != own {
        let named =
            |shard: &Option<String>| shard.as_ref().map_or("no shard".to_owned(), |shard| format!("shard {shard}"));
        let help = shard.as_ref().map_or("leave out `--shard`".to_owned(), |shard| format!("add `--shard {shard}`"));
        return Some((format!("it is {}, not {}", named(&shard), named(&own)), help));
    }
    let again = "run everything again, without `--resume`".to_owned();
    if let (Some(before), Some(now)) = (&start.git_sha, commit())
        && *before != now
    {
        return Some((format!("it ran at commit {before}, and this is {now}"), again));
    }
    if let (Some(before), Some(now)) = (start.seed, seed)
        && before != now
    {
        return Some((format!("its seed is {before}, not {now}"), "leave out `--seed`".to_owned()));
    }
    None
}

/// What is kept and what is run again, in words.
fn told(resumption: &Resumption, stored: &StoredProgress, name: &str) -> String {
    let Resumption { finished, changed, dropped, to_run } = resumption;
    let facts = &finished.facts;
    let mut text =
        format!("resuming {name}: {} kept, {} to run\n", count_of(facts.kept, "case"), count_of(*to_run, "case"));
    if stored.torn {
        let (path, line) = (stored.path.display(), stored.lines + 1);
        let _ = writeln!(text, "warning: {path}:{line}: the last line is cut off; its case is run again");
    }
    if facts.changed > 0 {
        let which = named(changed, facts.changed);
        let _ = writeln!(text, "run again, because the case or a file it uses changed: {which}");
    }
    if facts.dropped > 0 {
        let _ = writeln!(text, "left out, because it is not selected any more: {}", named(dropped, facts.dropped));
    }
    text
}

/// The known ids, and the number of the others.
fn named(ids: &[String], count: usize) -> String {
    let shown: Vec<String> = ids.iter().map(|id| one_line(id).into_owned()).collect();
    shown.join(", ") + &and_more(count.saturating_sub(shown.len()))
}
