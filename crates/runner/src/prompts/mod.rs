//! What an attempt asked its models with, kept for baselines: system prompts, tools, models and parameters.
//!
//! Secrets are removed first. Then marks take the place of what differs from run to run, and what is left is hashed.

mod parameters;
mod print;
mod system;
mod tools;

use std::collections::{BTreeSet, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use agentci_recorder::{Steadier, Surroundings};
use agentci_trace::{Kind, ModelRequest, Redactor, Trace};
use agentci_verdict::{CaseEnd, Prompt};
use serde_json::Value;

use crate::attempt::Attempt;
use crate::recorded_world;
use print::Printer;

/// In how many ways a case may ask its models. One that asks in more has prompts of which each is another, and they are not
/// compared.
const WAYS: usize = 200;

/// How many digits an id has.
const DIGITS: usize = 16;

/// Writes down what an attempt asked its models with, if that could be observed.
pub(crate) fn settle(attempt: &Attempt<'_>, trace: &Trace, end: &mut CaseEnd) {
    if end.metrics.model_calls.is_none() {
        return;
    }
    let asked = trace.events().iter().any(|event| matches!(event.kind, Kind::ModelCall { .. }));
    let prompts = if asked { of_trace(attempt, trace) } else { Vec::new() };
    if prompts.len() > WAYS {
        end.warnings.push(format!(
            "its models are asked in more than {WAYS} ways, so they are not kept: system prompts that differ each time cannot be \
             compared with a baseline"
        ));
        return;
    }
    end.asked = Some(Box::new(prompts.iter().map(|prompt| prompt.id.clone()).collect()));
    end.prompts = prompts.into();
}

fn of_trace(attempt: &Attempt<'_>, trace: &Trace) -> Vec<Prompt> {
    let secrets = attempt.job.secrets.all();
    let steadier = steadier(attempt);
    let printer = Printer { secrets: &secrets, steadier: &steadier };
    let mut raw: Vec<(ModelRequest<'_>, Value)> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for request in trace.model_requests() {
        let Some(values) = parameters::of(request.body) else { continue };
        // The same request again is not looked at again, however often it was made.
        let tools: Vec<&Value> = request.tools.iter().map(|tool| tool.declared).collect();
        let plain = serde_json::json!([request.model, request.system, tools, values]);
        if raw.len() <= WAYS && known.insert(plain.to_string()) {
            raw.push((request, values));
        }
    }
    let mut ids = BTreeSet::new();
    let made = raw.iter().map(|(request, values)| prompt(request, values, &printer));
    let mut prompts: Vec<Prompt> = made.filter(|prompt| ids.insert(prompt.id.clone())).collect();
    prompts.sort_by(|one, other| one.id.cmp(&other.id));
    prompts
}

fn prompt(request: &ModelRequest<'_>, values: &Value, printer: &Printer<'_>) -> Prompt {
    let system = system::of(&request.system, printer);
    let tools = tools::of(&request.tools, printer);
    let (parameters, of_parameters) = parameters::kept(values, printer);
    let model = request.model.map(|model| printer.secrets.text(model).into_owned());
    let tool_ids: Vec<&str> = tools.iter().map(|tool| tool.id.as_str()).collect();
    let whole = serde_json::json!([model, system.as_ref().map(|system| &system.id), tool_ids, of_parameters]);
    Prompt { id: print::hash(&whole.to_string()), model, parameters, system, tools }
}

/// What may differ from run to run is measured by the folders of the agent and by the clock while it ran.
fn steadier(attempt: &Attempt<'_>) -> Steadier {
    let unix_ms = |since: Result<std::time::Duration, _>| {
        since.map_or(0, |since: std::time::Duration| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    };
    let now_ms = unix_ms(SystemTime::now().duration_since(UNIX_EPOCH));
    let elapsed_ms = u64::try_from(attempt.clock.started().elapsed().as_millis()).unwrap_or(u64::MAX);
    let began_ms = now_ms.saturating_sub(elapsed_ms);
    let roots = recorded_world::agent_roots(attempt);
    Steadier::new(&Surroundings::here(began_ms, roots), elapsed_ms)
}

/// Removes secrets that became known after the requests were made.
pub(crate) fn scrub(end: &mut CaseEnd, secrets: &Redactor) {
    for prompt in end.prompts.iter_mut() {
        for line in prompt.system.iter_mut().flat_map(|system| &mut system.lines) {
            secrets.scrub(line);
        }
        for tool in &mut prompt.tools {
            tool.description.iter_mut().for_each(|text| secrets.scrub(text));
            tool.schema.iter_mut().for_each(|schema| secrets.value(schema));
            tool.settings.values_mut().for_each(|value| secrets.value(value));
        }
        if let Some(values) = &mut prompt.parameters.values {
            values.values_mut().for_each(|value| secrets.value(value));
        }
    }
}
