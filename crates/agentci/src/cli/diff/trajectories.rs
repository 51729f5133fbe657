//! `agentci diff A B`: compares what the agents of two runs did, step by step.

use std::collections::HashSet;
use std::path::Path;

use agentci::ledger::write_whole;
use agentci::report::{DiffDocument, DiffOrigin, Paint, diff_html, diff_json, diff_markdown, diff_table};
use agentci::trajectory::{RunTrajectories, compare_runs};
use agentci::verdict::{ExitStatus, Thresholds, compare};

use super::stored::ComparedSide;
use super::{CliContext, CliError, DiffArguments};
use crate::cli::CommandResult;

pub(super) fn diff(old: &Path, new: &Path, arguments: &DiffArguments, context: &CliContext) -> CommandResult {
    let files =
        arguments.out.iter().map(|path| Ok((path, DiffFormat::of(path)?))).collect::<Result<Vec<_>, CliError>>()?;
    let (before, now) = both(ComparedSide::read(old), ComparedSide::read(new), context)?;
    same_suite(&before.run, &now.run, (old, new), context)?;
    for warning in before.warnings.iter().chain(&now.warnings) {
        context.say(&format!("warning: {warning}\n"));
    }
    let kinds = [(old, before.run.kind), (new, now.run.kind)];
    let [from, to] = kinds.map(|(path, kind)| DiffOrigin { path: path.display().to_string(), kind });
    let any_baseline = before.is_baseline() || now.is_baseline();
    let prompts = if any_baseline {
        compare(Some(&before.baseline), &now.baseline, &Thresholds::default(), false).case_diffs.prompts_changed
    } else {
        Vec::new()
    };
    let runs = if any_baseline { [before.reduced(), now.reduced()] } else { [before.run, now.run] };
    let diff = compare_runs(&runs[0], &runs[1], arguments.exact);
    let document = DiffDocument { old: from, new: to, diff, prompts };
    if arguments.json {
        context.print(&format!("{:#}\n", diff_json(&document)));
    } else {
        context.print(&diff_table(&document, context.width, Paint::new(context.stdout_color)));
    }
    for (path, format) in &files {
        let written = write_whole(path, format.text(&document).as_bytes());
        written.map_err(|error| CliError::plain(format!("cannot write `{}`: {error}", path.display())))?;
        context.say(&format!("wrote {}\n", path.display()));
    }
    let failed = arguments.exit_code && document.differs();
    Ok(if failed { ExitStatus::Failed } else { ExitStatus::Success })
}

/// The format of a file.
#[derive(Debug, Clone, Copy)]
enum DiffFormat {
    Markdown,
    Html,
    Json,
    Text,
}

impl DiffFormat {
    /// The format that the extension of a path stands for.
    fn of(path: &Path) -> Result<Self, CliError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("md") => Ok(Self::Markdown),
            Some("html") => Ok(Self::Html),
            Some("json") => Ok(Self::Json),
            Some("txt") => Ok(Self::Text),
            _ => Err(CliError::new(
                format!("the form of `{}` is unknown", path.display()),
                "use the extension .md, .html, .json or .txt",
            )),
        }
    }

    fn text(self, document: &DiffDocument<'_>) -> String {
        match self {
            Self::Markdown => diff_markdown(document),
            Self::Html => diff_html(document),
            Self::Json => format!("{:#}\n", diff_json(document)),
            Self::Text => diff_table(document, 0, Paint::new(false)),
        }
    }
}

/// Both, after the problems of both were reported.
fn both<T>(old: Result<T, CliError>, new: Result<T, CliError>, context: &CliContext) -> Result<(T, T), CliError> {
    match (old, new) {
        (Ok(old), Ok(new)) => Ok((old, new)),
        (Err(one), Err(other)) => {
            one.tell(context);
            Err(other)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Refuses runs that have nothing in common.
fn same_suite(
    old: &RunTrajectories,
    new: &RunTrajectories,
    paths: (&Path, &Path),
    context: &CliContext,
) -> Result<(), CliError> {
    if old.suite == new.suite {
        return Ok(());
    }
    let ids: HashSet<&str> = old.cases.iter().map(|case| case.id.as_str()).collect();
    let suites = format!(
        "`{}` is of the suite `{}`, `{}` of the suite `{}`",
        paths.0.display(),
        old.suite,
        paths.1.display(),
        new.suite
    );
    if new.cases.iter().any(|case| ids.contains(case.id.as_str())) {
        context.say(&format!("warning: {suites}; cases with the same id are compared\n"));
        return Ok(());
    }
    Err(CliError::new(format!("{suites}, and they have no case in common"), "compare two runs of the same suite"))
}
