//! The command line: one module per command, and the flags and facts that they share.

mod agents;
mod baseline;
mod calibrate;
mod case_files;
mod cassettes;
mod ceilings;
mod check;
mod check_environment;
mod check_worker;
mod cli_error;
mod completions;
mod context;
mod convert;
mod demo_agent;
mod dialect;
mod diff;
pub mod documentation;
mod execute;
mod failed_cases;
mod faults;
mod foreign_flags;
mod gate;
mod gates;
mod github_job;
mod guard;
mod init;
mod inputs;
mod journal_reader;
mod journaled_console;
mod list;
mod mcp_servers;
mod merge;
mod message;
mod open_files;
mod prepare;
mod recheck;
mod record;
mod record_flags;
mod recorded;
mod recording;
mod replay;
mod report;
mod report_outputs;
mod reports;
mod rerun_hint;
mod resume;
mod run;
mod run_arguments;
mod run_metadata;
mod schema;
mod secrets;
mod select;
mod serve;
mod services;
mod session;
mod shard;
mod short_help;
mod signals;
mod single_dash;
mod stored_run;
mod suite_reports;
mod tap;
mod unselected_cases;
mod watch;

use std::ffi::OsString;
use std::io::Write as _;

use agentci::verdict::ExitStatus;
use agentci::{LoadedSuite, Suites};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};

// Names that most commands use.
use cli_error::{CliError, CommandResult, meant_or};
use context::CliContext;
use dialect::DialectFlags;
use execute::runtime;
use record::counted;
use recorded::{command_line, in_ci};
use reports::ReportFlags;
use rerun_hint::quoted;
use run_arguments::RunArguments;
use run_metadata::unix_ms;
use select::Selection;
use signals::stopped_by_signals;
use stored_run::RUNS;

/// Test AI agents in CI: record model and tool calls once, replay them for free, and see which step changed
#[derive(Debug, Parser)]
#[command(name = "agentci", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Option<CliCommand>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: context::Color,
}

const EXIT_CODES: &str = "Exit codes: 0 all passed; 1 failure or error; 2 usage error; 130 interrupted";

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Run test suites (alias: test)
    #[command(alias = "test", mut_args(short_help::only_common))]
    Run(RunArguments),
    /// Record a command (`record -- CMD`) or the cases of suites, with real models and tools
    #[command(
        mut_args(short_help::only_common),
        override_usage = "agentci record [OPTIONS] -- CMD...\n       agentci record [OPTIONS] [PATH]..."
    )]
    Record(record_flags::RecordSuiteArguments),
    /// Run a command and record its calls to models and tools
    #[command(
        hide = true,
        name = record::WITH_COMMAND,
        override_usage = "agentci record [OPTIONS] -- CMD..."
    )]
    RecordOne(record::RecordArguments),
    /// Re-run a recorded command offline, with responses from the recording
    #[command(override_usage = "agentci replay [OPTIONS] FILE [-- CMD...]")]
    Replay(replay::ReplayArguments),
    /// Show, compare, clean and check recordings, and detect drift from the live services
    #[command(subcommand)]
    Recording(recording::RecordingCommand),
    /// Wrap the command of an MCP server to record and replay it (`tap -- CMD`)
    #[command(override_usage = "agentci tap -- CMD...")]
    Tap(tap::TapArguments),
    /// Regenerate the reports of a stored run
    Report(report::ReportArguments),
    /// Merge sharded runs into one
    Merge(merge::MergeArguments),
    /// Compare a stored run with a baseline
    Diff(diff::DiffArguments),
    /// Manage baselines
    #[command(subcommand)]
    Baseline(baseline::BaselineCommand),
    /// Find out what a gate would do
    #[command(subcommand)]
    Gate(gate::GateCommand),
    /// Check suites for errors without running them (alias: validate)
    #[command(alias = "validate")]
    Check(check::CheckArguments),
    /// Convert a suite to the native format
    Convert(convert::ConvertArguments),
    /// Create a first suite
    Init(init::InitArguments),
    /// List the cases of suites
    List(list::ListArguments),
    /// Print JSON Schemas of suite files for editors
    Schema(schema::SchemaArguments),
    /// Serve a scripted model, an MCP server or stub tools until interrupted
    #[command(subcommand)]
    Serve(serve::ServeCommand),
    /// Generate shell completions
    Completions(completions::CompletionsArguments),
    /// Run an example agent
    #[command(hide = true)]
    DemoAgent(demo_agent::DemoAgentArguments),
    /// Evaluate checks that may take long
    #[command(hide = true)]
    CheckWorker,
    /// Stop the agents of a run that was killed
    #[command(hide = true)]
    Guard(guard::GuardArguments),
}

/// Runs the command line.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let arguments = single_dash::two_dashes(arguments);
    if let [_, only] = arguments.as_slice()
        && (only == "--version" || only == "-V")
    {
        // Printed before clap builds the flags of all commands, which takes longer than everything else.
        let _ = writeln!(std::io::stdout(), "agentci {}", env!("CARGO_PKG_VERSION"));
        return ExitStatus::Success;
    }
    if let Some(status) = tap::at_once(&arguments) {
        return status;
    }
    let arguments = match record::choose(arguments) {
        record::RecordForm::Words(words) => words,
        record::RecordForm::Unseparated(line) => {
            let error = CliError::new("`agentci record` needs `--` before a command", format!("write `{line}`"));
            return error.usage().tell(&CliContext::new(context::Color::Auto, &[]));
        }
    };
    let parsed = match Arguments::try_parse_from(&arguments) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::DisplayHelp && record::is_for_suites(&arguments) => {
            record::print_help(&mut Arguments::command(), &error);
            return ExitStatus::Success;
        }
        Err(mut error) => {
            foreign_flags::advise(&mut error);
            replay::advise(&arguments, &mut error);
            let _ = error.print();
            return usage(&error);
        }
    };
    guard::post();
    let context = CliContext::new(parsed.color, &arguments);
    let status = dispatch(parsed.command, &context).unwrap_or_else(|error| error.tell(&context));
    agentci_process::guard::dismiss();
    if context.unprinted() { status.max(ExitStatus::Failed) } else { status }
}

fn dispatch(command: Option<CliCommand>, context: &CliContext) -> CommandResult {
    match command {
        Some(CliCommand::Run(arguments)) => run::run(&arguments, context),
        Some(CliCommand::Record(arguments)) => run::record(arguments, context),
        Some(CliCommand::RecordOne(arguments)) => record::record(&arguments, context),
        Some(CliCommand::Recording(command)) => recording::recording(&command, context),
        Some(CliCommand::Replay(arguments)) => replay::replay(&arguments, context),
        Some(CliCommand::Tap(arguments)) => Ok(tap::tap(&arguments, context)),
        Some(CliCommand::Merge(arguments)) => merge::merge(&arguments, context),
        Some(CliCommand::Report(arguments)) => report::report(&arguments, context),
        Some(CliCommand::Diff(arguments)) => diff::diff(&arguments, context),
        Some(CliCommand::Baseline(command)) => baseline::baseline(&command, context),
        Some(CliCommand::Gate(command)) => gate::gate(&command, context),
        Some(CliCommand::Check(arguments)) => check::check(&arguments, context),
        Some(CliCommand::Convert(arguments)) => convert::convert(&arguments, context),
        Some(CliCommand::List(arguments)) => list::list(&arguments, context),
        Some(CliCommand::Schema(arguments)) => schema::schema(&arguments, context),
        Some(CliCommand::Serve(command)) => serve::serve(&command, context),
        Some(CliCommand::Init(arguments)) => init::init(&arguments, context),
        Some(CliCommand::Completions(arguments)) => Ok(completions::completions(&arguments, context)),
        Some(CliCommand::CheckWorker) => Ok(check_worker::work()),
        Some(CliCommand::Guard(arguments)) => Ok(guard::stand(&arguments)),
        Some(CliCommand::DemoAgent(arguments)) => Ok(demo_agent::serve(&arguments)),
        None => {
            context.print(&Arguments::command().render_help().to_string());
            Ok(ExitStatus::Success)
        }
    }
}

fn usage(error: &clap::Error) -> ExitStatus {
    let no_value =
        matches!(error.get(ContextKind::InvalidValue), Some(ContextValue::String(value)) if value.is_empty());
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitStatus::Success,
        ErrorKind::InvalidValue if no_value => ExitStatus::Usage,
        // The flag is known, but its value is invalid.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => ExitStatus::Failed,
        _ => ExitStatus::Usage,
    }
}
