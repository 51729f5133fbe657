//! Finds settings of a suite that have no effect on their cases: recordings that nothing would replay, limits and
//! checks on something that nothing reports. A setting for several cases is an error only if it has no effect on any of
//! them.

use std::collections::{BTreeMap, HashSet};

use crate::observability::ObservedRow;
use crate::{Case, Check, Limits, McpWorld, Speech, Suite, Target, ToolSource, Verdicts};
use agentci_source::{Diagnostic, Node, Severity, Span};

/// The place of a setting that may have no effect, and the problem if it has none: a warning if the case works as
/// intended nevertheless.
type WrittenSetting = (Span, Option<Diagnostic>);

/// Settings without effect, each with the position of a case that has it. In formats that keep their verdicts, each is
/// a warning.
pub fn without_effect(suite: &Suite) -> Vec<(usize, Diagnostic)> {
    let strict = suite.conventions.verdicts == Verdicts::Strict;
    let mut found: BTreeMap<Span, Vec<(usize, Diagnostic)>> = BTreeMap::new();
    let mut of_use: HashSet<Span> = HashSet::new();
    for (index, case) in suite.cases.iter().enumerate().filter(|(_, case)| case.broken.is_none()) {
        let (idle, busy): (Vec<WrittenSetting>, Vec<WrittenSetting>) =
            settings(case).into_iter().partition(|(_, useless)| useless.is_some());
        let is_idle = |span: &Span| idle.iter().any(|(other, _)| other == span);
        of_use.extend(busy.into_iter().map(|(span, _)| span).filter(|span| !is_idle(span)));
        for (span, useless) in idle {
            found.entry(span).or_default().extend(useless.map(|useless| (index, useless)));
        }
    }
    let mut problems = Vec::new();
    for (span, all) in found {
        let shared = of_use.contains(&span);
        for (index, problem) in all {
            if !shared && strict && problem.severity == Severity::Error {
                problems.push((index, problem));
                continue;
            }
            let id = &suite.cases[index].id;
            let message = format!("{} (case `{}`)", problem.message, id.escape_debug());
            problems.push((index, Diagnostic { message, severity: Severity::Warning, ..problem }));
            break;
        }
    }
    problems
}

fn settings(case: &Case) -> Vec<WrittenSetting> {
    let target = &*case.target;
    let mut found: Vec<WrittenSetting> = Vec::new();
    found.extend(world(case).into_iter().map(|(key, span)| {
        let useless = (!asks_for_tools(target)).then(|| {
            let message =
                format!("`tools.{key}` has no effect: {} does not call its tools through agentci", describe(target));
            Diagnostic::error(span, message).label("would never be used").help(instead(target))
        });
        (span, useless)
    }));
    found.extend(recordings(case));
    found.extend(case.world.mcp.iter().map(|server| (server.span, unreached_server(server, target))));
    found.extend(started_anyway(case));
    let limits = std::iter::once(&*case.limits).chain(case.turns.iter().map(|turn| &*turn.limits));
    for (key, span) in limits.flat_map(limited) {
        found.push(unobserved(span, &format!("limits.{key}"), ObservedRow::of_limit(key), case));
    }
    for check in case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter())) {
        let row = ObservedRow::of_check(&check.kind.value);
        found.push(unobserved(check.kind.span, &check.name(), row, case));
        let row = ObservedRow::of_check("model_called");
        found.extend(told_by_model(check).map(|by| unobserved(by.span, "tool_called.by", row, case)));
    }
    found
}

/// Recordings that nothing would write or replay, and `match` settings without a recording to compare with.
fn recordings(case: &Case) -> Vec<WrittenSetting> {
    let (world, target) = (&case.world, &*case.target);
    let has_world = target.has_recordable_world();
    let mut found = Vec::new();
    if let Some(recording) = &world.recording {
        let useless = || {
            let message = format!("`recording` has no effect: {} cannot be recorded", describe(target));
            let help = "remove it: only agents that agentci starts, servers and `chat` targets can be recorded";
            Diagnostic::error(recording.span, message).label("would be neither written nor replayed").help(help)
        };
        found.push((recording.span, (!has_world && !target.is_recorded()).then(useless)));
    }
    if let Some(recording) = &world.recorded_model {
        let useless = || {
            let message = format!("`model.recording` has no effect: {} is not started by agentci", describe(target));
            let help = match target {
                Target::Http(_) => {
                    "add `command` to the target: agentci then starts it for each case and points it at the model"
                }
                _ => "remove it: only agents that agentci starts can use a recorded model",
            };
            Diagnostic::error(recording.span, message).label("this model would never be called").help(help)
        };
        found.push((recording.span, (!has_world).then(useless)));
    }
    let recorded_model = world.recorded_model.as_ref().map(|model| (model.span, "model.recording"));
    if let Some((span, key)) = recorded_model.or(world.model.as_ref().map(|model| (model.span, "model.script"))) {
        let useless = world.recording.as_ref().filter(|_| has_world).map(|recording| {
            let message = format!("`{key}` has no effect: `recording` contains the answers of the model");
            let help = format!("remove one of the two; `recording` is on line {}", recording.span.line);
            Diagnostic::error(span, message).label("a second source of answers").help(help)
        });
        found.push((span, useless));
    }
    if let Some(span) = world.matching.span {
        let message = "`match` has no effect: nothing is compared with a recording";
        let help = "record the requests of the agent with `world: { recording: .. }`, or remove it";
        let useless = || Diagnostic::error(span, message).label("would never be used").help(help);
        found.push((span, case.recorded_world().is_none().then(useless)));
    }
    found
}

/// Why the agent cannot be pointed at an MCP server, if it cannot.
fn unreached_server(server: &McpWorld, target: &Target) -> Option<Diagnostic> {
    if target.reaches_mcp() {
        return None;
    }
    let help = match target {
        Target::Http(_) => {
            "add `command` to the target: agentci then starts it for each case and points it at the server; or pass \
             its URL with each request, as in `headers: { x-orders: \"${MCP.orders.url}\" }`"
        }
        _ => "remove it: only agents that agentci starts can be pointed at the server",
    };
    let name = server.name.value.escape_debug();
    let message = format!("`mcp.{name}` has no effect: {} is not started by agentci", describe(target));
    Some(Diagnostic::error(server.span, message).label("this server would never be called").help(help))
}

/// The `shared` of a server that is started for each case nevertheless, since nothing else points it at the model,
/// tools or recording of that case.
fn started_anyway(case: &Case) -> Option<WrittenSetting> {
    let Target::Http(http) = &*case.target else { return None };
    let span = http.server.as_ref()?.shared?;
    let (reason, help) = if case.recorded_world().is_some() {
        ("its recording", "remove it: agentci starts a server for each case that is recorded")
    } else if case.world.model.is_some() && !http.tells_of_model() {
        let help = "pass the URL of the model with each request, as in `headers: { x-model: \
                    \"${MODEL.openai_base_url}\" }`; or remove it";
        ("its scripted model", help)
    } else if !case.world.mcp.is_empty() && !http.tells_of_mcp() {
        let help =
            "pass their URLs with each request, as in `headers: { x-orders: \"${MCP.orders.url}\" }`; or remove it";
        ("its MCP servers", help)
    } else {
        return Some((span, None));
    };
    let message = format!("`shared` has no effect: agentci starts the server for each case and points it at {reason}");
    Some((span, Some(Diagnostic::warning(span, message).label("started for each case").help(help))))
}

/// The part of a check that needs requests to a model, in addition to what the check itself needs.
fn told_by_model(check: &Check) -> Option<&Node> {
    check.arguments.get("by").filter(|_| check.kind.value == "tool_called")
}

/// A setting about something that nothing reports.
fn unobserved(span: Span, name: &str, row: Option<&ObservedRow>, case: &Case) -> WrittenSetting {
    let problem = row.filter(|row| !row.is_observed(&case.target, &case.world)).map(|row| {
        let (what, target) = (row.observed, describe(&case.target));
        let remedies: Vec<&str> = row.sources(&case.target).iter().filter_map(|source| source.remedy()).collect();
        let help = match remedies.as_slice() {
            [] => format!("remove it: no setting makes the {what} of {target} visible"),
            remedies => format!("{}; or remove it", remedies.join(", or ")),
        };
        let message = format!("`{name}` cannot be evaluated: nothing reports the {what} of {target}");
        Diagnostic::error(span, message).label("cannot be observed").help(help)
    });
    (span, problem)
}

/// Settings for tools that the agent calls through agentci, with their keys.
fn world(case: &Case) -> Vec<(&'static str, Span)> {
    let world = &case.world;
    let mut found = Vec::new();
    if let ToolSource::Cassette(cassette) = &world.tools {
        found.push(("cassette", cassette.span));
    }
    found.extend(world.scripted.first().map(|tool| ("scripted", tool.name.span)));
    found.extend(world.live.tools.first().map(|(name, _)| ("live", name.span)));
    found.extend(world.live.module.as_ref().map(|module| ("module", module.span)));
    found
}

/// Whether agentci answers the tool calls of the target.
fn asks_for_tools(target: &Target) -> bool {
    match target {
        Target::Process(process) => process.speaks == Speech::Protocol,
        Target::Agui(_) | Target::Chat(_) => true,
        Target::A2a(_) | Target::Http(_) | Target::Mcp(_) | Target::Mock(_) => false,
    }
}

fn instead(target: &Target) -> &'static str {
    match target {
        Target::Process(_) => {
            "mock tools that it calls over HTTP with `tools: { routes: {..} }`; or, if the agent speaks the protocol, \
             remove `speaks: text`"
        }
        Target::Http(_) => "mock tools that it calls over HTTP with `tools: { routes: {..} }`",
        Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => "remove it",
    }
}

fn describe(target: &Target) -> &'static str {
    if matches!(target, Target::Process(process) if process.speaks == Speech::Text) {
        return "a program with `speaks: text`";
    }
    target.describe()
}

/// The limits that are set, by their keys.
fn limited(limits: &Limits) -> impl Iterator<Item = (&'static str, Span)> + use<> {
    let Limits { wall_ms: _, tool_calls, tool_errors, model_calls, tokens_in, tokens_out, cost_usd } = limits;
    let all = [
        ("tool_calls", tool_calls),
        ("tool_errors", tool_errors),
        ("model_calls", model_calls),
        ("tokens_in", tokens_in),
        ("tokens_out", tokens_out),
        ("cost_usd", cost_usd),
    ];
    let set: Vec<_> = all.into_iter().filter_map(|(key, limit)| Some((key, limit.as_ref()?.span))).collect();
    set.into_iter()
}
