//! `agentci serve tools`: runs the stub tool server on its own, with the fixtures of all or some cases.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentci::plan::{Case, Fault, Mode, Routes, ToolSource};
use agentci::stubs::{Faults, RouteError, RouteOptions, RouteServer, RouteServerOptions, RouteSession};
use agentci::trace::EventKind;
use agentci::{DiskFiles, Suites};
use clap::Args;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{AddressArguments, block_on, not_served, signals};
use crate::cli::dialect::PlayedSuites;
use crate::cli::{CliContext, CliError, CommandResult, ExitStatus, meant_or};

/// Arguments of `agentci serve tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    #[command(flatten)]
    source: PlayedSuites,
    /// Serve only the tools of this case, by ID (may be repeated)
    #[arg(long = "case", value_name = "ID")]
    cases: Vec<String>,
    #[command(flatten)]
    address: AddressArguments,
    /// Seed for all random choices, such as injected faults
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// A case whose tools are served.
struct PlayedCase<'p> {
    /// The path segment of the case.
    scope: String,
    routes: &'p Arc<Routes>,
    faults: &'p Arc<[Fault]>,
}

pub(super) fn serve(arguments: &ToolsArguments, context: &CliContext) -> CommandResult {
    let suites = arguments.source.load();
    context.show(suites.problems(), suites.sources());
    let cases = played(&suites, &arguments.cases)?;
    block_on(until_signal(&cases, arguments, context))
}

/// The cases whose tools are served, in the order of their files.
fn played<'p>(suites: &'p Suites, wanted: &[String]) -> Result<Vec<PlayedCase<'p>>, CliError> {
    let suites = suites.loaded().iter().map(|loaded| &loaded.suite);
    let all = suites.flat_map(|suite| suite.cases.iter().map(move |case| (suite, case)));
    let with_routes = all.filter_map(|(suite, case)| Some((suite, case, routes(case)?)));
    let with_routes: Vec<_> = with_routes.filter(|(_, case, _)| case.broken.is_none()).collect();
    for id in wanted {
        let ids = with_routes.iter().map(|(_, case, _)| case.id.as_str());
        if !ids.clone().any(|known| known == id) {
            let help = meant_or(id, ids, "`agentci list` shows every case");
            return Err(CliError::new(
                format!("case `{}` does not exist or has no tools to serve", id.escape_debug()),
                help,
            ));
        }
    }
    let mut taken = BTreeSet::new();
    let mut cases = Vec::new();
    for (suite, case, routes) in with_routes {
        if !wanted.is_empty() && !wanted.iter().any(|id| case.id == *id) {
            continue;
        }
        // Two suites may have a case of the same name.
        let own = [case.id.to_string(), format!("{}.{}", suite.name, case.id)];
        let Some(scope) = own.into_iter().find(|scope| taken.insert(scope.clone())) else { continue };
        cases.push(PlayedCase { scope, routes, faults: &case.world.faults });
    }
    if cases.is_empty() {
        let help = "pass a folder of scenarios with `tool_fixtures`, or a native suite with \
                    `world: { tools: { routes: {..} } }`";
        return Err(CliError::new("no tools to serve", help));
    }
    Ok(cases)
}

fn routes(case: &Case) -> Option<&Arc<Routes>> {
    match &case.world.tools {
        ToolSource::Routes(routes) => Some(routes),
        ToolSource::None | ToolSource::Cassette(_) => None,
    }
}

async fn until_signal(cases: &[PlayedCase<'_>], arguments: &ToolsArguments, context: &CliContext) -> CommandResult {
    let mut signals = signals()?;
    let AddressArguments { bind, port } = arguments.address;
    let server = RouteServer::start(RouteServerOptions { bind, port }).await.map_err(not_served)?;
    let (sender, mut seen) = unbounded_channel();
    let sessions = open(&server, cases, arguments.seed, &sender).map_err(CliError::plain)?;
    let by_case = cases.iter().zip(sessions.iter().skip(1));
    let bases: Map<String, Value> =
        by_case.map(|(case, session)| (case.scope.clone(), session.base().into())).collect();
    let url = server.url();
    let address = json!({ "url": url, "misses": format!("{url}/__agentci/misses"), "cases": bases });
    context.print(&format!("{address}\n"));
    tokio::select! {
        _ = signals.next() => {}
        () = tell(&mut seen, context) => {}
    }
    Ok(ExitStatus::Success)
}

/// Serves all fixtures together at the root, and those of each case below its own path.
fn open(
    server: &RouteServer,
    cases: &[PlayedCase<'_>],
    seed: u64,
    observer: &UnboundedSender<EventKind>,
) -> Result<Vec<RouteSession>, RouteError> {
    let options = |routes: Arc<Routes>, faults: Arc<[Fault]>| RouteOptions {
        routes,
        mode: Mode::Replay,
        faults: Faults::new(faults, seed),
        observer: Some(observer.clone()),
        files: &DiskFiles,
        variables: &agentci::environment,
    };
    let mut sessions = Vec::with_capacity(cases.len() + 1);
    if let [first, ..] = cases {
        let tools = cases.iter().flat_map(|case| case.routes.tools.iter().cloned()).collect();
        let all = Routes { tools, ..Routes::clone(first.routes) };
        // The faults of one case would affect all cases.
        let faults = if cases.len() == 1 { Arc::clone(first.faults) } else { [].into() };
        sessions.push(server.open(None, options(Arc::new(all), faults))?);
    }
    for case in cases {
        let options = options(Arc::clone(case.routes), Arc::clone(case.faults));
        sessions.push(server.open(Some(&case.scope), options)?);
    }
    Ok(sessions)
}

/// Prints misses as they happen.
async fn tell(seen: &mut UnboundedReceiver<EventKind>, context: &CliContext) {
    while let Some(kind) = seen.recv().await {
        if let EventKind::Miss { message, .. } = kind {
            let text = context.without_secrets(&format!("miss: {message}"));
            context.say(&format!("{}\n", agentci::report::printable(&text)));
        }
    }
}
