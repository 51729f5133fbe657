//! Runs cases in rounds, with a wait for changes between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentci::report::{count_of, one_line};
use agentci::runner::Stop;
use agentci::{NotedFiles, Suites};
use tokio::runtime::Runtime;

use super::snapshot::{FILE_LIMIT, FOLDER_LIMIT, FileSnapshot};
use super::touch::{PreviousRound, WatchedSuites};
use super::watch_set::{WatchSet, is_program};
use crate::cli::case_files::absolute;
use crate::cli::prepare::prepare;
use crate::cli::{CliContext, CommandResult, ExitStatus, RunArguments, execute, stopped_by_signals};

/// How often files are polled; less often if polling is slow.
const INTERVAL: Duration = Duration::from_millis(300);
/// How long files must stay unchanged before cases run again.
const SETTLED: Duration = Duration::from_millis(100);
/// How long to wait for that at most.
const SETTLING: Duration = Duration::from_secs(3);
/// How many changed files are named.
const NAMED: usize = 3;

pub(in crate::cli) fn watch(arguments: &RunArguments, context: &CliContext) -> CommandResult {
    let runtime = execute::runtime()?;
    let stop = stopped_by_signals(&runtime);
    let mut watcher = WatchRounds {
        arguments,
        context,
        runtime,
        stop,
        previous: None,
        seen: FileSnapshot::default(),
        changed: Vec::new(),
        restless: BTreeSet::new(),
        warned: false,
    };
    loop {
        if let Some(status) = watcher.round() {
            return Ok(status);
        }
    }
}

/// The state that is kept between rounds.
struct WatchRounds<'w> {
    arguments: &'w RunArguments,
    context: &'w CliContext,
    runtime: Runtime,
    stop: Stop,
    /// The files of the suites in the last round; `None` before the first.
    previous: Option<PreviousRound>,
    seen: FileSnapshot,
    /// The files that changed, whose cases run again.
    changed: Vec<PathBuf>,
    /// Files that changed during the last run.
    restless: BTreeSet<PathBuf>,
    /// Whether the warning about files that are not watched was printed.
    warned: bool,
}

impl WatchRounds<'_> {
    /// Runs the cases that the changed files affect, at first all, and waits for the next change. Returns a status to
    /// end the watch.
    fn round(&mut self) -> Option<ExitStatus> {
        let noted = NotedFiles::default();
        let mut suites = self.arguments.load(&noted);
        let watched_suites = WatchedSuites::of(&suites);
        let read = noted.into_read();
        let named = self.arguments.dialects.paths(&self.arguments.paths);
        let watched = WatchSet::of(&suites, &read, &named, self.arguments, &watched_suites);
        // Changes while the suites are loaded are noticed after the run.
        self.seen = watched.look().with_previous(&self.seen);
        self.warn_if_cut_off();
        self.say_what_changed(&mut suites, &watched_suites, &watched);
        self.run(&mut suites, &read, &watched_suites, &watched);
        // A mistyped path is unlikely to be created later.
        if self.previous.is_none() && suites.loaded().is_empty() && !watched.is_there() {
            return Some(ExitStatus::Failed);
        }
        self.previous = Some(watched_suites.into_previous());
        if self.stop.stopped() {
            return Some(ExitStatus::Interrupted);
        }
        self.wait_for_change(&watched);
        self.changed.is_empty().then_some(ExitStatus::Interrupted)
    }

    fn warn_if_cut_off(&mut self) {
        if self.seen.is_cut_off() && !self.warned {
            self.warned = true;
            self.context.say(&format!(
                "warning: there are more than {FILE_LIMIT} files or {FOLDER_LIMIT} folders here; the rest is not \
                 watched\nhelp: pass the folder of a suite\n"
            ));
        }
    }

    /// From the second round on, prints the changed files and the number of cases that they affect.
    fn say_what_changed(&self, suites: &mut Suites, watched_suites: &WatchedSuites, watched: &WatchSet) {
        let Some(previous) = &self.previous else { return };
        // Problems with the selection are reported when the run is prepared.
        let (left, all) = if self.arguments.selection.apply(suites, None, self.context).is_ok() {
            let all = count(suites);
            watched_suites.narrow(suites, &self.changed, previous, watched.noted());
            (count(suites), all)
        } else {
            (0, 0)
        };
        self.context.say(&header(&self.changed, left, all));
    }

    /// Runs the cases that the changed files affect.
    fn run(&self, suites: &mut Suites, read: &BTreeSet<PathBuf>, watched_suites: &WatchedSuites, watched: &WatchSet) {
        let (arguments, context) = (self.arguments, self.context);
        let prepared = match prepare(suites, read, arguments, context) {
            Ok(prepared) => prepared,
            Err(error) => {
                error.tell(context);
                return;
            }
        };
        if let Some(previous) = &self.previous {
            watched_suites.narrow(suites, &self.changed, previous, watched.noted());
        }
        if count(suites) > 0 {
            let run = execute::Execution { prepared, failed_from: None };
            if let Err(error) = execute::execute(suites, run, (arguments, context), &self.runtime, &self.stop) {
                error.tell(context);
            }
        }
    }

    /// Waits for the next change; `changed` is empty afterwards if the watch is to end.
    fn wait_for_change(&mut self, watched: &WatchSet) {
        // Files that an agent wrote next to its suite do not cause another run, nor do programs that each run
        // generates.
        let now = watched.look();
        let during: BTreeSet<PathBuf> = self.seen.changes(&now).into_iter().collect();
        let counts = |path: &Path| watched.is_named(path) || is_program(path);
        let before = std::mem::replace(&mut self.restless, during);
        self.seen = std::mem::take(&mut self.seen).caught_up(now, &|path| counts(path) && !before.contains(path));
        let files = count_of(self.seen.len(), "file");
        self.context.say(&format!("watching {files} for changes, press Ctrl-C to stop\n"));
        // The last lines of a log may arrive late, and our own messages may go to a watched file.
        let heard = |path: &Path| counts(path) || !self.restless.contains(path) || !path.exists();
        self.changed = self.runtime.block_on(wait(watched, &mut self.seen, &heard, &self.stop));
    }
}

/// Waits until files change, and until they stay unchanged again. Returns nothing if the watch is to end.
async fn wait(watched: &WatchSet, seen: &mut FileSnapshot, heard: &dyn Fn(&Path) -> bool, stop: &Stop) -> Vec<PathBuf> {
    let told = |seen: &FileSnapshot, now: &FileSnapshot| -> Vec<PathBuf> {
        seen.changes(now).into_iter().filter(|path| heard(path)).collect()
    };
    let mut pause = Duration::ZERO;
    loop {
        tokio::select! {
            biased;
            () = stop.wait() => return Vec::new(),
            () = tokio::time::sleep(pause) => {}
        }
        let began = Instant::now();
        let mut now = watched.look();
        pause = INTERVAL.max(began.elapsed() * 10);
        if told(seen, &now).is_empty() {
            continue;
        }
        let deadline = Instant::now() + SETTLING;
        loop {
            tokio::time::sleep(SETTLED).await;
            let later = watched.look();
            let settled = later.changes(&now).is_empty();
            now = later;
            if settled || Instant::now() > deadline {
                break;
            }
        }
        let changed = told(seen, &now);
        *seen = now;
        // A temporary file of an editor may be gone again.
        if !changed.is_empty() {
            return changed;
        }
    }
}

fn count(suites: &Suites) -> usize {
    suites.loaded().iter().map(|loaded| loaded.selected.len()).sum()
}

/// The line that is printed before a run.
fn header(changed: &[PathBuf], left: usize, all: usize) -> String {
    let here = absolute(Path::new(""));
    let shown = |path: &PathBuf| one_line(&path.strip_prefix(&here).unwrap_or(path).display().to_string()).into_owned();
    let mut names: Vec<String> = changed.iter().take(NAMED).map(shown).collect();
    if changed.len() > NAMED {
        names.push(format!("{} more", changed.len() - NAMED));
    }
    let what = match (left, all) {
        // The problem is reported next.
        (_, 0) => String::new(),
        (0, _) => ", nothing to run".to_owned(),
        _ => format!(", running {left} of {}", count_of(all, "case")),
    };
    format!("\nchanged: {}{what}\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lists_three_files_and_counts_the_rest() {
        let paths =
            |count: usize| (0..count).map(|number| absolute(Path::new(&format!("{number}.py")))).collect::<Vec<_>>();
        assert_eq!(header(&paths(1), 1, 12), "\nchanged: 0.py, running 1 of 12 cases\n");
        assert_eq!(header(&paths(5), 1, 1), "\nchanged: 0.py, 1.py, 2.py, 2 more, running 1 of 1 case\n");
        assert_eq!(header(&[PathBuf::from("/else/a\u{1b}")], 0, 2), "\nchanged: /else/a\\u{1b}, nothing to run\n");
        assert_eq!(header(&paths(1), 0, 0), "\nchanged: 0.py\n");
    }
}
