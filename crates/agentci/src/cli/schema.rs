//! `agentci schema`: prints JSON Schemas of suite files for editors.

use std::path::{Path, PathBuf};
use std::slice;

use agentci::formats::{SchemaFile, schemas};
use agentci::source::did_you_mean;
use agentci::{checks, ledger};
use clap::Args;
use serde_json::{Map, json};

use super::{CliContext, CliError, CommandResult, ExitStatus};

/// Arguments of `agentci schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Schema to print [default: list all schemas]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write to this directory (all schemas if NAME is omitted), and print the settings for editors
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn schema(arguments: &SchemaArguments, context: &CliContext) -> CommandResult {
    let chosen = match &arguments.name {
        None => schemas(),
        Some(name) => {
            schemas().iter().find(|file| file.name == name).map(slice::from_ref).ok_or_else(|| unknown(name))?
        }
    };
    match (&arguments.out, chosen) {
        (Some(folder), _) => write(chosen, folder, context)?,
        (None, [file]) if arguments.name.is_some() => context.print(&text(file)),
        (None, _) => context.print(&list(chosen)),
    }
    Ok(ExitStatus::Success)
}

fn unknown(name: &str) -> CliError {
    let known: Vec<&str> = schemas().iter().map(|file| file.name).collect();
    let meant = did_you_mean(name, known.iter().copied()).map(|meant| format!("did you mean `{meant}`? "));
    let help = format!("{}available schemas: {}", meant.unwrap_or_default(), known.join(", "));
    CliError::new(format!("unknown schema `{}`", name.escape_debug()), help)
}

/// The schema as text.
fn text(file: &SchemaFile) -> String {
    let checks: Vec<_> = checks::shapes().collect();
    format!("{:#}\n", file.schema(&checks))
}

/// Lists the schemas, and how a file refers to each.
fn list(files: &[SchemaFile]) -> String {
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or_default() + 2;
    let entry = |file: &SchemaFile| {
        let (name, title) = (file.name, file.title);
        let paths = if file.paths.is_empty() { "any file name".into() } else { file.paths.join(", ") };
        let mark = mark(file, Path::new(&file_name(file)));
        format!("{name:width$}{title}: {paths}\n{:width$}{mark}\n", "")
    };
    files.iter().map(entry).collect()
}

fn file_name(file: &SchemaFile) -> String {
    format!("{}.schema.json", file.name)
}

/// How a file refers to its schema.
fn mark(file: &SchemaFile, schema: &Path) -> String {
    let path = schema.display();
    if file.by_line {
        format!("each line is a separate document: {path}")
    } else if is_yaml(file) {
        format!("# yaml-language-server: $schema={path}")
    } else {
        format!("\"$schema\": \"{path}\"")
    }
}

fn is_yaml(file: &SchemaFile) -> bool {
    let yaml =
        |path: &&'static str| Path::new(path).extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    file.paths.iter().all(yaml)
}

fn write(files: &[SchemaFile], folder: &Path, context: &CliContext) -> Result<(), CliError> {
    fs_err::create_dir_all(folder)
        .map_err(|error| CliError::new(error.to_string(), "choose a folder that can be created"))?;
    let mut settings = Map::new();
    for file in files {
        let path = folder.join(file_name(file));
        ledger::write_whole(&path, text(file).as_bytes()).map_err(CliError::plain)?;
        context.say(&format!("wrote {}\n  {}\n", path.display(), mark(file, &path)));
        if is_yaml(file) && !file.paths.is_empty() {
            settings.insert(format!("./{}", path.display()), json!(file.paths));
        }
    }
    if !settings.is_empty() {
        let settings = json!({ "yaml.schemas": settings });
        context.say(&format!("for settings.json of VS Code; keep the lines for the files you have:\n{settings:#}\n"));
    }
    Ok(())
}
