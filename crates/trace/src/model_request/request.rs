//! A model request, with the requests that it continues.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::answer::{calls, said};
use super::body::{OfferedTool, RequestBody, RequestMessage};
use super::content::joined;

/// A model request, and the calls that its answer requests. A failed request and its retries are one request.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest<'t> {
    /// The number of the turn, from 0.
    pub turn: u32,
    /// The number of times it was sent.
    pub attempts: usize,
    /// The whole body.
    pub body: &'t Value,
    /// The name of the model.
    pub model: Option<&'t str>,
    /// The effective system prompt, empty if there is none: its own and, if the provider stores the conversation, the
    /// system messages of earlier requests.
    pub system: Cow<'t, str>,
    /// The last text of the user, in this request or in one that it continues.
    pub user: Option<Cow<'t, str>>,
    /// The earlier messages, if the provider stores the conversation: the answer that it continues and, if this is the
    /// trace of one turn, the messages and answers of earlier turns.
    pub before: Vec<RequestMessage<'t>>,
    /// The messages of the request itself, without system prompts.
    pub messages: Vec<RequestMessage<'t>>,
    pub tools: Vec<OfferedTool<'t>>,
    /// The calls that its answer requests.
    pub calls: Vec<RequestedCall<'t>>,
    /// What it continues, if the provider stores the conversation.
    pub continues: Option<Continued<'t>>,
    /// System messages that also apply to requests that continue it.
    kept: Vec<Cow<'t, str>>,
    /// The text of its answer, for requests that continue it.
    said: Cow<'t, str>,
}

/// A tool call that a model's answer requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestedCall<'t> {
    /// The id of the call; empty if the provider has none.
    pub id: &'t str,
    /// The name of the tool.
    pub name: &'t str,
}

/// What a request continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continued<'t> {
    /// The request at this position of the trace.
    Request(usize),
    /// A request of an earlier turn, if this is the trace of one turn.
    Earlier,
    /// An answer or a conversation with this id, which is not in the trace.
    Unseen(&'t str),
}

impl<'t> ModelRequest<'t> {
    /// A request by itself, ignoring what it continues.
    pub fn alone(request: &'t Value) -> Self {
        made(0, request, &Value::Null, &[], &HashMap::new())
    }

    /// Its answer as a message of the requests that continue it.
    pub(super) fn answer(&self) -> Option<RequestMessage<'t>> {
        (!self.said.is_empty()).then(|| RequestMessage { role: "assistant", text: self.said.clone() })
    }

    /// The text of its answer; empty if the answer only requests calls.
    pub fn answer_text(&self) -> &str {
        &self.said
    }

    /// The system messages that also apply to requests that continue it; instructions apply to one request only.
    pub fn carried(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|text| &**text)
    }
}

/// Reads a request that may continue one of those `before` it; `known` maps the ids of their answers to their
/// positions.
pub(super) fn made<'t>(
    turn: u32,
    request: &'t Value,
    response: &'t Value,
    before: &[ModelRequest<'t>],
    known: &HashMap<&str, usize>,
) -> ModelRequest<'t> {
    let body = RequestBody::read(request);
    let RequestBody { model, instructions, system, messages, mut tools, continues, in_conversation, in_thread } = body;
    // An unknown conversation starts with this request.
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
    let parts = instructions.iter().chain(&kept).map(|part| &**part);
    let mut prompt: Cow<'t, str> = Cow::Owned(joined(parts).into_owned());
    if let Some(earlier) = earlier.filter(|_| in_thread) {
        if prompt.is_empty() {
            prompt.clone_from(&earlier.system);
        }
        if tools.is_empty() {
            tools.clone_from(&earlier.tools);
        }
    }
    let own_user = messages.iter().rev().find(|message| message.role == "user").map(|message| message.text.clone());
    ModelRequest {
        turn,
        attempts: 1,
        body: request,
        model,
        system: prompt,
        user: own_user.or_else(|| earlier.and_then(|earlier| earlier.user.clone())),
        before: earlier.and_then(ModelRequest::answer).into_iter().collect(),
        messages,
        tools,
        calls: calls(response),
        continues,
        kept,
        said: said(response),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Event, EventKind, Moment, Observer, ToolCall, Trace};

    fn trace(calls: &[(Value, Value)]) -> Trace {
        let mut trace = Trace::default();
        for (request, response) in calls {
            let kind = EventKind::ModelCall { request: request.clone().into(), response: response.clone().into() };
            trace.push(Event { at: Moment::default(), turn: 0, kind });
        }
        trace
    }

    /// The same conversation for each provider: a prompt, a question, a call, its result, and another question.
    fn spoken() -> Vec<(Value, Value)> {
        let schema = json!({"type": "object", "required": ["id"]});
        let chat = json!({"model": "m", "tools": [{"type": "function", "function": {"name": "find", "parameters": schema}}], "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "user", "content": "find A"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "tool_call_id": "1", "content": "found"},
            {"role": "user", "content": [{"type": "text", "text": "and"}, {"type": "image_url"}, {"type": "text", "text": "now?"}]},
        ]});
        let chat_answer =
            json!({"choices": [{"message": {"tool_calls": [{"id": "2", "function": {"name": "find"}}]}}]});
        let responses = json!({"model": "m", "tools": [{"type": "function", "name": "find", "parameters": schema}], "instructions": "Be brief.", "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
            {"type": "message", "role": "user", "content": "find A"},
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": []},
            {"type": "function_call", "call_id": "1", "name": "find", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "found"},
            {"role": "user", "content": [{"type": "input_text", "text": "and"}, {"type": "input_text", "text": "now?"}]},
        ]});
        let responses_answer = json!({"object": "response", "id": "r", "error": null, "output": [{"type": "function_call", "id": "fc", "call_id": "2", "name": "find"}]});
        let anthropic = json!({"model": "m", "max_tokens": 9, "tools": [{"name": "find", "input_schema": schema}],
            "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}], "messages": [
            {"role": "user", "content": "find A"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "find", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "found"}]}]},
            {"role": "user", "content": [{"type": "text", "text": "and"}, {"type": "text", "text": "now?"}]},
        ]});
        let anthropic_answer = json!({"type": "message", "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "2", "name": "find"}]});
        let gemini = json!({"model": "m", "tools": [{"functionDeclarations": [{"name": "find", "parameters": schema}]}],
            "systemInstruction": {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]}, "contents": [
            {"role": "user", "parts": [{"text": "find A"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "find"}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "find", "response": "found"}}]},
            {"role": "user", "parts": [{"text": "and"}, {"text": "now?"}]},
        ]});
        let gemini_answer =
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "2", "name": "find"}}]}}]});
        let converse = json!({"model": "m", "toolConfig": {"tools": [{"toolSpec": {"name": "find", "inputSchema": {"json": schema}}}]},
            "system": [{"text": "Be brief."}, {"text": "Be kind."}], "messages": [
            {"role": "user", "content": [{"text": "find A"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "find", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": "found"}]}}]},
            {"role": "user", "content": [{"text": "and"}, {"text": "now?"}]},
        ]});
        let converse_answer = json!({"output": {"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "2", "name": "find"}}]}}});
        let cohere_answer = json!({"message": {"tool_calls": [{"id": "2", "function": {"name": "find"}}]}});
        let asked_by_us = json!({"content": "", "tool_calls": [{"id": "2", "function": {"name": "find"}}], "finish_reason": "tool_calls"});
        vec![
            (chat.clone(), chat_answer),
            (responses, responses_answer),
            (anthropic, anthropic_answer),
            (gemini, gemini_answer),
            (chat.clone(), cohere_answer),
            (converse, converse_answer),
            (chat, asked_by_us),
        ]
    }

    #[test]
    fn requests_of_all_providers_are_read_the_same() {
        for call in spoken() {
            let trace = trace(std::slice::from_ref(&call));
            let requests = trace.model_requests();
            let request = &requests[0];
            assert_eq!((request.model, &*request.system), (Some("m"), "Be brief.\nBe kind."), "{}", call.0);
            assert_eq!(request.user.as_deref(), Some("and\nnow?"));
            let said = request.messages.iter().map(|message| (message.role, &*message.text));
            let words: Vec<_> = said.filter(|(_, text)| !text.is_empty()).collect();
            assert_eq!(words, [("user", "find A"), ("tool", "found"), ("user", "and\nnow?")], "{}", call.0);
            let schema = json!({"type": "object", "required": ["id"]});
            let offered: Vec<_> = request.tools.iter().map(|tool| (tool.name, tool.parameters)).collect();
            assert_eq!(offered, [("find", Some(&schema))], "{}", call.0);
            assert_eq!(request.tools[0].declared["name"], "find", "{}", call.0);
            assert_eq!(request.calls, [RequestedCall { id: "2", name: "find" }], "{}", call.1);
        }
    }

    /// Google's SDK for Python uses snake case for one key of a declaration.
    #[test]
    fn function_schema_is_found_under_every_key() {
        let schema = json!({"type": "object"});
        for key in ["parameters", "parametersJsonSchema", "parameters_json_schema"] {
            let request = json!({"tools": [{"functionDeclarations": [{"name": "find", key: schema}]}], "contents": []});
            let trace = trace(&[(request, json!({}))]);
            let requests = trace.model_requests();
            let offered: Vec<_> = requests[0].tools.iter().map(|tool| (tool.name, tool.parameters)).collect();
            assert_eq!(offered, [("find", Some(&schema))], "{key}");
        }
    }

    #[test]
    fn continued_conversation_keeps_messages_but_not_instructions() {
        let answer = |id: &str| json!({"object": "response", "id": id});
        let first = json!({"instructions": "Once.", "input": [{"role": "system", "content": "Always."}, {"role": "user", "content": "hi"}]});
        let then =
            json!({"previous_response_id": "r1", "input": [{"type": "function_call_output", "output": {"a": 1}}]});
        let lost = json!({"previous_response_id": "r9", "input": "hm"});
        let begun = json!({"conversation": {"id": "c"}, "input": [{"role": "system", "content": "Kept."}]});
        let on = json!({"conversation": "c", "input": "go on"});
        let all = [first, then, lost, begun, on];
        let calls = all.into_iter().enumerate().map(|(at, request)| (request, answer(&format!("r{}", at + 1))));
        let trace = trace(&calls.collect::<Vec<_>>());
        let requests = trace.model_requests();
        let told: Vec<_> =
            requests.iter().map(|it| (&*it.system, it.user.as_deref().unwrap_or_default(), it.continues)).collect();
        assert_eq!(
            told,
            [
                ("Once.\nAlways.", "hi", None),
                ("Always.", "hi", Some(Continued::Request(0))),
                ("", "hm", Some(Continued::Unseen("r9"))),
                ("Kept.", "", None),
                ("Kept.", "go on", Some(Continued::Request(3))),
            ]
        );
        assert_eq!(requests[1].messages[0].text, r#"{"a":1}"#);
    }

    #[test]
    fn turn_includes_messages_continued_from_earlier_turns() {
        let said = |text: &str| json!([{"role": "system", "content": format!("sys {text}")}, {"role": "user", "content": text}]);
        let on = |id: &str, text: &str| json!({"previous_response_id": id, "input": said(text)});
        let all =
            [json!({"input": said("a")}), on("r1", "b"), on("r2", "c"), on("r3", "d"), json!({"input": said("e")})];
        let mut whole = Trace::default();
        for (at, request) in all.into_iter().enumerate() {
            let response = json!({"object": "response", "id": format!("r{}", at + 1)});
            let kind = EventKind::ModelCall { request: request.into(), response: response.into() };
            let turn = u32::from(at > 1);
            whole.push(Event { at: Moment::default(), turn, kind });
        }
        let trace = whole.of_turn(1);
        let requests = trace.model_requests();
        let before = |at: usize| requests[at].before.iter().map(|message| &*message.text).collect::<Vec<_>>();
        assert_eq!(
            requests.iter().map(|request| request.continues).collect::<Vec<_>>(),
            [Some(Continued::Earlier), Some(Continued::Request(0)), None]
        );
        assert_eq!((before(0), before(1), before(2)), (vec!["a", "b"], vec![], vec![]));
        assert_eq!(requests[1].system, "sys a\nsys b\nsys c\nsys d");
        assert_eq!(whole.model_requests().len(), 5);
    }

    #[test]
    fn retry_in_later_turn_belongs_to_that_turn() {
        let mut whole = Trace::default();
        for (turn, response) in [json!({"failure": "cut"}), json!({"choices": []})].into_iter().enumerate() {
            let request = json!({"messages": [{"role": "user", "content": "hi"}]}).into();
            let kind = EventKind::ModelCall { request, response: response.into() };
            whole.push(Event { at: Moment::default(), turn: u32::try_from(turn).unwrap(), kind });
        }
        assert_eq!((whole.of_turn(1).model_requests().len(), whole.model_requests().len()), (1, 1));
    }

    #[test]
    fn function_call_takes_id_assigned_by_observer() {
        let request = json!({"functions": [{"name": "find"}], "messages": [{"role": "user", "content": "hi"}]});
        let answer = json!({"choices": [{"message": {"function_call": {"name": "find", "arguments": "{}"}}}]});
        let mut trace = trace(&[(request, answer)]);
        assert_eq!(trace.model_requests()[0].calls, [RequestedCall { id: "", name: "find" }]);
        let call = ToolCall {
            call_id: "call_1".into(),
            name: "find".into(),
            observer: Observer::ModelWire,
            ..ToolCall::default()
        };
        trace.push(Event { at: Moment::default(), turn: 0, kind: EventKind::ToolCall(call) });
        let requests = trace.model_requests();
        assert_eq!(requests[0].calls, [RequestedCall { id: "call_1", name: "find" }]);
        assert_eq!(requests[0].tools[0].name, "find");
    }

    /// Anthropic's own tool runner sends only results once a thread was started.
    #[test]
    fn thread_keeps_system_prompt_and_tools() {
        let first =
            json!({"system": "Be kind.", "tools": [{"name": "find"}], "messages": [{"role": "user", "content": "hi"}]});
        let then = json!({"thread": {"type": "continue", "previous_message_id": "msg_1"}, "messages": []});
        let other = json!({"thread": {"type": "continue", "previous_message_id": "msg_9"}, "messages": []});
        let answer = |id: &str| json!({"type": "message", "id": id});
        let trace = trace(&[(first, answer("msg_1")), (then, answer("msg_2")), (other, answer("msg_3"))]);
        let requests = trace.model_requests();
        assert_eq!((&*requests[1].system, requests[1].tools.len()), ("Be kind.", 1));
        assert_eq!((&*requests[2].system, requests[2].tools.len()), ("", 0));
    }

    #[test]
    fn attempts_are_merged_into_one_request_with_final_response() {
        let request = json!({"messages": [{"role": "user", "content": "hi"}]});
        let good = json!({"choices": [{"message": {"tool_calls": [{"id": "1", "function": {"name": "find"}}]}}]});
        let trace = trace(&[(request.clone(), json!({"failure": "cut"})), (request, good)]);
        let requests = trace.model_requests();
        assert_eq!((requests.len(), requests[0].attempts, requests[0].calls.len()), (1, 2, 1));
    }

    #[test]
    fn prompt_is_read_as_user_message() {
        let request = json!({"model": "m", "system": "Be brief.", "prompt": "hi"});
        let trace = trace(&[(request, json!({"response": "ok"}))]);
        let requests = trace.model_requests();
        assert_eq!((&*requests[0].system, requests[0].user.as_deref()), ("Be brief.", Some("hi")));
    }

    #[test]
    fn body_that_is_not_a_request_is_empty() {
        for strange in [json!(null), json!([1]), json!("x"), json!({"messages": {"a": 1}, "tools": "no", "input": 3})] {
            let trace = trace(&[(strange, json!([]))]);
            let requests = trace.model_requests();
            assert_eq!((requests.len(), requests[0].messages.len(), &*requests[0].system), (1, 0, ""));
        }
    }
}
