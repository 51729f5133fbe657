//! `agentci check-worker`: evaluates schemas and paths that may take long, for the run that started it.
//! `agentci_checks::bounded` describes the lines that it reads and prints.

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use agentci::checks::Evaluator;
use agentci::runner::{WORKER_MEMORY, WORKER_READY};
use agentci::verdict::ExitStatus;
use agentci_process::bound_memory;

/// The command that starts this program as a worker.
pub(crate) fn program() -> Option<(PathBuf, Vec<OsString>)> {
    Some((std::env::current_exe().ok()?, vec!["check-worker".into()]))
}

/// Runs as a worker until its input ends. The input is read even while a task is evaluated, so that the worker ends
/// with the run that started it.
pub(crate) fn work() -> ExitStatus {
    bound_memory(WORKER_MEMORY);
    let (send, tasks) = channel();
    std::thread::spawn(move || answer(&tasks));
    let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
    while let (Some(kind), Some(subject), Some(value)) = (lines.next(), lines.next(), lines.next()) {
        if send.send([kind, subject, value]).is_err() {
            return ExitStatus::Failed;
        }
    }
    ExitStatus::Success
}

fn answer(tasks: &Receiver<[String; 3]>) {
    let mut evaluator = Evaluator::default();
    let say = |line: &str| writeln!(std::io::stdout().lock(), "{line}").is_ok();
    let mut heard = say(WORKER_READY);
    while heard && let Ok([kind, subject, value]) = tasks.recv() {
        heard = say(&evaluator.answer(&kind, &subject, &value));
    }
}
