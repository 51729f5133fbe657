//! `agentci recording check`: finds problems in recordings.
//!
//! ```text
//! $ agentci recording check recordings
//! warning: recordings/a.jsonl:14: call 3 GET https://shop.example/orders/17 was answered with status 404; record it again ..
//! 2 recordings: 0 errors, 1 warning
//! ```

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use agentci::report::Paint;
use agentci::source::parse_duration;
use clap::Args;
use serde_json::json;

use super::finding::HealthSeverity;
use super::health::{DAY_S, RecordingCheck};
use super::uses::SearchedSuites;
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, counted};

/// Arguments of `agentci recording check`.
#[derive(Debug, Args)]
pub(crate) struct RecordingCheckArguments {
    /// Recordings, or directories to search for recordings
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Warn about recordings older than this
    #[arg(long, value_name = "AGE", default_value = "90d", value_parser = age)]
    older_than: Duration,
    /// Suites that may use the recordings (may be repeated) [default: suites next to PATH or in its parent directory]
    #[arg(long, value_name = "PATH")]
    suite: Vec<PathBuf>,
    /// Fail on warnings as well as errors
    #[arg(long)]
    strict: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// Parses a number of days, or any other duration.
fn age(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let other = || parse_duration(text).map_err(|_| "expected a number and a unit, such as `30d` or `12h`".to_owned());
    days.map_or_else(other, |days| Ok(Duration::from_secs(DAY_S * u64::from(days))))
}

pub(super) fn check(arguments: &RecordingCheckArguments, context: &CliContext) -> CommandResult {
    let in_sight = SearchedSuites::load(&arguments.suite, &arguments.paths);
    let mut checking = RecordingCheck::new(arguments.older_than, in_sight);
    for path in &arguments.paths {
        checking.path(path)?;
    }
    if checking.done.is_empty() {
        let help = "create one with `agentci record -- CMD`, then pass the file or its folder";
        return Err(CliError::new("no recordings found: no `.jsonl` file is a recording", help));
    }
    checking.tell_unknown();
    let errors = checking.count(HealthSeverity::Error);
    let warnings = checking.count(HealthSeverity::Warning);
    let found = if arguments.json {
        json(&checking, errors, warnings)
    } else {
        text(&checking, Paint::new(context.stdout_color), errors, warnings)
    };
    context.print(&context.without_secrets(&found));
    let failed = errors > 0 || (arguments.strict && warnings > 0);
    Ok(if failed { ExitStatus::Failed } else { ExitStatus::Success })
}

fn text(checking: &RecordingCheck, paint: Paint, errors: usize, warnings: usize) -> String {
    let mut text: String = checking.findings.iter().map(|finding| finding.line(paint)).collect();
    if checking.retried > 0 {
        let were = counted(checking.retried, "answer asked for a retry", "answers asked for a retry");
        let _ = writeln!(text, "{were}, which succeeded");
    }
    if checking.others > 0 {
        let files = counted(checking.others, "other `.jsonl` file was", "other `.jsonl` files were");
        let _ = writeln!(text, "{files} skipped: not a recording of model and tool calls");
    }
    let found = counted(checking.done.len(), "recording", "recordings");
    let wrong = if errors + warnings == 0 {
        "no problems found".to_owned()
    } else {
        format!("{}, {}", counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"))
    };
    text + &format!("{found}: {wrong}\n")
}

fn json(checking: &RecordingCheck, errors: usize, warnings: usize) -> String {
    let all = json!({
        "recordings": checking.done.len(),
        "errors": errors,
        "warnings": warnings,
        "retried": checking.retried,
        "other_files": checking.others,
        "findings": checking.findings,
    });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_age_as_days_or_duration() {
        assert_eq!(age("30d"), Ok(Duration::from_hours(720)));
        assert_eq!(age("12h"), Ok(Duration::from_hours(12)));
        assert_eq!(age("0"), Ok(Duration::ZERO));
        for wrong in ["", "d", "30", "30 days", "-1d"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
