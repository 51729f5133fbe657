//! What must be so before tools are really executed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, LiveTools, Mode, Spanned, Suite, ToolSource};
use agentci_stubs::{Tool, Toolbox, ToolboxError};

use crate::environment;

/// Makes sure that every tool that may be called can be executed, and that no two cases record to one file. Variables that only
/// a case's hooks know are taken to be there.
pub(crate) async fn ready(
    suite: &Suite,
    selected: &[usize],
    mode: Mode,
    tools: &[Arc<dyn Tool>],
) -> Result<(), ToolboxError> {
    let cases: Vec<&Case> = selected
        .iter()
        .filter_map(|index| suite.cases.get(*index).map(|case| &**case))
        .filter(|case| case.broken.is_none() && case.skip.is_none())
        .collect();
    if mode == Mode::Record {
        own_files(&cases)?;
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

fn own_files(cases: &[&Case]) -> Result<(), ToolboxError> {
    let mut taken: BTreeMap<&Path, &str> = BTreeMap::new();
    for case in cases {
        let cassette = match &case.world.tools {
            ToolSource::Cassette(cassette) => Some(("cassette", &cassette.path, cassette.span)),
            _ => None,
        };
        let recording = case.world.recording.as_ref().map(|recording| ("recording", &recording.path, recording.span));
        for (what, path, span) in cassette.into_iter().chain(recording) {
            if let Some(other) = taken.insert(path, &case.id) {
                return Err(ToolboxError {
                    message: format!("`{other}` and `{}` would record to one {what}", case.id),
                    help: format!("give each case a {what} of its own"),
                    span: Some(span),
                });
            }
        }
    }
    Ok(())
}
