//! Records the prompts of an attempt for baselines: system prompts, tools, models and parameters.
//!
//! Secrets are removed first. Then values that differ from run to run are replaced by marks, and the rest is hashed.

mod parameters;
mod print;
mod system;
mod tools;

use std::collections::{BTreeMap, HashSet};

use agentci_recorder::{Circumstances, TextNormalizer};
use agentci_trace::{EventKind, ModelRequest, Redactor, Trace, request_parameters};
use agentci_verdict::{CaseEnd, KeptPrompt};
use serde_json::Value;

use crate::{attempt::Attempt, recorded_world};
use print::FingerprintMaker;

/// The maximum number of different prompts of a case. If a case has more, every prompt is probably unique, and prompts
/// are not compared.
const WAYS: usize = 200;

/// The number of digits of an id.
const DIGITS: usize = 16;

/// Records the prompts of an attempt, if they could be observed.
pub(crate) fn settle(attempt: &Attempt<'_>, trace: &Trace, end: &mut CaseEnd) {
    if end.metrics.model_calls.is_none() {
        return;
    }
    let asked = trace.events().iter().any(|event| matches!(event.kind, EventKind::ModelCall { .. }));
    let prompts = if asked { of_trace(trace, &attempt.job.secrets.all(), &normalizer(attempt)) } else { Vec::new() };
    keep(prompts, end);
}

fn keep(prompts: Vec<KeptPrompt>, end: &mut CaseEnd) {
    if prompts.len() > WAYS {
        end.warnings.push(format!(
            "its models get more than {WAYS} different prompts, so none are kept: system prompts that differ each time \
             cannot be compared with a baseline"
        ));
        return;
    }
    end.asked = Some(Box::new(prompts.iter().map(|prompt| prompt.id.clone()).collect()));
    end.prompts = prompts;
}

/// The distinct prompts of a trace, by id; slightly more than the limit if there are too many.
fn of_trace(trace: &Trace, secrets: &Redactor, normalizer: &TextNormalizer) -> Vec<KeptPrompt> {
    let printer = FingerprintMaker { secrets, normalizer };
    let mut prompts: BTreeMap<String, KeptPrompt> = BTreeMap::new();
    let mut known: HashSet<String> = HashSet::new();
    for request in trace.model_requests() {
        let Some(values) = request_parameters(request.body) else { continue };
        // Repeated identical requests are processed once.
        let tools: Vec<&Value> = request.tools.iter().map(|tool| tool.declared).collect();
        let plain = serde_json::json!([request.model, request.system, tools, values]);
        if prompts.len() <= WAYS && known.insert(print::hash(&plain.to_string())) {
            let made = prompt(&request, &values, &printer);
            prompts.insert(made.id.clone(), made);
        }
    }
    prompts.into_values().collect()
}

fn prompt(request: &ModelRequest<'_>, values: &Value, printer: &FingerprintMaker<'_>) -> KeptPrompt {
    let system = system::of(&request.system, printer);
    let tools = tools::of(&request.tools, printer);
    let (parameters, of_parameters) = parameters::kept(values, printer);
    let model = request.model.map(|model| printer.secrets.text(model).into_owned());
    let tool_ids: Vec<&str> = tools.iter().map(|tool| tool.id.as_str()).collect();
    let whole = serde_json::json!([model, system.as_ref().map(|system| &system.id), tool_ids, of_parameters]);
    KeptPrompt { id: print::hash(&whole.to_string()), model, parameters, system, tools }
}

/// What may differ from run to run is determined by the agent's folders and by the time at which it ran.
fn normalizer(attempt: &Attempt<'_>) -> TextNormalizer {
    let elapsed_ms = u64::try_from(attempt.clock.started().elapsed().as_millis()).unwrap_or(u64::MAX);
    let began_ms = attempt.clock.after(0).unix_ms;
    TextNormalizer::new(&Circumstances::here(began_ms, recorded_world::agent_roots(attempt)), elapsed_ms)
}

/// Removes secrets that became known after the requests were made.
pub(crate) fn scrub(end: &mut CaseEnd, secrets: &Redactor) {
    for prompt in &mut end.prompts {
        for line in prompt.system.iter_mut().flat_map(|system| &mut system.lines) {
            secrets.scrub(line);
        }
        for tool in &mut prompt.tools {
            tool.description.iter_mut().for_each(|text| secrets.scrub(text));
            tool.schema.iter_mut().for_each(|schema| secrets.value(schema));
            tool.settings.values_mut().for_each(|value| secrets.value(value));
        }
        if let Some(values) = &mut prompt.parameters.values {
            for value in values.values_mut() {
                secrets.value(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_trace::{Event, Moment};
    use serde_json::json;

    use super::*;

    fn trace(bodies: impl IntoIterator<Item = Value>) -> Trace {
        let mut trace = Trace::default();
        for body in bodies {
            let kind = EventKind::ModelCall { request: body.into(), response: json!({ "choices": [] }).into() };
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        trace
    }

    fn asked(bodies: impl IntoIterator<Item = Value>) -> CaseEnd {
        let normalizer = TextNormalizer::new(&Circumstances::default(), 0);
        let mut end = CaseEnd::default();
        keep(of_trace(&trace(bodies), &Redactor::default(), &normalizer), &mut end);
        end
    }

    fn body(system: &str, user: usize) -> Value {
        json!({ "model": "m", "messages": [{ "role": "system", "content": system },
                                            { "role": "user", "content": user.to_string() }] })
    }

    #[test]
    fn merges_requests_that_differ_only_in_messages_and_ids() {
        let id = |number: usize| format!("Session 1fe7d1e2-d166-42de-b7a7-{number:012}.");
        let end = asked((0..WAYS + 10).map(|number| body(&id(number), number)));
        assert_eq!((end.asked.as_ref().map(|ids| ids.len()), end.prompts.len()), (Some(1), 1));
        assert_eq!(end.prompts[0].system.as_ref().map(|system| &system.lines[0][17..]), Some("Session {id}."));
    }

    #[test]
    fn does_not_compare_agent_with_too_many_distinct_prompts() {
        let ways = |count: usize| asked((0..count).map(|number| body(&format!("You are agent x{number}y."), 0)));
        let (kept, too_many) = (ways(WAYS), ways(WAYS + 1));
        assert_eq!((kept.prompts.len(), kept.warnings.len()), (WAYS, 0));
        assert_eq!((too_many.asked.is_some(), too_many.prompts.len(), too_many.warnings.len()), (false, 0, 1));
    }

    #[test]
    fn long_prompts_are_truncated_but_compared_in_full() {
        let lines = |last: &str| format!("{}{last}", "a line\n".repeat(3000));
        let (one, other) = (asked([body(&lines("x"), 0)]), asked([body(&lines("y"), 0)]));
        let system = |end: &CaseEnd| end.prompts[0].system.clone().unwrap();
        assert_eq!((system(&one).lines.len(), system(&one).last_is), (2001, Some(1001)));
        assert_eq!(system(&one).lines.last().unwrap().len(), 16);
        assert_ne!(one.asked, other.asked);
        let long = |last: &str| body(&format!("{}{last}", "word ".repeat(1000)), 0);
        let (one, other) = (asked([long("x")]), asked([long("y")]));
        assert_eq!(system(&one).lines[0].len(), 16 + 1 + 2000);
        assert_ne!(one.asked, other.asked);
        let wide = asked([body(&format!("{}\n", "w ".repeat(900)).repeat(100), 0)]);
        let kept: usize = system(&wide).lines.iter().map(String::len).sum();
        assert!((64 * 1024..80 * 1024).contains(&kept), "{kept}");
    }

    #[test]
    fn long_tools_and_parameters_are_compared_but_not_stored() {
        let offer = |last: &str, long: usize| {
            let schema = json!({ "properties": { last: { "description": "d ".repeat(long) } } });
            let tool = json!({ "name": "t", "description": "e ".repeat(long), "parameters": schema });
            let tool = json!({ "type": "function", "function": tool });
            json!({ "model": "m", "tools": [tool], "messages": [], "stop": [last, "f ".repeat(long)] })
        };
        let (one, other, short) = (asked([offer("x", 9000)]), asked([offer("y", 9000)]), asked([offer("x", 10)]));
        assert_ne!(one.asked, other.asked);
        let tool = &one.prompts[0].tools[0];
        assert_eq!((tool.description.as_ref().map(String::len), &tool.schema), (Some(2000), &None));
        assert_eq!((&one.prompts[0].parameters.values, short.prompts[0].parameters.values.is_some()), (&None, true));
        let many = (0..600).map(|number| json!({ "name": format!("tool{number}") })).collect::<Vec<_>>();
        let many = asked([json!({ "model": "m", "messages": [], "tools": many })]);
        assert_eq!((many.prompts[0].tools.len(), many.prompts[0].tools[0].name.as_str()), (501, "100 more tools"));
    }
}
