//! The driver of mock models.

use std::rc::Rc;
use std::sync::Arc;

use agentci_plan::MockTarget;
use agentci_trace::EventKind;
use serde_json::Value;

use super::{MockAnswer, MockDraws, failure};
use crate::{DriveError, DriveResult, TraceSink};

/// A mock model, with its answer or failure.
#[derive(Debug)]
pub(crate) struct MockDriver {
    answer: Result<Rc<MockAnswer>, String>,
}

impl MockDriver {
    pub(crate) fn open(target: &MockTarget, draws: &MockDraws) -> Self {
        let MockTarget { script, position, .. } = target;
        let answer = if draws.fails(script, *position) {
            Err(failure(script.failure_rate, u64::from(*position) + 1))
        } else {
            Ok(draws.answer(script, *position))
        };
        Self { answer }
    }

    pub(crate) fn turn(&self, input: Arc<Value>, sink: &mut TraceSink<'_>) -> DriveResult {
        sink.push(EventKind::TurnStart(Arc::clone(&input)))?;
        match &self.answer {
            Ok(answer) => {
                for event in answer.events(input) {
                    sink.push(event)?;
                }
                sink.push(EventKind::TurnEnd)?;
                Ok(())
            }
            Err(message) => {
                sink.push(EventKind::AgentError { message: message.clone(), data: None })?;
                Err(DriveError::AgentError(message.clone()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use agentci_plan::MockScript;
    use agentci_source::{Sources, Span};
    use serde_json::json;

    use super::*;
    use agentci_exchange::Clock;

    fn target(failure_rate: f64, position: u32) -> MockTarget {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let script = Arc::new(MockScript { failure_rate, ..MockScript::default() });
        MockTarget { script, position, span }
    }

    #[test]
    fn turn_emits_call_usage_text_and_result() {
        let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
        let driver = MockDriver::open(&target(0.0, 4), &MockDraws::new(0));
        driver.turn(json!({"messages": [{"role": "user"}]}).into(), &mut sink).unwrap();
        let trace = sink.into_trace();
        assert_eq!(trace.conversation().text(), "Mock response: task completed successfully.");
        assert_eq!(trace.usage().tokens_out, Some(12));
        let call = trace.events().iter().find_map(|event| match &event.kind {
            EventKind::ModelCall { request, response } => Some((Value::clone(request), response["latency_ms"].clone())),
            _ => None,
        });
        assert_eq!(call, Some((json!([{"role": "user"}]), json!(10.0))));
    }

    #[test]
    fn failure_names_the_call_number() {
        let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
        let driver = MockDriver::open(&target(1.0, 1), &MockDraws::new(0));
        let error = driver.turn(json!({}).into(), &mut sink).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the agent reported an error: Simulated LLM API failure (failure_rate=1.00, call #2)"
        );
    }
}
