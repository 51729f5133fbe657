//! Writes a first suite, from the flags or the answers on a terminal.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use agentci::source::join;
use agentci::{Suites, ledger};
use clap::{Args, ValueEnum as _};

use super::agent::OwnAgent;
use super::kind::AgentKind;
use super::questions;
use crate::cli::dialect::{NATIVE, OF_ANSWERS};
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, quoted};

/// The default folder of a first suite.
pub(super) const FOLDER: &str = "agent-tests";

/// Arguments of `agentci init`.
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Directory to write to, created if missing [default: `agent-tests`]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Kind of agent [default: `command` with `--command`, else prompted]
    #[arg(long, value_name = "KIND")]
    kind: Option<AgentKind>,
    /// Command that starts your agent, as typed in a shell [default: an example agent]
    #[arg(long, value_name = "COMMAND", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    command: Option<String>,
    /// URL of your agent
    #[arg(long, value_name = "URL", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    url: Option<String>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// The suite to write, and its folder.
#[derive(Debug)]
pub(super) struct NewSuite {
    pub(super) folder: PathBuf,
    pub(super) kind: AgentKind,
    pub(super) own: OwnAgent,
}

pub(crate) fn init(arguments: &InitArguments, context: &CliContext) -> CommandResult {
    let flags = arguments.kind.is_some() || arguments.command.is_some() || arguments.url.is_some();
    let someone = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if flags || !someone {
        return write(&by_flags(arguments)?, arguments.force, context);
    }
    let Some(wanted) = questions::ask(arguments.folder.as_deref(), context) else {
        context.say("\nnothing was written\n");
        return Err(CliError::told());
    };
    write(&wanted, arguments.force, context)
}

/// The suite that the flags describe.
fn by_flags(arguments: &InitArguments) -> Result<NewSuite, CliError> {
    let kind = match (arguments.kind, &arguments.command, &arguments.url) {
        (Some(kind), _, _) => kind,
        (None, None, None) => {
            let words: Vec<String> =
                AgentKind::value_variants().iter().map(|kind| format!("`{}`", kind.word())).collect();
            let help =
                format!("set it with `--kind KIND`: {}; `agentci init --help` describes each kind", words.join(", "));
            return Err(CliError::new("cannot ask for the kind of your agent without a terminal", help));
        }
        (None, Some(_), None) => AgentKind::Command,
        (None, _, Some(_)) => {
            let help = "add `--kind http`, `--kind agui`, `--kind a2a` or `--kind mcp`";
            return Err(CliError::new("`--url` requires `--kind`, which sets the protocol", help));
        }
    };
    let own = OwnAgent::new(kind, arguments.command.as_deref(), arguments.url.as_deref())?;
    let folder = arguments.folder.clone().unwrap_or_else(|| FOLDER.into());
    Ok(NewSuite { folder, kind, own })
}

fn write(wanted: &NewSuite, force: bool, context: &CliContext) -> CommandResult {
    let folder = &wanted.folder;
    let unnamed = || CliError::new("the folder name contains unprintable characters", "choose another folder");
    let shown = folder.to_str().and_then(quoted).ok_or_else(unnamed)?;
    if let Some(other) = other_suite(wanted) {
        let message = format!("`{}` contains a suite in another format: {}", folder.display(), other.display());
        return Err(CliError::new(message, "choose another folder: `agentci init DIR`"));
    }
    let suite = folder.join("agentci.yaml");
    if wanted.kind != AgentKind::Answers && taken(&suite) && !force {
        let help = format!("choose another folder, `agentci init DIR`, or overwrite files in `{shown}` with `--force`");
        return Err(CliError::new(format!("`{}` already exists", suite.display()), help));
    }
    let files = wanted.own.files(wanted.kind, folder, &suite_name(folder), &shown);
    fs_err::create_dir_all(folder)
        .map_err(|error| CliError::new(error.to_string(), "choose a folder that can be created"))?;
    for (name, text) in files {
        let path = folder.join(name);
        if taken(&path) && !force {
            context.say(&format!("skipped {}: already exists (use `--force` to overwrite)\n", path.display()));
            continue;
        }
        ledger::write_whole(&path, text.as_bytes())
            .map_err(|error| CliError::new(error.to_string(), "choose a writable folder"))?;
        context.say(&format!("wrote {}\n", path.display()));
    }
    let operand = if shown.starts_with('-') { format!("-- {shown}") } else { shown };
    context.say(&format!("next steps:\n  agentci check {operand}\n  agentci run {operand}\n"));
    if let Some(line) = wanted.own.recordable(wanted.kind) {
        context.say(&format!("or record its calls to its real model and tools:\n  agentci record -- {line}\n"));
    }
    Ok(ExitStatus::Success)
}

/// Words that YAML, including version 1.1, does not read as strings.
const NO_TEXT: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// The name of the suite: the name of its folder, with dashes for characters that would need quotes.
pub(in crate::cli) fn suite_name(folder: &Path) -> String {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = absolute.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let words: Vec<&str> = name.split(|letter| !plain(letter)).filter(|word| !word.is_empty()).collect();
    let name = words.join("-");
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() {
        return FOLDER.to_owned();
    }
    let begins = name.starts_with(char::is_alphabetic) && !NO_TEXT.contains(&name.to_lowercase().as_str());
    if begins { name.to_owned() } else { format!("suite-{name}") }
}

/// A suite in another format in the folder, if any: only one of the two would run.
fn other_suite(wanted: &NewSuite) -> Option<PathBuf> {
    let ours = if wanted.kind == AgentKind::Answers { OF_ANSWERS } else { NATIVE };
    let folder = join(&wanted.folder, "");
    let suites = wanted.folder.is_dir().then(|| Suites::load([&wanted.folder]))?;
    let mut there =
        suites.loaded().iter().map(|loaded| &loaded.suite).filter(|suite| join(&suite.folder, "") == folder);
    there.find(|suite| suite.dialect != ours).map(|suite| suite.path.clone())
}

/// Whether a path exists, even as a dangling symbolic link.
fn taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
