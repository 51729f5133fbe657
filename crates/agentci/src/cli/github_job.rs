//! What a job of GitHub Actions is told: annotations on the lines of suites, and the summary of the step.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use agentci::report::{Checkout, Github, Markdown, ReportOutput};

/// The name under which the summary of a CI job is told of.
pub(crate) const STEP_SUMMARY: &str = "for GITHUB_STEP_SUMMARY";

/// How much GitHub takes of the summary of a job step, with some to spare: beyond 1 MiB it refuses all of it.
const STEP_SUMMARY_LIMIT: u64 = 1000 * 1000;

/// What tells GitHub of failures, to be added before everything that prints to `out`.
pub(crate) fn annotations(out: Box<dyn Write>) -> Github {
    // The hasher is seeded anew in each process, which makes this hard enough to guess for an agent that runs beside it.
    let token = RandomState::new().build_hasher().finish();
    Github::new(out, format!("agentci-{token:016x}")).within(checkout())
}

/// The checkout of a job of GitHub Actions, and where in it this is.
pub(super) fn checkout() -> Option<Checkout> {
    let top = std::env::var_os("GITHUB_WORKSPACE").filter(|path| !path.is_empty())?;
    let here = std::env::current_dir().ok()?;
    // Where one of them is named by a link.
    let real = |path: PathBuf| fs_err::canonicalize(&path).unwrap_or(path);
    Some(Checkout { top: real(top.into()), here: real(here) })
}

/// The report for the summary of a job step, which is appended to what other steps and suites wrote.
pub(crate) fn step_summary(path: &Path) -> Markdown {
    let used = std::fs::metadata(path).map_or(0, |file| file.len());
    let room = usize::try_from(STEP_SUMMARY_LIMIT.saturating_sub(used)).unwrap_or_default();
    let path = path.to_path_buf();
    let append: ReportOutput = Box::new(move |bytes| {
        let mut file = fs_err::OpenOptions::new().append(true).create(true).open(&path)?;
        file.write_all(bytes)?;
        file.write_all(b"\n")
    });
    Markdown::with_room(append, room)
}
