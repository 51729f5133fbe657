//! The terminal and the environment of the process, and its output.

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

/// Facts about the terminal and the environment, read once.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct CliContext {
    /// The words of the command line after the program name.
    pub(crate) arguments: Vec<String>,
    /// Whether to use colour on standard output.
    pub(crate) stdout_color: bool,
    /// Whether to use colour on standard error.
    pub(crate) stderr_color: bool,
    /// Whether standard error is a terminal other than a dumb one.
    pub(crate) stderr_is_terminal: bool,
    /// Whether something could not be printed. A cell, like the log, since the context is shared.
    unprinted: Cell<bool>,
    /// Values that must not be shown.
    secrets: Redactor,
    /// The messages so far, or the log file that messages are also written to.
    log: RefCell<MessageLog>,
    /// Columns of the terminal, or of `COLUMNS`; 0 without both.
    pub(crate) width: usize,
    /// Whether this runs in a GitHub Actions job.
    pub(crate) is_github: bool,
    /// The file for the step summary of such a job.
    pub(crate) step_summary: Option<PathBuf>,
}

/// The columns of a terminal that does not tell its size.
const WIDTH: usize = 100;

/// How many bytes of messages are kept before a log is opened.
const KEPT: usize = 1 << 20;

/// Where messages go besides standard error.
#[derive(Debug)]
enum MessageLog {
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
            log: RefCell::new(MessageLog::Kept(String::new())),
            width: columns.or_else(terminal_width).unwrap_or(if stderr_is_terminal { WIDTH } else { 0 }),
            is_github,
            step_summary: step_summary.filter(|_| is_github).map(PathBuf::from),
        }
    }

    /// Prints data to standard output. A closed pipe is not an error.
    pub(crate) fn print(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.complain(&format!("cannot write to standard output: {error}"), None);
            self.unprinted.set(true);
        }
    }

    /// Prints data to standard output, or to standard error with `aside`.
    pub(crate) fn print_or_say(&self, text: &str, aside: bool) {
        if aside { self.say(text) } else { self.print(text) }
    }

    /// Whether something could not be printed.
    pub(crate) fn unprinted(&self) -> bool {
        self.unprinted.get()
    }

    /// Prints a message to standard error.
    pub(crate) fn say(&self, text: &str) {
        self.note(text);
        let mut stderr = std::io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    /// Adds a message to the log.
    pub(crate) fn note(&self, text: &str) {
        let text = uncoloured(text);
        match &mut *self.log.borrow_mut() {
            MessageLog::Kept(kept) if kept.len() + text.len() <= KEPT => kept.push_str(&text),
            MessageLog::Kept(_) => {}
            // The message is printed even if the log cannot be written.
            MessageLog::File(file) => {
                let _ = file.write_all(text.as_bytes());
            }
        }
    }

    /// Also writes all messages to this file from now on, starting with the messages so far. An existing file is
    /// truncated, unless it already is the log. Writes to the returned file continue where the log ends.
    pub(crate) fn log_to(&self, path: &Path) -> std::io::Result<fs_err::File> {
        let mut log = self.log.borrow_mut();
        if let MessageLog::File(file) = &*log
            && file.path() == path
        {
            return file.try_clone();
        }
        let mut file = fs_err::File::create(path)?;
        let words = self.without_secrets(&self.arguments.join(" "));
        writeln!(file, "agentci {} {}", env!("CARGO_PKG_VERSION"), agentci::report::one_line(&words))?;
        if let MessageLog::Kept(kept) = &*log {
            file.write_all(kept.as_bytes())?;
        }
        let shared = file.try_clone()?;
        *log = MessageLog::File(file);
        Ok(shared)
    }

    /// A text without secrets.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        self.secrets.text(text).to_string()
    }

    /// Prints an error that has no position in a file.
    pub(crate) fn complain(&self, message: &str, help: Option<&str>) {
        let paint = Paint::new(self.stderr_color);
        let mut text = format!("{}: {message}\n", paint.apply(Tone::Error, "error"));
        if let Some(help) = help {
            let _ = writeln!(text, "{}: {help}", paint.apply(Tone::Help, "help"));
        }
        self.say(&self.secrets.text(&text));
    }

    /// Prints problems that have one, separated by blank lines.
    pub(crate) fn show(&self, problems: &Diagnostics, sources: &Sources) {
        for problem in problems {
            let text = agentci::report::diagnostic(problem, sources, Paint::new(self.stderr_color));
            self.say(&format!("{}\n\n", self.secrets.text(text.trim_end())));
        }
    }

    /// Prints what could not be loaded when a stored run was made.
    pub(crate) fn show_not_loaded(&self, problems: &[NotLoaded]) {
        for problem in problems {
            let text = agentci::report::not_loaded(problem, Paint::new(self.stderr_color));
            self.say(&format!("{}\n\n", self.secrets.text(text.trim_end())));
        }
    }

    /// The number of errors and warnings, in words.
    pub(crate) fn count(problems: &Diagnostics) -> String {
        let (errors, warnings) = (problems.count(Severity::Error), problems.count(Severity::Warning));
        format!("{}, {}", count_of(errors, "error"), count_of(warnings, "warning"))
    }
}

/// The columns of the terminal that shows the output, or else of the one that shows messages.
fn terminal_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let (terminal_size::Width(columns), _) = size.or_else(|| terminal_size::terminal_size_of(std::io::stderr()))?;
    Some(usize::from(columns))
}

/// A text without our own colour codes; text from outside has none.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let plain = parts.next().expect("a split has at least one part").to_owned();
    parts.fold(plain, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_ansi_colors_from_log() {
        assert_eq!(uncoloured("\u{1b}[1;31merror\u{1b}[0m: mine\n"), "error: mine\n");
        assert_eq!(uncoloured("plain"), "plain");
    }
}
