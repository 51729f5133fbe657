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

mod ground;
mod snapshot;
mod touch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agentci::NotedFiles;
use agentci::report::one_line;
use agentci::runner::Stop;
use agentci::verdict::ExitStatus;

use super::context::Context;
use super::run::{self, Prepared, RunArguments};
use super::session::{Whole, stopped_by_signals};
use ground::{Ground, absolute, is_program};
use snapshot::{FILE_LIMIT, FOLDER_LIMIT, Snapshot};
use touch::{Former, Territories};

pub(super) use touch::recorded;

/// How often files are looked at; less often where looking takes long.
const INTERVAL: Duration = Duration::from_millis(300);
/// How long nothing more may change before what was saved is run.
const SETTLED: Duration = Duration::from_millis(100);
/// How long it is waited for that.
const SETTLING: Duration = Duration::from_secs(3);
/// The most files that are named as changed.
const NAMED: usize = 3;

pub(super) fn watch(arguments: &RunArguments, context: &Context) -> ExitStatus {
    let Some(runtime) = run::runtime(context) else { return ExitStatus::Failed };
    let stop = {
        let _within = runtime.enter();
        stopped_by_signals()
    };
    let mut former: Option<Former> = None;
    let mut seen = Snapshot::default();
    let mut changed: Vec<PathBuf> = Vec::new();
    let mut restless: BTreeSet<PathBuf> = BTreeSet::new();
    let mut warned = false;
    loop {
        let noted = NotedFiles::default();
        let mut suites = run::load(arguments, &noted);
        let territories = Territories::of(suites.plan());
        let read = noted.into_read();
        let ground = Ground::of(&suites, &read, arguments, &territories);
        // What was changed while the suites were read is seen after the run.
        seen = ground.look().with_former(&seen);
        if seen.is_cut_off() && !warned {
            warned = true;
            context.say(&format!(
                "warning: there are more than {FILE_LIMIT} files or {FOLDER_LIMIT} folders here, and the rest is not \
                 watched\nhelp: name the folder of a suite\n"
            ));
        }
        let narrow = |selected: &mut [Vec<usize>], former: &Former| {
            let all = count(selected);
            territories.narrow(selected, &changed, former, ground.noted());
            (count(selected), all)
        };
        if let Some(former) = &former {
            let mut selected = arguments.selection.apply(suites.plan()).unwrap_or_default();
            let (left, all) = narrow(&mut selected, former);
            context.say(&header(&changed, left, all));
        }
        if let Ok(Prepared { mut selected, parts, not_loaded }) = run::prepare(&mut suites, &read, arguments, context) {
            if let Some(former) = &former {
                narrow(&mut selected, former);
            }
            if count(&selected) > 0 {
                let whole = Whole { parts, not_loaded };
                run::execute(&mut suites, &selected, whole, arguments, context, &runtime, &stop);
            }
        }
        // A path that was mistyped will hardly come to be.
        if former.is_none() && suites.plan().suites.is_empty() && !ground.is_there() {
            return ExitStatus::Failed;
        }
        former = Some(territories.into_former());
        if stop.stopped() {
            return ExitStatus::Interrupted;
        }
        // What an agent wrote beside its suite is no reason to run it again, nor is a program that each run makes anew.
        let now = ground.look();
        let during: BTreeSet<PathBuf> = seen.changes(&now).into_iter().collect();
        let counts = |path: &Path| ground.is_named(path) || is_program(path);
        seen = seen.caught_up(now, &|path| counts(path) && !restless.contains(path));
        restless = during;
        let files = seen.len();
        let s = if files == 1 { "" } else { "s" };
        context.say(&format!("watching {files} file{s} for changes, Ctrl-C ends it\n"));
        // The last lines of a log may come late, and what is said here may go to a file that is watched.
        let heard = |path: &Path| counts(path) || !restless.contains(path) || !path.exists();
        changed = runtime.block_on(wait(&ground, &mut seen, &heard, &stop));
        if changed.is_empty() {
            return ExitStatus::Interrupted;
        }
    }
}

/// Waits until files were changed, and for all of what is being saved; nothing when it is to end.
async fn wait(ground: &Ground, seen: &mut Snapshot, heard: &dyn Fn(&Path) -> bool, stop: &Stop) -> Vec<PathBuf> {
    let told = |seen: &Snapshot, now: &Snapshot| -> Vec<PathBuf> {
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
        let mut now = ground.look();
        pause = INTERVAL.max(began.elapsed() * 10);
        if told(seen, &now).is_empty() {
            continue;
        }
        let deadline = Instant::now() + SETTLING;
        loop {
            tokio::time::sleep(SETTLED).await;
            let later = ground.look();
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

fn count(selected: &[Vec<usize>]) -> usize {
    selected.iter().map(Vec::len).sum()
}

/// What is said before a run.
fn header(changed: &[PathBuf], left: usize, all: usize) -> String {
    let here = absolute(Path::new(""));
    let shown = |path: &PathBuf| one_line(&path.strip_prefix(&here).unwrap_or(path).display().to_string()).into_owned();
    let mut names: Vec<String> = changed.iter().take(NAMED).map(shown).collect();
    if changed.len() > NAMED {
        names.push(format!("{} more", changed.len() - NAMED));
    }
    let s = if all == 1 { "" } else { "s" };
    let what = match (left, all) {
        // What is wrong is said next.
        (_, 0) => String::new(),
        (0, _) => ", nothing to run".to_owned(),
        _ => format!(", running {left} of {all} case{s}"),
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
