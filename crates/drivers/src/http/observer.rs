//! Events of another observer while the agent answers, and their form in a recording.

use agentci_trace::{EventKind, Observer, ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::observer::SeenEvents;
use crate::{StoppedError, TraceSink};
use agentci_exchange::ExchangeRecorder;

/// The events of another observer, and the recorder that stores them.
#[derive(Debug, Default)]
pub(crate) struct AgentWatch {
    pub(crate) seen: SeenEvents,
    pub(super) recorder: Option<ExchangeRecorder>,
}

impl AgentWatch {
    /// Waits for a future, and adds events that are observed meanwhile to the trace.
    pub(super) async fn beside<T>(
        &mut self,
        sink: &mut TraceSink<'_>,
        waiting: impl Future<Output = T>,
    ) -> Result<T, StoppedError> {
        let mut waiting = std::pin::pin!(waiting);
        loop {
            tokio::select! {
                // Observed events first: the agent can only refer to them afterwards.
                biased;
                Some(kind) = self.seen.next() => self.take(kind, sink)?,
                done = &mut waiting => {
                    self.take_all(sink)?;
                    return Ok(done);
                }
            }
        }
    }

    /// Adds the events that were observed so far to the trace.
    pub(crate) fn take_all(&mut self, sink: &mut TraceSink<'_>) -> Result<(), StoppedError> {
        while let Some(kind) = self.seen.ready() {
            self.take(kind, sink)?;
        }
        Ok(())
    }

    fn take(&mut self, kind: EventKind, sink: &mut TraceSink<'_>) -> Result<(), StoppedError> {
        let clock = sink.clock();
        let at = clock.now();
        if let (Some(recorder), Some(what)) = (&mut self.recorder, written(&kind)) {
            recorder.seen(what, clock, at);
        }
        sink.push_at(at, kind)
    }
}

/// The form of an event in a recording.
fn written(kind: &EventKind) -> Option<Value> {
    Some(match kind {
        EventKind::ToolCall(ToolCall { call_id, name, args, observer, .. }) => json!({
            "type": "tool_call", "call_id": call_id, "name": name, "args": args, "observer": observer.name()
        }),
        EventKind::ToolResult(ToolResult { call_id, ok, result, error, fault, observer, .. }) => json!({
            "type": "tool_result", "call_id": call_id, "ok": ok, "result": result, "error": error, "fault": fault,
            "observer": observer.name()
        }),
        EventKind::ModelCall { request, response } => {
            json!({"type": "model_call", "request": request, "response": response})
        }
        EventKind::Usage(usage) => json!({"type": "usage", "usage": usage}),
        _ => return None,
    })
}

/// Reads an event from a recording; `None` if it is unknown to this version.
pub(super) fn read(kept: &Value) -> Option<EventKind> {
    let text = |key: &str| kept.get(key).and_then(Value::as_str).map(str::to_owned);
    let value = |key: &str| kept.get(key).cloned().unwrap_or_default();
    // Older recordings do not name the observer.
    let observer = || text("observer").and_then(|word| Observer::read(&word)).unwrap_or(Observer::Stub);
    Some(match kept.get("type")?.as_str()? {
        "tool_call" => EventKind::ToolCall(ToolCall::new(text("call_id")?, text("name")?, value("args"), observer())),
        "tool_result" => EventKind::ToolResult(ToolResult {
            call_id: text("call_id")?,
            ok: kept.get("ok")?.as_bool()?,
            result: value("result").into(),
            error: text("error"),
            fault: text("fault"),
            observer: observer(),
            ..ToolResult::default()
        }),
        "model_call" => EventKind::ModelCall { request: value("request").into(), response: value("response").into() },
        "usage" => EventKind::Usage(serde_json::from_value(value("usage")).ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agentci_trace::Usage;

    use super::*;

    #[test]
    fn observed_tool_events_round_trip() {
        let call = ToolCall {
            call_id: "1".into(),
            name: "pay".into(),
            args: json!({"id": 1.0}).into(),
            observer: Observer::Stub,
            begun: None,
        };
        let failed = Some("no".to_owned());
        let result = ToolResult {
            call_id: "1".into(),
            ok: false,
            result: Arc::default(),
            error: failed.clone(),
            fault: failed,
            observer: Observer::ModelWire,
            ..ToolResult::default()
        };
        for kind in [
            EventKind::ToolCall(call),
            EventKind::ToolResult(result),
            EventKind::ModelCall { request: json!([1]).into(), response: json!("a").into() },
            EventKind::Usage(Usage { tokens_in: Some(3), tokens_out: None, cost_usd: Some(0.5) }),
        ] {
            assert_eq!(read(&written(&kind).unwrap()), Some(kind));
        }
        assert_eq!(written(&EventKind::TurnEnd), None);
        assert_eq!(read(&json!({"type": "news"})), None);
    }
}
