//! `agentci run --watch`: runs once, and then again what a saved file touches.
//!
//! ```text
//! changed: cases/a.yaml, running 1 of 12 cases
//! ..
//! watching 31 files for changes, Ctrl-C ends it
//! ```
//!
//! Files are looked at every 300 ms, by time, size and number. Being told by the system instead would cost ten more crates and a
//! way for each system, does not reach into containers and network folders, and has limits of its own; looking at ten thousand
//! files, the most that are watched, takes some ten milliseconds.

mod snapshot;
mod touch;
mod watch_set;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentci::report::{count_of, one_line};
use agentci::runner::Stop;
use agentci::{NotedFiles, Suites};
use tokio::runtime::Runtime;

use super::case_files::absolute;
use super::prepare::prepare;
use super::{CliContext, CommandResult, ExitStatus, RunArguments, execute, stopped_by_signals};
use snapshot::{FILE_LIMIT, FOLDER_LIMIT, FileSnapshot};
use touch::{Former, Territories};
use watch_set::{WatchSet, is_program};

/// How often files are looked at; less often where looking takes long.
const INTERVAL: Duration = Duration::from_millis(300);
/// How long nothing more may change before what was saved is run.
const SETTLED: Duration = Duration::from_millis(100);
/// How long it is waited for that.
const SETTLING: Duration = Duration::from_secs(3);
/// The most files that are named as changed.
const NAMED: usize = 3;

pub(super) fn watch(arguments: &RunArguments, context: &CliContext) -> CommandResult {
    let runtime = execute::runtime()?;
    let stop = stopped_by_signals(&runtime);
    let mut watcher = WatchRounds {
        arguments,
        context,
        runtime,
        stop,
        former: None,
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

/// What is known from one round to the next.
struct WatchRounds<'w> {
    arguments: &'w RunArguments,
    context: &'w CliContext,
    runtime: Runtime,
    stop: Stop,
    /// What belonged to the suites of the last round; nothing before the first.
    former: Option<Former>,
    seen: FileSnapshot,
    /// What is to be run again: the files that changed.
    changed: Vec<PathBuf>,
    /// Files that changed during the last run.
    restless: BTreeSet<PathBuf>,
    /// Whether it was said that not everything is watched.
    warned: bool,
}

impl WatchRounds<'_> {
    /// Runs what the changed files touch, everything at first, and waits for the next change; a status when it is to end.
    fn round(&mut self) -> Option<ExitStatus> {
        let noted = NotedFiles::default();
        let mut suites = self.arguments.load(&noted);
        let territories = Territories::of(&suites);
        let read = noted.into_read();
        let named = self.arguments.dialects.paths(&self.arguments.paths);
        let watched = WatchSet::of(&suites, &read, &named, self.arguments, &territories);
        // What was changed while the suites were read is seen after the run.
        self.seen = watched.look().with_former(&self.seen);
        self.warn_if_cut_off();
        self.say_what_changed(&mut suites, &territories, &watched);
        self.run(&mut suites, &read, &territories, &watched);
        // A path that was mistyped will hardly come to be.
        if self.former.is_none() && suites.loaded().is_empty() && !watched.is_there() {
            return Some(ExitStatus::Failed);
        }
        self.former = Some(territories.into_former());
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
                "warning: there are more than {FILE_LIMIT} files or {FOLDER_LIMIT} folders here, and the rest is not \
                 watched\nhelp: name the folder of a suite\n"
            ));
        }
    }

    /// From the second round on, names the changed files and how many cases they touch.
    fn say_what_changed(&self, suites: &mut Suites, territories: &Territories, watched: &WatchSet) {
        let Some(former) = &self.former else { return };
        // What is wrong with the selection is said when the run is prepared.
        let (left, all) = if self.arguments.selection.apply(suites).is_ok() {
            let all = count(suites);
            territories.narrow(suites, &self.changed, former, watched.noted());
            (count(suites), all)
        } else {
            (0, 0)
        };
        self.context.say(&header(&self.changed, left, all));
    }

    /// Runs the cases that the changed files touch.
    fn run(&self, suites: &mut Suites, read: &BTreeSet<PathBuf>, territories: &Territories, watched: &WatchSet) {
        let (arguments, context) = (self.arguments, self.context);
        let not_loaded = match prepare(suites, read, arguments, context) {
            Ok(not_loaded) => not_loaded,
            Err(error) => {
                error.tell(context);
                return;
            }
        };
        if let Some(former) = &self.former {
            territories.narrow(suites, &self.changed, former, watched.noted());
        }
        if count(suites) > 0 {
            execute::execute(suites, not_loaded, arguments, context, &self.runtime, &self.stop);
        }
    }

    /// Waits until something is to be run again; no file is changed afterwards when it is to end.
    fn wait_for_change(&mut self, watched: &WatchSet) {
        // What an agent wrote beside its suite is no reason to run it again, nor is a program that each run makes anew.
        let now = watched.look();
        let during: BTreeSet<PathBuf> = self.seen.changes(&now).into_iter().collect();
        let counts = |path: &Path| watched.is_named(path) || is_program(path);
        let before = std::mem::replace(&mut self.restless, during);
        self.seen = std::mem::take(&mut self.seen).caught_up(now, &|path| counts(path) && !before.contains(path));
        let files = count_of(self.seen.len(), "file");
        self.context.say(&format!("watching {files} for changes, Ctrl-C ends it\n"));
        // The last lines of a log may come late, and what is said here may go to a file that is watched.
        let heard = |path: &Path| counts(path) || !self.restless.contains(path) || !path.exists();
        self.changed = self.runtime.block_on(wait(watched, &mut self.seen, &heard, &self.stop));
    }
}

/// Waits until files were changed, and for all of what is being saved; nothing when it is to end.
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
        // What an editor had for a moment is gone again.
        if !changed.is_empty() {
            return changed;
        }
    }
}

fn count(suites: &Suites) -> usize {
    suites.loaded().iter().map(|loaded| loaded.selected.len()).sum()
}

/// What is said before a run.
fn header(changed: &[PathBuf], left: usize, all: usize) -> String {
    let here = absolute(Path::new(""));
    let shown = |path: &PathBuf| one_line(&path.strip_prefix(&here).unwrap_or(path).display().to_string()).into_owned();
    let mut names: Vec<String> = changed.iter().take(NAMED).map(shown).collect();
    if changed.len() > NAMED {
        names.push(format!("{} more", changed.len() - NAMED));
    }
    let what = match (left, all) {
        // What is wrong is said next.
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
    fn a_header_names_some_files_and_counts_the_rest() {
        let paths =
            |count: usize| (0..count).map(|number| absolute(Path::new(&format!("{number}.py")))).collect::<Vec<_>>();
        assert_eq!(header(&paths(1), 1, 12), "\nchanged: 0.py, running 1 of 12 cases\n");
        assert_eq!(header(&paths(5), 1, 1), "\nchanged: 0.py, 1.py, 2.py, 2 more, running 1 of 1 case\n");
        assert_eq!(header(&[PathBuf::from("/else/a\u{1b}")], 0, 2), "\nchanged: /else/a\\u{1b}, nothing to run\n");
        assert_eq!(header(&paths(1), 0, 0), "\nchanged: 0.py\n");
    }
}
