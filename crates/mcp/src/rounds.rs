//! Answers a modern server that requests more input: the call is repeated with that input.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use super::error::McpError;
use agentci_protocols::mcp::{AnsweredQuestion, ElicitationAnswer, ElicitationQuestion, ServerMessages};

/// The additional parameters of the repeated call.
pub(super) fn respond(
    result: Value,
    answers: &mut VecDeque<ElicitationAnswer>,
    received: &mut ServerMessages,
) -> Result<Map<String, Value>, McpError> {
    let Value::Object(mut result) = result else { return Ok(Map::new()) };
    let mut more = Map::new();
    if let Some(Value::Object(requests)) = result.shift_remove("inputRequests") {
        let mut responses = Map::new();
        for (key, request) in requests {
            responses.insert(key, answer(&request, answers, received)?);
        }
        more.insert("inputResponses".into(), responses.into());
    }
    if let Some(state) = result.shift_remove("requestState") {
        more.insert("requestState".into(), state);
    }
    Ok(more)
}

fn answer(
    request: &Value,
    answers: &mut VecDeque<ElicitationAnswer>,
    received: &mut ServerMessages,
) -> Result<Value, McpError> {
    match request["method"].as_str().unwrap_or_default() {
        "elicitation/create" => answer_question(ElicitationQuestion::read(&request["params"]), answers, received),
        "roots/list" => Ok(json!({ "roots": [] })),
        other => Err(McpError::NotOffered(other.to_owned())),
    }
}

/// Answers a question with the next prepared answer.
pub(super) fn answer_question(
    question: ElicitationQuestion,
    answers: &mut VecDeque<ElicitationAnswer>,
    received: &mut ServerMessages,
) -> Result<Value, McpError> {
    let Some(answer) = answers.pop_front() else {
        return Err(McpError::NoAnswer { message: question.message, schema: question.schema });
    };
    let answer = question.answered(&answer);
    received.asked.push(AnsweredQuestion { question, answer: answer.clone() });
    Ok(answer)
}
