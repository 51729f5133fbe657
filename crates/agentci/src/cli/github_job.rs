//! Output for GitHub Actions jobs: annotations on the lines of suites, and the step summary.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use agentci::report::{Checkout, Github, Markdown, ReportOutput, not_loaded_annotations};
use agentci::source::{Diagnostics, Severity, Sources};
use agentci::verdict::NotLoaded;

use super::CliContext;

/// The name of the step summary in error messages.
pub(crate) const STEP_SUMMARY: &str = "for GITHUB_STEP_SUMMARY";

/// The largest step summary in bytes, with some margin: GitHub refuses all of a summary that exceeds 1 MiB.
const STEP_SUMMARY_LIMIT: u64 = 1000 * 1000;

/// The report that prints failures as annotations; to be added before all others that print to `out`.
pub(crate) fn annotations(out: Box<dyn Write>) -> Github {
    // The hasher has a random seed in each process, so that an agent that runs alongside cannot guess the token.
    let token = RandomState::new().build_hasher().finish();
    Github::new(out, format!("agentci-{token:016x}")).within(checkout())
}

/// Annotates suites and cases that could not be loaded, if this is a GitHub Actions job. Annotations go where those of
/// the run go: of two streams, GitHub might read the command first that stops commands during the run.
pub(super) fn annotate_not_loaded(problems: &[NotLoaded], context: &CliContext, aside: bool) {
    if context.is_github {
        let text = not_loaded_annotations(problems, checkout().as_ref());
        context.print_or_say(&context.without_secrets(&text), aside);
    }
}

/// The errors among problems with suites, as they are stored with a run.
pub(super) fn not_loaded(problems: &Diagnostics, sources: &Sources) -> Vec<NotLoaded> {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let stored = errors.map(|problem| NotLoaded {
        place: problem.place(sources),
        message: problem.message.clone(),
        help: problem.help.clone(),
    });
    stored.collect()
}

/// The checkout of the GitHub Actions job, and the current folder in it.
pub(super) fn checkout() -> Option<Checkout> {
    let top = std::env::var_os("GITHUB_WORKSPACE").filter(|path| !path.is_empty())?;
    let here = std::env::current_dir().ok()?;
    // Either may be a symbolic link.
    let real = |path: PathBuf| fs_err::canonicalize(&path).unwrap_or(path);
    Some(Checkout { top: real(top.into()), here: real(here) })
}

/// The report for the step summary, which is appended to the existing file.
pub(crate) fn step_summary(path: &Path) -> Markdown {
    let used = std::fs::metadata(path).map_or(0, |file| file.len());
    let room = usize::try_from(STEP_SUMMARY_LIMIT.saturating_sub(used)).expect("the limit is small");
    let path = path.to_path_buf();
    let append: ReportOutput = Box::new(move |bytes| {
        let mut file = fs_err::OpenOptions::new().append(true).create(true).open(&path)?;
        file.write_all(bytes)?;
        file.write_all(b"\n")
    });
    Markdown::with_room(append, room)
}
