//! The hint about cases that did not pass: the report, and the command that runs them again.
//!
//! ```text
//! report: .agentci/runs/refunds/20251115-030640/report.html
//! run them again: agentci run evals --case partial-refund --case checkout
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use agentci::report::{ReportError, Reporter, one_line};
use agentci::verdict::{Body, CaseStatus, RunEvent};
use agentci_text::shell_quoted;

use super::CliContext;

/// The longest command that is printed, in bytes.
const COMMAND_LIMIT: usize = 1000;
/// The maximum number of cases that are named; `--failed` selects more of them.
const NAMED: usize = 10;
/// Flags that select cases; each has a value.
const SELECTING: [&str; 5] = ["--case", "--tag", "--run", "--shard", "--shard-by"];
/// Flags that select cases; a value is joined with `=`.
const FAILED: [&str; 2] = ["--failed", "--lf"];
/// The flag that continues a run.
const RESUME: &str = "--resume";

/// Collects the cases of a run that did not pass.
#[derive(Debug, Default)]
pub(super) struct RerunHint {
    /// The ids of the cases, by position.
    cases: BTreeMap<usize, String>,
    /// Whether the run left cases that it did not finish.
    has_left: bool,
}

impl Reporter for RerunHint {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if let (Body::CaseEnd(end), Some(id)) = (&event.body, &event.case_id)
            && matches!(end.status, CaseStatus::Fail | CaseStatus::Error)
        {
            self.cases.entry(end.index).or_insert_with(|| id.to_string());
        }
        if let Body::RunEnd(end) = &event.body {
            self.has_left = !end.is_whole();
        }
        Ok(())
    }
}

impl RerunHint {
    /// Whether the run left cases that it did not finish.
    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }

    /// The lines about a run that did not pass.
    pub(super) fn what_next(&self, context: &CliContext, report: &Path) -> String {
        let mut text = format!("report: {}\n", one_line(&report.display().to_string()));
        if let Some(command) = self.command(&context.arguments).filter(|_| !self.cases.is_empty()) {
            let which = if self.cases.len() == 1 { "it" } else { "them" };
            let _ = writeln!(text, "run {which} again: {command}");
        }
        context.without_secrets(&text)
    }

    /// The current command line, with these cases instead of its own selection.
    fn command(&self, arguments: &[String]) -> Option<String> {
        let mut parts = vec!["agentci".to_owned()];
        // Only paths come after `--`, so flags have to come before it.
        let (flags, paths) =
            arguments.split_at(arguments.iter().position(|word| word == "--").unwrap_or(arguments.len()));
        let mut given = flags.iter();
        while let Some(argument) = given.next() {
            if SELECTING.contains(&argument.as_str()) {
                given.next();
            } else if argument == "--watch"
                || argument == RESUME
                || argument.starts_with("--resume=")
                || FAILED.contains(&argument.as_str())
            {
                // Once is enough, and the cases are selected anew.
            } else if !SELECTING.iter().chain(&FAILED).any(|flag| argument.starts_with(&format!("{flag}="))) {
                parts.push(quoted(argument)?);
            }
        }
        let named = if self.cases.len() <= NAMED { Some(self.cases.values()) } else { None };
        if named.is_none() {
            parts.push("--failed".to_owned());
        }
        for id in named.into_iter().flatten() {
            // An id that starts with a dash would be read as a flag.
            parts.push(if id.starts_with('-') {
                quoted(&format!("--case={id}"))?
            } else {
                format!("--case {}", quoted(id)?)
            });
        }
        for path in paths {
            parts.push(quoted(path)?);
        }
        let command = parts.join(" ");
        (command.len() <= COMMAND_LIMIT).then_some(command)
    }
}

/// The current command line, changed to continue this run, or the newest run of each suite. `failed` is the run whose
/// failed cases were selected.
pub(super) fn resuming(arguments: &[String], run: Option<&Path>, failed: Option<&Path>) -> Option<String> {
    let mut parts = vec!["agentci".to_owned()];
    let (flags, paths) = arguments.split_at(arguments.iter().position(|word| word == "--").unwrap_or(arguments.len()));
    for argument in flags {
        if argument == RESUME || argument.starts_with(&format!("{RESUME}=")) {
            continue;
        }
        match failed.filter(|_| FAILED.contains(&argument.as_str())) {
            Some(run) => parts.push(quoted(&format!("{argument}={}", run.display()))?),
            None => parts.push(quoted(argument)?),
        }
    }
    parts.push(quoted(&run.map_or(RESUME.to_owned(), |run| format!("{RESUME}={}", run.display())))?);
    for path in paths {
        parts.push(quoted(path)?);
    }
    let command = parts.join(" ");
    (command.len() <= COMMAND_LIMIT).then_some(command)
}

/// A word, quoted for a shell; `None` if it contains unprintable characters.
pub(super) fn quoted(word: &str) -> Option<String> {
    (one_line(word) == word).then(|| shell_quoted(word))
}

#[cfg(test)]
mod tests {
    use agentci::verdict::CaseEnd;

    use super::*;

    fn command(arguments: &[&str], cases: &[&str]) -> Option<String> {
        let cases = cases.iter().map(|id| (*id).to_owned()).enumerate().collect();
        RerunHint { cases, has_left: false }
            .command(&arguments.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn suggests_rerunning_only_failed_cases() {
        let mut hint = RerunHint::default();
        let statuses = [
            (2, CaseStatus::Error),
            (0, CaseStatus::Fail),
            (1, CaseStatus::Pass),
            (3, CaseStatus::Skipped),
            (0, CaseStatus::Fail),
        ];
        for (index, status) in statuses {
            let end = CaseEnd { index, status, ..CaseEnd::default() };
            let (suite, case_id) = ("s".into(), Some(format!("c{index}").into()));
            hint.on_event(&RunEvent {
                suite,
                case_id,
                attempt: Some(1),
                timestamp: 1,
                body: Body::CaseEnd(end.into()),
            })
            .unwrap();
        }
        assert_eq!(hint.command(&["run".to_owned()]).unwrap(), "agentci run --case c0 --case c2");
    }

    #[test]
    fn replaces_case_selection_and_keeps_other_flags() {
        let given =
            ["run", "evals", "--case", "a", "--tag=x", "--run", "b|c", "--shard=2/4", "--mode", "live", "--parallel=2"];
        let again = command(&given, &["a", "it's b", "-c"]).unwrap();
        assert_eq!(again, "agentci run evals --mode live --parallel=2 --case a --case 'it'\\''s b' --case=-c");
        assert_eq!(command(&["run", "--", "-odd", "--case"], &["a"]).unwrap(), "agentci run --case a -- -odd --case");
    }

    #[test]
    fn selects_many_cases_by_their_result() {
        let many = ["x"; 11];
        assert_eq!(command(&["run", "--lf", "evals"], &many).unwrap(), "agentci run evals --failed");
        assert_eq!(
            command(&["run", "--failed=old", "--tag", "a", "--", "-e"], &many).unwrap(),
            "agentci run --failed -- -e"
        );
        assert_eq!(command(&["run", "--failed"], &["x"]).unwrap(), "agentci run --case x");
    }

    #[test]
    fn omits_hint_for_unprintable_or_long_commands() {
        assert_eq!(command(&["run"], &["a\u{1b}[2J"]), None);
        assert_eq!(command(&["run"], &["a\nrm -rf"]), None);
        assert_eq!(command(&["run", &"x".repeat(2000)], &["a"]), None);
        assert_eq!(command(&["run", "my evals"], &["$(x)"]).unwrap(), "agentci run 'my evals' --case '$(x)'");
    }
}
