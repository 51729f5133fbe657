//! Settings of a suite that have no effect on the cases they are written for: recordings that nothing would play, limits and
//! checks of what nothing could report. What is said for several cases is an error only where none of them has a use for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::observability::ObservedRow;
use crate::{Case, Check, Limits, McpWorld, Speech, Suite, Target, ToolSource, Verdicts};
use agentci_source::{Diagnostic, Node, Span};

/// A setting that does nothing for a case.
struct Useless {
    span: Span,
    message: String,
    label: &'static str,
    help: String,
    /// Whether the case does what it should all the same.
    harmless: bool,
}

impl Useless {
    fn new(span: Span, message: impl Into<String>, label: &'static str, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), label, help: help.into(), harmless: false }
    }
}

/// Settings without effect, each with the position of a case that has it. In formats that keep their verdicts each is a warning.
pub fn without_effect(suite: &Suite) -> Vec<(usize, Diagnostic)> {
    let strict = suite.habits.verdicts == Verdicts::Strict;
    let cases = || suite.cases.iter().enumerate().filter(|(_, case)| case.broken.is_none());
    let mut found: BTreeMap<Span, Vec<(usize, Useless)>> = BTreeMap::new();
    for (index, case) in cases() {
        for useless in useless(case) {
            found.entry(useless.span).or_default().push((index, useless));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let mut of_use: BTreeSet<Span> = BTreeSet::new();
    for (index, case) in cases() {
        // Cases were looked at in their order.
        let among = |all: &Vec<(usize, Useless)>| all.binary_search_by_key(&index, |(other, _)| *other).is_ok();
        let idle = |span: Span| found.get(&span).is_some_and(among);
        of_use.extend(spans(case).into_iter().filter(|span| found.contains_key(span) && !idle(*span)));
    }
    let mut problems = Vec::new();
    for (span, all) in found {
        let shared = of_use.contains(&span);
        for (index, Useless { message, label, help, harmless, .. }) in all {
            let problem = Diagnostic::error(span, message).label(label).help(help);
            if !shared && strict && !harmless {
                problems.push((index, problem));
                continue;
            }
            let id = &suite.cases[index].id;
            let message = format!("{} (case `{}`)", problem.message, id.escape_debug());
            problems.push((
                index,
                Diagnostic { label: problem.label, help: problem.help, ..Diagnostic::warning(span, message) },
            ));
            break;
        }
    }
    problems
}

/// Where a case says something that may have no effect.
fn spans(case: &Case) -> Vec<Span> {
    let mut spans: Vec<Span> = world(case).into_iter().map(|(_, span)| span).collect();
    let recordings = [&case.world.recording, &case.world.recorded_model];
    spans.extend(recordings.into_iter().flatten().map(|recording| recording.span));
    spans.extend(case.world.matching.span);
    spans.extend(case.world.mcp.iter().map(|server| server.span));
    if let Target::Http(http) = &*case.target {
        spans.extend(http.server.as_ref().and_then(|server| server.shared));
    }
    spans.extend(case.world.model.as_ref().map(|model| model.span));
    let limits = std::iter::once(&*case.limits).chain(case.turns.iter().map(|turn| &*turn.limits));
    spans.extend(limits.flat_map(limited).map(|(_, span)| span));
    let checks = case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter()));
    spans.extend(checks.clone().map(|check| check.kind.span));
    spans.extend(checks.filter_map(|check| told_by_model(check)).map(|by| by.span));
    spans
}

fn useless(case: &Case) -> Vec<Useless> {
    let mut found = Vec::new();
    if !asks_for_tools(&case.target) {
        let target = describe(&case.target);
        found.extend(world(case).into_iter().map(|(key, span)| {
            let message = format!("`tools.{key}` has no effect: {target} does not ask agentci for its tools");
            Useless::new(span, message, "would never be used", instead(&case.target))
        }));
    }
    found.extend(recordings(case));
    found.extend(unreached_servers(case));
    found.extend(started_anyway(case));
    let limits = std::iter::once(&*case.limits).chain(case.turns.iter().map(|turn| &*turn.limits));
    for (key, span) in limits.flat_map(limited) {
        found.extend(ObservedRow::of_limit(key).and_then(|row| unobserved(&format!("limits.{key}"), span, row, case)));
    }
    for check in case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter())) {
        let row = ObservedRow::of_check(&check.kind.value);
        found.extend(row.and_then(|row| unobserved(&check.name(), check.kind.span, row, case)));
        let by = told_by_model(check).zip(ObservedRow::of_check("model_called"));
        found.extend(by.and_then(|(by, row)| unobserved("tool_called.by", by.span, row, case)));
    }
    found
}

/// Recordings that nothing would write or play, and what is said of comparing with one where there is none.
fn recordings(case: &Case) -> Vec<Useless> {
    let (world, target) = (&case.world, &*case.target);
    let mut found = Vec::new();
    let recordable = target.is_recorded() || target.has_recordable_world();
    if let Some(recording) = world.recording.as_ref().filter(|_| !recordable) {
        let message = format!("`recording` has no effect: {} cannot be recorded", describe(target));
        let help = "remove it: only agents that agentci starts, servers and `chat` targets can be recorded";
        found.push(Useless::new(recording.span, message, "would be neither written nor played", help));
    }
    if let Some(recording) = world.recorded_model.as_ref().filter(|_| !target.has_recordable_world()) {
        let message = format!("`model.recording` has no effect: {} is not started by agentci", describe(target));
        let help = match target {
            Target::Http(_) => "give the target its `command`: it is then started for each case and led to the model",
            _ => "remove it: only agents that agentci starts can be led to a recorded model",
        };
        found.push(Useless::new(recording.span, message, "this model would never be asked", help));
    }
    if let Some(recording) = world.recording.as_ref().filter(|_| target.has_recordable_world()) {
        let model = world.recorded_model.as_ref().map(|model| (model.span, "model.recording"));
        let model = model.or(world.model.as_ref().map(|model| (model.span, "model.script")));
        found.extend(model.map(|(span, key)| {
            let message = format!("`{key}` has no effect: `recording` holds what the model answers");
            let help = format!("remove one of the two; `recording` stands in line {}", recording.span.line);
            Useless::new(span, message, "a second source of answers", help)
        }));
    }
    if let Some(span) = world.matching.span.filter(|_| case.recorded_world().is_none()) {
        let message = "`match` has no effect: nothing is compared with a recording";
        let help = "record what the agent sends with `world: { recording: .. }`, or remove it";
        found.push(Useless::new(span, message, "would never be used", help));
    }
    found
}

/// MCP servers that the agent cannot be told of.
fn unreached_servers(case: &Case) -> Vec<Useless> {
    let target = &*case.target;
    if target.reaches_mcp() {
        return Vec::new();
    }
    let help = match target {
        Target::Http(_) => {
            "give the target its `command`: it is then started for each case and finds the server; or let each question say \
             where it is, as in `headers: { x-orders: \"${MCP.orders.url}\" }`"
        }
        _ => "remove it: only agents that agentci starts can be told where the server is",
    };
    let useless = |server: &McpWorld| {
        let name = server.name.value.escape_debug();
        let message = format!("`mcp.{name}` has no effect: {} is not started by agentci", describe(target));
        Useless::new(server.span, message, "this server would never be called", help)
    };
    case.world.mcp.iter().map(useless).collect()
}

/// The `shared` of a server that is started for each case nevertheless, since nothing else leads it to what answers that case.
fn started_anyway(case: &Case) -> Option<Useless> {
    let Target::Http(http) = &*case.target else { return None };
    let span = http.server.as_ref()?.shared?;
    let (reason, help) = if case.recorded_world().is_some() {
        ("its recording", "remove it: a server is started for each case that is recorded")
    } else if case.world.model.is_some() && !http.tells_of_model() {
        let help = "let each question say where the model is, as in `headers: { x-model: \"${MODEL.openai_base_url}\" }`; or \
                    remove it";
        ("its scripted model", help)
    } else if !case.world.mcp.is_empty() && !http.tells_of_mcp() {
        let help =
            "let each question say where they are, as in `headers: { x-orders: \"${MCP.orders.url}\" }`; or remove it";
        ("its MCP servers", help)
    } else {
        return None;
    };
    let message = format!("`shared` has no effect: the server is started for each case, and led to {reason}");
    Some(Useless { harmless: true, ..Useless::new(span, message, "is started for each case", help) })
}

/// The part of a check that needs requests to a model, beside what the check itself needs.
fn told_by_model(check: &Check) -> Option<&Node> {
    check.arguments.get("by").filter(|_| check.kind.value == "tool_called")
}

fn unobserved(name: &str, span: Span, row: &ObservedRow, case: &Case) -> Option<Useless> {
    if row.is_observed(&case.target, &case.world) {
        return None;
    }
    let (what, target) = (row.observed.words(), describe(&case.target));
    let remedies: Vec<&str> = row.sources(&case.target).iter().filter_map(|source| source.remedy()).collect();
    let help = match remedies.as_slice() {
        [] => format!("remove it: no setting makes the {what} of {target} visible"),
        remedies => format!("{}; or remove it", remedies.join(", or ")),
    };
    let message = format!("`{name}` cannot be judged: nothing reports the {what} of {target}");
    Some(Useless::new(span, message, "nothing can observe this", help))
}

/// What a case says about who answers its tools when the agent asks agentci for them, with the keys.
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

/// Whether its tools are answered by agentci when it asks for them.
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
            "answer tools that it calls over HTTP with `tools: { routes: {..} }`; or let the agent speak the protocol: remove \
             `speaks: text`"
        }
        Target::Http(_) => "answer tools that it calls over HTTP with `tools: { routes: {..} }`",
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
