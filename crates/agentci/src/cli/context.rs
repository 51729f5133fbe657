//! What the surroundings say, read once.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use agentci::report::{Paint, Tone, count_of};
use agentci::source::{Diagnostics, Severity, Sources};
use agentci::trace::Redactor;
use agentci::verdict::NotLoaded;
use clap::ValueEnum;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Use colour on a terminal unless `NO_COLOR` is set
    Auto,
    /// Always use colour
    Always,
    /// Never use colour
    Never,
}

/// Facts about terminal and environment.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct CliContext {
    /// What was asked for, word by word.
    pub(crate) arguments: Vec<String>,
    /// How to paint what goes to standard output.
    pub(crate) stdout_color: bool,
    /// How to paint what goes to standard error.
    pub(crate) stderr_color: bool,
    /// Whether someone watches standard error.
    pub(crate) stderr_is_terminal: bool,
    /// Whether something could not be printed. A cell, like the log: everyone holds the context and may say something.
    unprinted: Cell<bool>,
    /// What must not be shown.
    secrets: Redactor,
    /// What was said so far, or the log that it goes to as well.
    log: RefCell<TalkLog>,
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// Whether this is part of a job of GitHub Actions.
    pub(crate) is_github: bool,
    /// Where a step of such a job leaves its summary.
    pub(crate) step_summary: Option<PathBuf>,
}

/// How much of what is said before a log is opened is kept, in bytes.
const KEPT: usize = 1 << 20;

/// A second place for talk.
#[derive(Debug)]
enum TalkLog {
    Kept(String),
    File(fs_err::File),
}

impl CliContext {
    pub(crate) fn new(color: Color, arguments: &[OsString]) -> Self {
        let forced = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let stderr_is_terminal = std::io::stderr().is_terminal();
        let is_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let step_summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        Self {
            arguments: arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            stdout_color: forced(std::io::stdout().is_terminal()),
            stderr_color: forced(stderr_is_terminal),
            stderr_is_terminal: stderr_is_terminal && std::env::var("TERM").is_ok_and(|term| term != "dumb"),
            unprinted: Cell::new(false),
            secrets: agentci::environment_secrets(),
            log: RefCell::new(TalkLog::Kept(String::new())),
            width: columns.unwrap_or(if stderr_is_terminal { 100 } else { 0 }),
            is_github,
            step_summary: step_summary.filter(|_| is_github).map(PathBuf::from),
        }
    }

    /// Data for standard output. A reader that went away is no error of ours.
    pub(crate) fn print(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.complain(&format!("standard output can not be written to: {error}"), None);
            self.unprinted.set(true);
        }
    }

    /// Data for standard output, or talk where that belongs to something else.
    pub(crate) fn print_or_say(&self, text: &str, aside: bool) {
        if aside { self.say(text) } else { self.print(text) }
    }

    /// Whether something could not be printed.
    pub(crate) fn unprinted(&self) -> bool {
        self.unprinted.get()
    }

    /// Talk for standard error.
    pub(crate) fn say(&self, text: &str) {
        self.note(text);
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    /// Something that was said, for the log.
    pub(crate) fn note(&self, text: &str) {
        let text = uncoloured(text);
        match &mut *self.log.borrow_mut() {
            TalkLog::Kept(kept) if kept.len() + text.len() <= KEPT => kept.push_str(&text),
            TalkLog::Kept(_) => {}
            // What cannot be written there is still said.
            TalkLog::File(file) => {
                let _ = file.write_all(text.as_bytes());
            }
        }
    }

    /// From now on everything that is said goes to this file as well, and first of all what was said so far. A file that is
    /// there is begun anew, unless it is the one of before. Whoever else writes to the returned file continues where this ends.
    pub(crate) fn log_to(&self, path: &Path) -> std::io::Result<fs_err::File> {
        let mut log = self.log.borrow_mut();
        if let TalkLog::File(file) = &*log
            && file.path() == path
        {
            return file.try_clone();
        }
        let mut file = fs_err::File::create(path)?;
        let words = self.without_secrets(&self.arguments.join(" "));
        writeln!(file, "agentci {} {}", env!("CARGO_PKG_VERSION"), agentci::report::one_line(&words))?;
        if let TalkLog::Kept(kept) = &*log {
            file.write_all(kept.as_bytes())?;
        }
        let shared = file.try_clone()?;
        *log = TalkLog::File(file);
        Ok(shared)
    }

    /// A text without what must not be shown.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.secrets.text(text).to_string()
    }

    /// A problem that has no place in a file.
    pub(crate) fn complain(&self, message: &str, help: Option<&str>) {
        let paint = Paint::new(self.stderr_color);
        let mut text = format!("{}: {message}\n", paint.apply(Tone::Error, "error"));
        if let Some(help) = help {
            let _ = writeln!(text, "{}: {help}", paint.apply(Tone::Help, "help"));
        }
        self.say(&self.secrets.text(&text));
    }

    /// Problems that have one, with a line between them.
    pub(crate) fn show(&self, problems: &Diagnostics, sources: &Sources) {
        for problem in problems {
            let text = agentci::report::diagnostic(problem, sources, Paint::new(self.stderr_color));
            self.say(&format!("{}\n\n", self.secrets.text(text.trim_end())));
        }
    }

    /// What could not be loaded when a stored run was made.
    pub(crate) fn show_not_loaded(&self, problems: &[NotLoaded]) {
        for problem in problems {
            let text = agentci::report::not_loaded(problem, Paint::new(self.stderr_color));
            self.say(&format!("{}\n\n", self.secrets.text(text.trim_end())));
        }
    }

    /// How many errors and warnings there were, in words.
    pub(crate) fn count(problems: &Diagnostics) -> String {
        let (errors, warnings) = (problems.count(Severity::Error), problems.count(Severity::Warning));
        format!("{}, {}", count_of(errors, "error"), count_of(warnings, "warning"))
    }
}

/// A text without the colours that are ours; what comes from outside has none.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let plain = parts.next().unwrap_or_default().to_owned();
    parts.fold(plain, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_no_colours() {
        assert_eq!(uncoloured("\u{1b}[1;31merror\u{1b}[0m: mine\n"), "error: mine\n");
        assert_eq!(uncoloured("plain"), "plain");
    }
}
