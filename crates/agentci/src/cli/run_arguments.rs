//! The flags of `agentci run` and `agentci record`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agentci::plan::{MOST_RUNS, Mode};
use agentci::source::{Files, parse_duration, print_duration};
use clap::Args;
use serde_json::Value;

use super::agents::AgentFlags;
use super::ceilings::CeilingFlags;
use super::dialect::{self, DialectRunFlags};
use super::gates::GateFlags;
use super::record_flags::RecordFlags;
use super::resume::ResumeFlag;
use super::services::ServiceFlags;
use super::shard::ShardFlags;
use super::{DialectFlags, ReportFlags, Selection, Suites};

/// Arguments of `agentci run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct RunArguments {
    /// Suite files, or directories to search for suites [default: current directory]
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) resume: ResumeFlag,
    #[command(flatten)]
    pub(super) shard: ShardFlags,
    #[command(flatten)]
    pub(super) dialects: DialectFlags,
    /// Replay or record answers, or only call live services [default: the suite's] [possible values: replay, record, live]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(super) mode: Option<Mode>,
    /// Number of cases to run in parallel [default: number of CPU cores, or 1 for suites that run sequentially]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(super) parallel: Option<usize>,
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help = dialect::TIMEOUT)]
    pub(super) timeout: Option<Duration>,
    /// Run each case N times, or `until-decided` until the gate `no_regression` can tell whether it got worse; a case passes only if all runs pass [default: the case's `runs`, else 1]
    #[arg(long, value_name = "N", value_parser = run_count)]
    pub(super) runs: Option<RunCount>,
    /// Do not start further cases after the first one that does not pass
    #[arg(long)]
    pub(super) fail_fast: bool,
    #[command(flatten)]
    pub(super) ceilings: CeilingFlags,
    #[command(flatten)]
    pub(super) agents: AgentFlags,
    /// Retries per case if the agent is unreachable or returns status 429; failed checks are never retried
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub(super) retries: u32,
    /// Re-run affected cases when a file changes
    #[arg(long, conflicts_with_all = ["shard", "dry_run", "json", "failed"])]
    pub(super) watch: bool,
    /// List the cases that would run, without running them
    #[arg(long)]
    pub(super) dry_run: bool,
    #[arg(long, help = dialect::JSON, help_heading = "Reports and output")]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) services: ServiceFlags,
    #[command(flatten)]
    pub(super) dialects_run: DialectRunFlags,
    #[command(flatten)]
    pub(super) gates: GateFlags,
    #[command(flatten)]
    pub(super) reports: ReportFlags,
    /// Directory for run folders [default: the suite's `output_dir`, else `.agentci/runs`]
    #[arg(long, value_name = "DIR", help_heading = "Reports and output")]
    pub(super) output_dir: Option<PathBuf>,
    /// Show every check and tool call
    #[arg(short, long, help_heading = "Reports and output")]
    pub(super) verbose: bool,
    /// The flags of `agentci record` alone.
    #[arg(skip)]
    pub(super) recording: RecordFlags,
}

impl RunArguments {
    /// Loads the suites.
    pub(super) fn load(&self, files: &dyn Files) -> Suites {
        let mut options = self.dialects.options();
        self.dialects_run.add_to(&mut options, self.timeout);
        Suites::load_from(files, self.dialects.paths(&self.paths), &options)
    }

    /// Whether standard output is reserved for data, so that messages go to standard error.
    pub(super) fn talks_aside(&self) -> bool {
        self.json || self.reports.take_stdout() || self.want_answer_only()
    }

    /// Whether only the answer to a message is printed, without a run folder.
    pub(super) fn want_answer_only(&self) -> bool {
        let asks_for_more = self.json
            || self.output_dir.is_some()
            || self.dialects_run.report_writer().is_some()
            || self.runs.is_some_and(|runs| runs != RunCount::Fixed(1))
            || self.reports.need_folder();
        self.dialects.is_message() && self.paths.is_empty() && !asks_for_more
    }

    /// The flags that are stored with a run, by name.
    pub(super) fn recorded(&self, default_out: Option<&Path>) -> BTreeMap<String, Value> {
        let out = self.reports.first_out().map(str::to_owned).or(default_out.map(|path| path.display().to_string()));
        let options: [(&str, Option<Value>); 9] = [
            ("connector", self.dialects.connector().map(Value::from)),
            ("retries", (self.retries > 0).then(|| self.retries.into())),
            ("fail_fast", self.fail_fast.then_some(true.into())),
            ("out", out.map(Value::from)),
            ("parallel", self.parallel.map(Value::from)),
            ("reporter", self.dialects_run.report_writer().map(Value::from)),
            ("runs", self.runs.map(RunCount::recorded)),
            ("timeout", self.timeout.map(|limit| print_duration(limit).into())),
            ("verbose", self.verbose.then_some(true.into())),
        ];
        options
            .into_iter()
            .chain(self.selection.recorded())
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }
}

fn mode(word: &str) -> Result<Mode, String> {
    let known = Mode::NAMES.iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode);
    known.ok_or_else(|| "expected one of replay, record, live".into())
}

/// How many times each case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCount {
    Fixed(u32),
    UntilDecided,
}

impl RunCount {
    fn recorded(self) -> Value {
        match self {
            Self::Fixed(runs) => runs.into(),
            Self::UntilDecided => UNTIL_DECIDED.into(),
        }
    }
}

const UNTIL_DECIDED: &str = "until-decided";

fn run_count(text: &str) -> Result<RunCount, String> {
    if text == UNTIL_DECIDED {
        return Ok(RunCount::UntilDecided);
    }
    let runs = text.parse().ok().filter(|runs| (1..=MOST_RUNS).contains(runs)).map(RunCount::Fixed);
    runs.ok_or_else(|| format!("expected an integer from 1 to {MOST_RUNS}, or `{UNTIL_DECIDED}`"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count >= 1).ok_or_else(|| "expected an integer of at least 1".into())
}
