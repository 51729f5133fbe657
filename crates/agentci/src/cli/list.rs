//! `agentci list`: lists the cases of suites.

use std::fmt::Write as _;
use std::path::PathBuf;

use agentci::plan::{AnsweredBy, Mode};
use clap::Args;
use serde_json::json;

use super::{CliContext, CommandResult, DialectFlags, ExitStatus, Selection, Suites};

/// Arguments of `agentci list`.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Suite files, or directories to search for suites [default: current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    dialects: DialectFlags,
    /// Print the cases as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn list(arguments: &ListArguments, context: &CliContext) -> CommandResult {
    let mut suites = Suites::load_with(arguments.dialects.paths(&arguments.paths), &arguments.dialects.options());
    arguments.dialects.fit(&suites)?;
    context.show(suites.problems(), suites.sources());
    arguments.selection.apply(&mut suites, None, context)?;
    let mut text = String::new();
    for loaded in suites.loaded() {
        for planned in loaded.selected_cases() {
            let _ = write!(text, "{}/{}", loaded.suite.name, planned.id());
            let case = planned.case;
            if !case.tags.is_empty() {
                let _ = write!(text, " [{}]", case.tags.join(", "));
            }
            if case.skip.is_some() {
                text.push_str(" (skipped)");
            }
            if planned.is_broken() {
                text.push_str(" (broken)");
            }
            text.push('\n');
        }
    }
    let text = if arguments.json { as_json(&suites, None) } else { agentci::report::printable(&text).into_owned() };
    context.print(&text);
    Ok(if suites.problems().has_errors() { ExitStatus::Failed } else { ExitStatus::Success })
}

/// The selected cases of all suites as a JSON list; `mode` overrides the mode of each suite.
pub(crate) fn as_json(suites: &Suites, mode: Option<Mode>) -> String {
    let mut rows = Vec::new();
    for loaded in suites.loaded() {
        let suite = &loaded.suite;
        for planned in loaded.selected_cases() {
            let (case, place) = (planned.case, suites.sources().place(planned.span()));
            let answered_by = match case.answered_by(mode.unwrap_or(suite.mode)) {
                AnsweredBy::Agent => "agent",
                AnsweredBy::Recording(_) => "recording",
                AnsweredBy::Script => "script",
            };
            let combination = case.combination.as_ref().map(|combination| {
                let axes = combination.axes.iter().map(|(axis, value)| json!({ "axis": &**axis, "value": &**value }));
                json!({ "of": planned.common_id().unwrap_or_default(), "axes": axes.collect::<Vec<_>>() })
            });
            let mut row = json!({
                "suite": suite.name, "dialect": suite.dialect.name(), "id": planned.id(), "tags": case.tags,
                "description": case.description, "skip": case.skip.is_some(), "broken": planned.is_broken(),
                "answered_by": answered_by, "path": place.path, "line": place.line,
            });
            if let Some(combination) = combination {
                row["combination"] = combination;
            }
            rows.push(row);
        }
    }
    format!("{:#}\n", serde_json::Value::from(rows))
}
