//! The requests of a trace, each with what it continues.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::answer::calls;
use super::attempts::ModelAttempts;
use super::body::{Body, OfferedTool, RequestMessage, conversation};
use super::content::joined;
use crate::{Kind, Trace};

/// One request to a model, and what its answer asks for. Attempts that failed and the one that followed are one request.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest<'t> {
    /// In which turn, from 0.
    pub turn: u32,
    /// How often it was sent.
    pub attempts: usize,
    /// The model that it names.
    pub model: Option<&'t str>,
    /// The system prompt that the model has for it, empty if there is none: its own and, where the provider keeps the
    /// conversation, system messages of the requests before.
    pub system: Cow<'t, str>,
    /// The last text of the user, of this request or of one that it continues.
    pub user: Option<Cow<'t, str>>,
    /// What it sends itself, system prompts aside.
    pub messages: Vec<RequestMessage<'t>>,
    /// The tools that it offers.
    pub tools: Vec<OfferedTool<'t>>,
    /// The calls that its answer asks for.
    pub calls: Vec<RequestedCall<'t>>,
    /// What it continues, where the provider keeps the conversation.
    pub continues: Option<Continued<'t>>,
    /// System messages that requests which continue it see.
    kept: Vec<Cow<'t, str>>,
}

/// A call of a tool that the answer of a model asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestedCall<'t> {
    /// Its id; empty where the provider has none.
    pub id: &'t str,
    /// The tool.
    pub name: &'t str,
}

/// What a request continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continued<'t> {
    /// The request at this place among those of the trace.
    Request(usize),
    /// An answer or a conversation with this id, which is not in the trace.
    Unseen(&'t str),
}

impl Trace {
    /// The requests to models, in the order they were first sent.
    pub fn model_requests(&self) -> Vec<ModelRequest<'_>> {
        let mut requests: Vec<ModelRequest<'_>> = Vec::new();
        let mut attempts = ModelAttempts::default();
        // The request that a response or a conversation came from last.
        let mut known: HashMap<&str, usize> = HashMap::new();
        for event in self.events() {
            let Kind::ModelCall { request, response } = &event.kind else { continue };
            let at = attempts.take(request, response);
            if let Some(again) = requests.get_mut(at) {
                again.attempts += 1;
                again.calls = calls(response);
            } else {
                requests.push(made(event.turn, request, response, &requests, &known));
            }
            let id = response["id"].as_str().filter(|_| response["object"] == "response");
            known.extend(id.into_iter().chain(conversation(request)).map(|id| (id, at)));
        }
        requests
    }
}

fn made<'t>(
    turn: u32,
    request: &'t Value,
    response: &'t Value,
    before: &[ModelRequest<'t>],
    known: &HashMap<&str, usize>,
) -> ModelRequest<'t> {
    let Body { model, instructions, system, messages, tools, continues, in_conversation } = Body::read(request);
    // A conversation that is not known begins with this request.
    let continues = match continues.map(|id| (id, known.get(id))) {
        Some((_, Some(at))) => Some(Continued::Request(*at)),
        Some((id, None)) if !in_conversation => Some(Continued::Unseen(id)),
        _ => None,
    };
    let earlier = match continues {
        Some(Continued::Request(at)) => before.get(at),
        _ => None,
    };
    let mut kept = earlier.map(|earlier| earlier.kept.clone()).unwrap_or_default();
    kept.extend(system);
    let own_user = messages.iter().rev().find(|message| message.role == "user").map(|message| message.text.clone());
    ModelRequest {
        turn,
        attempts: 1,
        model,
        system: whole(instructions, &kept),
        user: own_user.or_else(|| earlier.and_then(|earlier| earlier.user.clone())),
        messages,
        tools,
        calls: calls(response),
        continues,
        kept,
    }
}

/// The parts of a system prompt as one text.
fn whole<'t>(instructions: Option<Cow<'t, str>>, messages: &[Cow<'t, str>]) -> Cow<'t, str> {
    match (instructions, messages) {
        (Some(only), []) => only,
        (None, [only]) => only.clone(),
        (instructions, messages) => {
            let parts = instructions.iter().chain(messages).map(|part| &**part);
            Cow::Owned(joined(parts).into_owned())
        }
    }
}
