//! Runs the steps before an answer: waiting, logging, progress, questions to the client.

use agentci_plan::mcp_script::{AnswerStep, ClientQuestion};
use agentci_protocols::jsonrpc::{INVALID_REQUEST, RpcError};
use agentci_protocols::mcp::versions::MISSING_CAPABILITY;
use agentci_wire::lock;
use serde_json::{Map, Value, json};

use crate::answer::{AnswerEra, INVALID_PARAMS, ServerRequest};
use crate::{client::Outgoing, paused_calls::Pause, server_state::ServerState, variables::AnswerVariables};

/// How the steps of an answer ended.
#[derive(Debug)]
pub(crate) enum StepsEnd<T> {
    /// All steps are done, with this result.
    Through(T),
    /// The client must repeat the request with its answers; this is the result to send.
    Waits(Value),
}

impl ServerState {
    /// Runs the steps of an answer, with the answers that a paused call already has; the result is the client's
    /// answers.
    pub(crate) async fn play(
        &self,
        steps: &[AnswerStep],
        asked: &ServerRequest,
        arguments: &Map<String, Value>,
        pause: Pause,
    ) -> Result<StepsEnd<Map<String, Value>>, RpcError> {
        let Pause { call, answer, mut answers } = pause;
        answers.extend(responses(asked)?);
        for step in steps {
            match step {
                AnswerStep::Wait(time) => tokio::time::sleep(*time).await,
                AnswerStep::Log { level, data } => {
                    let data = AnswerVariables { arguments, answers: &answers }.fill(data)?;
                    if asked.client.logs(*level) {
                        let params = json!({ "level": level.name(), "logger": self.script.name, "data": data });
                        asked.line.notify("notifications/message", &params);
                    }
                }
                AnswerStep::Progress { progress, total, message } => {
                    tell_progress(asked, *progress, *total, message.as_deref());
                }
                AnswerStep::Ask(questions) => {
                    let able: Vec<&ClientQuestion> =
                        questions.iter().filter(|asks| asked.client.can(asks.kind)).collect();
                    if able.is_empty() {
                        return Err(cannot(questions, asked.era));
                    }
                    let given = AnswerVariables { arguments, answers: &answers };
                    let open = able.iter().filter(|question| !answers.contains_key(&question.name));
                    let open = open.map(|question| Ok((*question, given.fill(&question.params)?)));
                    let open = open.collect::<Result<Vec<(&ClientQuestion, Value)>, RpcError>>()?;
                    if open.is_empty() {
                        continue;
                    }
                    if asked.era == AnswerEra::Modern {
                        return Ok(StepsEnd::Waits(self.wait(open, Pause { call, answer, answers })));
                    }
                    for (question, params) in open {
                        let said = asked.line.ask(&asked.client, question.kind, &params).await?;
                        answers.insert(question.name.clone(), said);
                    }
                }
                AnswerStep::Close => asked.line.send(Outgoing::Close),
            }
        }
        Ok(StepsEnd::Through(answers))
    }

    /// The result that requests input from a client without a session.
    fn wait(&self, open: Vec<(&ClientQuestion, Value)>, pause: Pause) -> Value {
        let requests: Map<String, Value> = open
            .into_iter()
            .map(|(question, params)| {
                (question.name.clone(), json!({ "method": question.kind.method(), "params": params }))
            })
            .collect();
        let state = lock(&self.paused).keep(pause);
        json!({ "resultType": "input_required", "inputRequests": requests, "requestState": state })
    }
}

/// The answers of a client without a session. Invalid ones are ignored, so the questions are asked again.
fn responses(asked: &ServerRequest) -> Result<Map<String, Value>, RpcError> {
    match asked.params.get("inputResponses") {
        None => Ok(Map::new()),
        Some(Value::Object(said)) => Ok(said.clone().into_iter().filter(|(_, answer)| answer.is_object()).collect()),
        Some(_) => Err(RpcError::new(INVALID_PARAMS, "`inputResponses` must be an object")),
    }
}

fn tell_progress(asked: &ServerRequest, progress: f64, total: Option<f64>, message: Option<&str>) {
    let Some(token) = asked.params.get("_meta").and_then(|meta| meta.get("progressToken")) else { return };
    let mut params = json!({ "progressToken": token, "progress": number(progress) });
    if let Some(total) = total {
        params["total"] = number(total);
    }
    if let Some(message) = message {
        params["message"] = message.into();
    }
    asked.line.notify("notifications/progress", &params);
}

/// An integer without a fraction, since clients display numbers as they are.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "only numbers that are whole and small")]
    if value.fract() == 0.0 && value.abs() < 1e15 { (value as i64).into() } else { value.into() }
}

fn cannot(questions: &[ClientQuestion], era: AnswerEra) -> RpcError {
    let needed: Map<String, Value> =
        questions.iter().map(|question| (question.kind.capability().to_owned(), json!({}))).collect();
    let names: Vec<&str> = needed.keys().map(String::as_str).collect();
    let message = format!("the client cannot be asked: it does not declare {}", names.join(" or "));
    match era {
        AnswerEra::Legacy => RpcError::new(INVALID_REQUEST, message),
        AnswerEra::Modern => RpcError {
            data: Some(json!({ "requiredCapabilities": needed })),
            ..RpcError::new(MISSING_CAPABILITY, message)
        },
    }
}
