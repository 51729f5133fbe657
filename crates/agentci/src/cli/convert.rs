//! `agentci convert`: converts a suite to the native format.

use std::path::{Path, PathBuf};

use agentci::plan::Suite;
use agentci::{LoadedSuite, Suites, formats, ledger, source};
use clap::Args;

use super::run_metadata::shown;
use super::{CliContext, CliError, CommandResult, DialectFlags, ExitStatus};

/// Arguments of `agentci convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// File or directory of one suite
    #[arg(value_name = "PATH", required_unless_present_any = ["agent", "input", "tests"])]
    path: Option<PathBuf>,
    #[command(flatten)]
    dialects: DialectFlags,
    /// Write to this file instead of standard output, with paths adjusted to its location
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn convert(arguments: &ConvertArguments, context: &CliContext) -> CommandResult {
    let mut options = arguments.dialects.options();
    options.empty_allowed = true;
    let suites = Suites::load_with(arguments.dialects.paths(arguments.path.as_slice()), &options);
    arguments.dialects.fit(&suites)?;
    context.show(suites.problems(), suites.sources());
    if suites.problems().has_errors() {
        return Err(CliError::told());
    }
    let suite = match suites.loaded() {
        [LoadedSuite { suite, .. }] => suite,
        [] => return Err(CliError::told()),
        several => {
            let names: Vec<String> = several.iter().map(|loaded| loaded.suite.path.display().to_string()).collect();
            let path = arguments.path.as_deref().unwrap_or(Path::new("."));
            let message = format!("`{}` contains {} suites", path.display(), several.len());
            return Err(CliError::new(message, format!("choose one of them: {}", names.join(", "))));
        }
    };
    if let Some(out) = &arguments.out {
        return write(suite, out, arguments.force, context);
    }
    let note = format!("# Paths are relative to `{}`: save this file there.\n", shown(&suite.folder));
    context.print(&format!("{note}{}", formats::print_native(suite, None)));
    Ok(ExitStatus::Success)
}

/// Writes a suite to a file, with paths relative to that file.
fn write(suite: &Suite, out: &Path, force: bool, context: &CliContext) -> CommandResult {
    if out.exists() && !force {
        return Err(CliError::new(format!("`{}` already exists", out.display()), "use `--force` to overwrite it"));
    }
    // Normalized in the same way as the suite's folder.
    let parent = source::join(out.parent().unwrap_or(Path::new("")), ".");
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = source::relative(&absolute(&parent), &absolute(&suite.folder));
    let folder = (beside != Path::new(".")).then(|| beside.display().to_string());
    let text = formats::print_native(suite, folder.as_deref());
    ledger::write_whole(out, text.as_bytes()).map_err(CliError::plain)?;
    context.say(&format!("wrote {}\n", out.display()));
    Ok(ExitStatus::Success)
}
