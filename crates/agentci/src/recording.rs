//! Checks before live tools are called.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{CASE_PLACEHOLDER, Case, CasePosition, LiveTools, Mode, Suite, ToolSource};
use agentci_source::{Span, Spanned};
use agentci_stubs::{Tool, Toolbox, ToolboxError};

use crate::{environment, project};

/// Checks that every tool that may be called can be executed, and that no two cases record to the same file. Variables
/// that only a case's hooks set are assumed to be set.
pub(crate) async fn ready(
    suite: &Suite,
    selected: &[CasePosition],
    mode: Mode,
    tools: &[Arc<dyn Tool>],
) -> Result<(), ToolboxError> {
    let mut rows: BTreeMap<u32, usize> = BTreeMap::new();
    for position in selected {
        *rows.entry(position.case).or_default() += 1;
    }
    let cases = rows.into_iter().filter_map(|(case, rows)| Some((&**suite.cases.get(case as usize)?, rows)));
    let runs = |(case, _): &(&Case, usize)| case.broken.is_none() && case.skip.is_none();
    let (cases, rows): (Vec<&Case>, Vec<usize>) = cases.filter(runs).unzip();
    if mode == Mode::Record {
        own_files(&cases)?;
        cases.iter().zip(rows).try_for_each(|(case, rows)| own_file_per_row(case, rows))?;
        inside(suite, &cases)?;
    }
    let lookup = |name: &str| match name.strip_prefix("ENV.") {
        Some(name) => environment(name),
        None => Some(String::new()),
    };
    let mut tried: Vec<(*const LiveTools, Vec<Spanned<String>>)> = Vec::new();
    for case in cases {
        let world = &case.world;
        let wanted = (Arc::as_ptr(&world.live), world.executed());
        if tried.contains(&wanted) {
            continue;
        }
        Toolbox::open(&world.live, tools, &wanted.1, &lookup).await?.close().await;
        tried.push(wanted);
    }
    Ok(())
}

/// The files that a case is recorded to: the kind, the path, and the span in the suite.
pub(crate) fn written(case: &Case) -> impl Iterator<Item = (&'static str, &Path, Span)> {
    let cassette = match &case.world.tools {
        ToolSource::Cassette(cassette) => Some(("cassette", cassette.path.as_path(), cassette.span)),
        ToolSource::None | ToolSource::Routes(_) => None,
    };
    let recordings = case.world.recording.iter().chain(&case.world.recorded_model);
    let recordings = recordings.map(|recording| ("recording", recording.path.as_path(), recording.span));
    cassette.into_iter().chain(recordings)
}

/// Where recorded answers of HTTP tools are written: to the suite, and to a folder next to it. Cases of one file share
/// both.
fn answers(case: &Case) -> impl Iterator<Item = (&'static str, &Path, Span)> {
    let routes = match &case.world.tools {
        ToolSource::Routes(routes) => routes.record.as_ref().map(|record| (record, routes.span)),
        ToolSource::None | ToolSource::Cassette(_) => None,
    };
    routes.into_iter().flat_map(|(record, span)| {
        [("fixture file", record.suite.as_path(), span), ("answer folder", record.folder.as_path(), span)]
    })
}

/// Checks that nothing is written outside the project: a suite from someone else must not overwrite the user's files.
fn inside(suite: &Suite, cases: &[&Case]) -> Result<(), ToolboxError> {
    let folders = project::folders(suite);
    for (what, path, span) in cases.iter().flat_map(|case| written(case).chain(answers(case))) {
        let real = project::real(path);
        if !folders.iter().any(|folder| real.starts_with(folder)) {
            let shown = path.display();
            let leads = if real.ends_with(path) { String::new() } else { format!(" (`{}`)", real.display()) };
            return Err(ToolboxError {
                message: format!("the {what} `{shown}`{leads} is outside the project and was not written"),
                help: format!(
                    "keep the {what} in `{}`, or run it from a folder that contains both",
                    folders.first().expect("the folder of the suite is one").display()
                ),
                span: Some(span),
            });
        }
    }
    Ok(())
}

/// Checks that the rows of a case from data do not record to the same file.
fn own_file_per_row(case: &Case, rows: usize) -> Result<(), ToolboxError> {
    match written(case).find(|(_, path, _)| case.data.is_some() && rows > 1 && !has_id(path)) {
        None => Ok(()),
        Some((what, path, span)) => Err(ToolboxError {
            message: format!("{rows} cases from data would record to the same {what} `{}`", path.display()),
            help: format!("put the id of the case into the path of the {what}: `{CASE_PLACEHOLDER}`"),
            span: Some(span),
        }),
    }
}

/// Whether the id of a row is inserted into a path when its case runs. The paths of other cases already have it.
fn has_id(path: &Path) -> bool {
    path.to_string_lossy().contains(CASE_PLACEHOLDER)
}

/// Checks that no two cases record to the same file.
fn own_files(cases: &[&Case]) -> Result<(), ToolboxError> {
    let mut taken: BTreeMap<&Path, &str> = BTreeMap::new();
    for case in cases {
        for (what, path, span) in written(case).filter(|(_, path, _)| !has_id(path)) {
            if let Some(other) = taken.insert(path, &case.id) {
                return Err(ToolboxError {
                    message: format!("`{other}` and `{}` would record to the same {what}", case.id),
                    help: format!(
                        "give each case its own {what}: `{CASE_PLACEHOLDER}` in its path is the id of the case"
                    ),
                    span: Some(span),
                });
            }
        }
    }
    Ok(())
}
