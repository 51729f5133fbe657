//! Answers `tools/call`.

use agentci_plan::FaultKind;
use agentci_plan::mcp_script::{CallOutcome, ScriptedMcpTool, ToolAnswer};
use agentci_protocols::jsonrpc::{INTERNAL_ERROR, RpcError};
use agentci_wire::lock;
use serde_json::{Map, Value, json};

use crate::answer::{INVALID_PARAMS, ServerRequest, unknown};
use crate::faults::SpoiltMessage;
use crate::interaction::StepsEnd;
use crate::observer::ServerEvent;
use crate::paused_calls::{Pause, PausedCall};
use crate::schemas::{Schemas, misfit};
use crate::server_state::ServerState;
use crate::variables::AnswerVariables;

impl ServerState {
    /// Calls a tool: its result, and the fault in sending it.
    pub(crate) async fn call(&self, asked: &ServerRequest) -> (Result<Value, RpcError>, Option<SpoiltMessage>) {
        let (name, resumed) = match asked.text("name").and_then(|name| Ok((name, self.resumed(asked)?))) {
            Ok(begun) => begun,
            Err(error) => return (Err(error), None),
        };
        let call = match &resumed {
            Some(pause) => pause.call.clone(),
            None => PausedCall { number: self.called(name, asked.params.get("arguments")), fault: self.fault(name) },
        };
        if let Some(FaultKind::Error(words)) = &call.fault {
            // The answer is kept for the next attempt.
            self.answered(&call, Err(words.clone()));
            return (Ok(complaint(words)), None);
        }
        let result = match self.answer_call(asked, name, &call, resumed).await {
            Ok(StepsEnd::Waits(result)) => return (Ok(result), None),
            Ok(StepsEnd::Through(result)) => Ok(result),
            Err(error) => Err(error),
        };
        if let Some(FaultKind::Delay(time)) = call.fault {
            tokio::time::sleep(time).await;
        }
        self.answered(&call, told(&result));
        if call.fault == Some(FaultKind::Hang) {
            asked.line.0.closed().await;
        }
        let spoilt = call.fault.as_ref().and_then(SpoiltMessage::of);
        (result, spoilt)
    }

    async fn answer_call(
        &self,
        asked: &ServerRequest,
        name: &str,
        call: &PausedCall,
        resumed: Option<Pause>,
    ) -> Result<StepsEnd<Value>, RpcError> {
        let arguments = asked.arguments()?;
        if let Some(tape) = &self.tape {
            return self.replay(tape, asked).map(StepsEnd::Through);
        }
        let known = self.script.tools.iter().zip(&self.schemas).enumerate();
        let Some((index, (tool, schemas))) = known.into_iter().find(|(_, (tool, _))| tool.name.value == name) else {
            self.missed(name, format!("unknown tool `{name}`"));
            let words = || RpcError::new(INVALID_PARAMS, format!("Unknown tool: {name}"));
            return Err(if self.script.tools.is_empty() { unknown(&asked.method) } else { words() });
        };
        if let Some(reason) = misfit(schemas.input.as_ref(), &Value::Object(arguments.clone())) {
            return Ok(StepsEnd::Through(complaint(&format!("Input validation error: {reason}"))));
        }
        let waited = resumed.is_some();
        let picked = || {
            let answer = self.pick(index, tool, &arguments)?;
            Some(Pause { answer, call: call.clone(), ..Pause::default() })
        };
        let Some(pause) = resumed.or_else(picked) else {
            let words = format!("no answer of the tool `{name}` matches {}", Value::Object(arguments.clone()));
            self.missed(name, words.clone());
            return Err(RpcError::new(INTERNAL_ERROR, words));
        };
        let at = pause.answer;
        let Some(answer) = tool.answers.get(at) else {
            return Err(RpcError::new(INVALID_PARAMS, "`requestState` belongs to another request"));
        };
        let answers = match self.play(&answer.steps, asked, &arguments, pause).await? {
            StepsEnd::Waits(result) => {
                self.mark(index, at, false);
                return Ok(StepsEnd::Waits(result));
            }
            StepsEnd::Through(answers) => answers,
        };
        if waited {
            self.mark(index, at, true);
        }
        let given = AnswerVariables { arguments: &arguments, answers: &answers };
        result(answer, schemas, &given).map(StepsEnd::Through)
    }

    /// The paused call that a client without a session continues.
    pub(crate) fn resumed(&self, asked: &ServerRequest) -> Result<Option<Pause>, RpcError> {
        let Some(state) = asked.params.get("requestState") else { return Ok(None) };
        let found = state.as_str().and_then(|token| lock(&self.paused).find(token));
        found.map(Some).ok_or_else(|| RpcError::new(INVALID_PARAMS, "`requestState` was not issued by this server"))
    }

    /// The next matching answer; once all were given, the last one.
    fn pick(&self, index: usize, tool: &ScriptedMcpTool, arguments: &Map<String, Value>) -> Option<usize> {
        let mut given = lock(&self.given);
        let given = given.get_mut(index)?;
        let fitting: Vec<usize> = (0..tool.answers.len()).filter(|at| fits(&tool.answers[*at], arguments)).collect();
        let next = fitting.iter().copied().find(|at| !given[*at]).or(fitting.last().copied())?;
        given[next] = true;
        Some(next)
    }

    fn mark(&self, tool: usize, answer: usize, was_given: bool) {
        let mut given = lock(&self.given);
        if let Some(mark) = given.get_mut(tool).and_then(|answers| answers.get_mut(answer)) {
            *mark = was_given;
        }
    }

    fn answered(&self, call: &PausedCall, outcome: Result<Value, String>) {
        self.tell(ServerEvent::Answer { number: call.number, outcome, fault: call.fault.clone() });
    }
}

/// Whether a call has the arguments that an answer expects.
fn fits(answer: &ToolAnswer, arguments: &Map<String, Value>) -> bool {
    answer.when.as_ref().and_then(Value::as_object).is_none_or(|wanted| has_all(wanted, arguments))
}

fn has_all(wanted: &Map<String, Value>, found: &Map<String, Value>) -> bool {
    wanted.iter().all(|(key, wanted)| match (wanted, found.get(key)) {
        (Value::Object(wanted), Some(Value::Object(found))) => has_all(wanted, found),
        (Value::Number(wanted), Some(Value::Number(found))) => wanted.as_f64() == found.as_f64(),
        (wanted, found) => Some(wanted) == found,
    })
}

/// The result of a call, in the protocol's form.
fn result(answer: &ToolAnswer, schemas: &Schemas, given: &AnswerVariables<'_>) -> Result<Value, RpcError> {
    let result = match &answer.outcome {
        CallOutcome::Reply(reply) => replied(given.fill(reply)?),
        CallOutcome::Error(words) => {
            return Ok(complaint(given.fill(words)?.as_str().expect("the error of an answer is text")));
        }
        CallOutcome::Result(result) => {
            let mut result = given.fill(result)?;
            if let Some(result) = result.as_object_mut() {
                result.entry("content").or_insert_with(|| json!([]));
            }
            result
        }
        CallOutcome::Failure { code, message } => return Err(RpcError::new(*code, message.as_str())),
    };
    if result["isError"] != true
        && let Some(reason) = misfit(schemas.output.as_ref(), &result["structuredContent"])
    {
        return Err(RpcError::new(
            INTERNAL_ERROR,
            format!("the script's answer does not match `outputSchema`: {reason}"),
        ));
    }
    Ok(result)
}

fn replied(reply: Value) -> Value {
    match reply {
        Value::Null => json!({ "content": [] }),
        Value::String(text) => json!({ "content": [{ "type": "text", "text": text }] }),
        Value::Object(_) => {
            let text = reply.to_string();
            json!({ "content": [{ "type": "text", "text": text }], "structuredContent": reply })
        }
        other => json!({ "content": [{ "type": "text", "text": other.to_string() }] }),
    }
}

fn complaint(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }], "isError": true })
}

/// The outcome to report: the structured content, or the texts.
fn told(result: &Result<Value, RpcError>) -> Result<Value, String> {
    let result = result.as_ref().map_err(ToString::to_string)?;
    let texts = || {
        let parts = result["content"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
    };
    if result["isError"] == true {
        return Err(texts());
    }
    Ok(result.get("structuredContent").cloned().unwrap_or_else(|| Value::String(texts())))
}
