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
        .filter_map(|index| suite.cases.get(*index))
        .filter(|case| case.broken.is_none() && case.skip.is_none())
        .collect();
    if mode == Mode::Record {
        own_cassettes(&cases)?;
    }
    let lookup = |name: &str| match name.strip_prefix("ENV.") {
        Some(name) => environment(name),
        None => Some(String::new()),
    };
    let mut tried: Vec<(*const LiveTools, &[Spanned<String>])> = Vec::new();
    for case in cases {
        let world = &case.world;
        let allowed = world.allowed.as_deref().unwrap_or_default();
        let same = |(live, names): &(*const LiveTools, &[Spanned<String>])| {
            *live == Arc::as_ptr(&world.live) && std::ptr::eq(*names, allowed)
        };
        if tried.iter().any(same) {
            continue;
        }
        Toolbox::open(&world.live, tools, allowed, &lookup).await?.close().await;
        tried.push((Arc::as_ptr(&world.live), allowed));
    }
    Ok(())
}

fn own_cassettes(cases: &[&Case]) -> Result<(), ToolboxError> {
    let mut taken: BTreeMap<&Path, &str> = BTreeMap::new();
    for case in cases {
        let ToolSource::Cassette(cassette) = &case.world.tools else { continue };
        if let Some(other) = taken.insert(&cassette.path, &case.id) {
            return Err(ToolboxError {
                message: format!("`{other}` and `{}` would record to one cassette", case.id),
                help: "give each case a cassette of its own".into(),
                span: Some(cassette.span),
            });
        }
    }
    Ok(())
}
