//! Model requests as steps.

use agentci_trace::{EventKind, ModelRequest, RequestMessage, Trace, request_parameters};
use serde_json::{Map, Value, json};

use crate::{PartKind, StepKind, TrajectoryStep};

/// How many earlier requests are searched for the one that a request continues.
const BEFORE: usize = 50;

/// The model requests with the positions of their first events.
pub(crate) fn model_steps(trace: &Trace) -> Vec<(u64, TrajectoryStep)> {
    let requests = trace.model_requests();
    let order_of = |request: &ModelRequest<'_>| {
        trace.events().iter().find_map(|event| match &event.kind {
            EventKind::ModelCall { request: body, .. } if std::ptr::eq(&raw const **body, request.body) => {
                Some(event.at.offset_us + 1)
            }
            _ => None,
        })
    };
    let made = requests.iter().enumerate();
    made.filter_map(|(at, request)| Some((order_of(request)?, step(request, &requests[at.saturating_sub(BEFORE)..at]))))
        .collect()
}

fn step(request: &ModelRequest<'_>, before: &[ModelRequest<'_>]) -> TrajectoryStep {
    let model = request.model.unwrap_or_default();
    let mut step = TrajectoryStep::new(StepKind::Model, model).with(PartKind::Model, model.into());
    let mut set = |kind, value: Value, is_empty: bool| {
        if !is_empty {
            step.set(kind, crate::PartValue::Known(value));
        }
    };
    set(PartKind::SystemPrompt, request.system.as_ref().into(), request.system.is_empty());
    let tools: Map<String, Value> =
        request.tools.iter().map(|tool| (tool.name.to_owned(), tool.declared.clone())).collect();
    set(PartKind::Tools, Value::Object(tools), request.tools.is_empty());
    let parameters = request_parameters(request.body).unwrap_or_default();
    let none = parameters.as_object().is_none_or(Map::is_empty);
    set(PartKind::Parameters, parameters, none);
    let messages: Vec<Value> = added(request, before).iter().map(message).collect();
    let none = messages.is_empty();
    set(PartKind::Messages, messages.into(), none);
    let mut calls: Vec<&str> = request.calls.iter().map(|call| call.name).collect();
    calls.sort_unstable();
    set(PartKind::Requested, json!(calls), calls.is_empty());
    set(PartKind::Answer, request.answer_text().into(), request.answer_text().is_empty());
    if request.attempts > 1 {
        set(PartKind::State, format!("sent {} times", request.attempts).into(), false);
    }
    step
}

/// The messages that the request adds to the conversation that it continues.
fn added<'r, 't>(request: &'r ModelRequest<'t>, before: &[ModelRequest<'t>]) -> &'r [RequestMessage<'t>] {
    let shared = |earlier: &ModelRequest<'t>| {
        let pairs = request.messages.iter().zip(&earlier.messages);
        pairs.take_while(|(one, other)| one == other).count()
    };
    // A request continues another only if it has all its messages.
    let continued = before.iter().filter(|earlier| shared(earlier) == earlier.messages.len());
    &request.messages[continued.map(|earlier| earlier.messages.len()).max().unwrap_or(0)..]
}

fn message(message: &RequestMessage<'_>) -> Value {
    json!({ "role": message.role, "text": message.text })
}
