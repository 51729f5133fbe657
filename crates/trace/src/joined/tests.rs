//! Each call appears once, however many observers saw it; of the calls that a model requested, only those that the
//! agent made count.

use serde_json::{Value, json};

use crate::{Event, EventKind, Joiner, MadeCall, Moment, Observer, ToolCall, ToolResult, Trace};

/// Builds a trace step by step.
#[derive(Default)]
struct Script {
    trace: Trace,
    turn: u32,
}

use Observer::{ModelWire, Protocol, Provider, Stub};

impl Script {
    fn push(mut self, kind: EventKind) -> Self {
        self.trace.push(Event { at: Moment::default(), turn: self.turn, kind });
        self
    }

    fn turn(mut self, turn: u32) -> Self {
        self.turn = turn;
        self
    }

    fn call(self, observer: Observer, id: &str, name: &str, args: Value) -> Self {
        let (call_id, name) = (id.to_owned(), name.to_owned());
        self.push(EventKind::ToolCall(ToolCall { call_id, name, args: args.into(), observer, begun: None }))
    }

    fn result(self, observer: Observer, id: &str, result: Value) -> Self {
        let call_id = id.to_owned();
        self.push(EventKind::ToolResult(ToolResult {
            call_id,
            ok: true,
            result: result.into(),
            observer,
            ..ToolResult::default()
        }))
    }

    fn refused(self, observer: Observer, id: &str) -> Self {
        let (call_id, refused) = (id.to_owned(), Some("form".to_owned()));
        self.push(EventKind::ToolResult(ToolResult { call_id, ok: true, refused, observer, ..ToolResult::default() }))
    }

    /// Adds a model request with these messages.
    fn asks(self, messages: &[Value]) -> Self {
        let request = json!({ "messages": messages });
        self.push(EventKind::ModelCall { request: request.into(), response: Value::Null.into() })
    }

    /// A short description of each call: its name, its states, and its observers.
    fn told(&self) -> Vec<String> {
        told(&self.trace)
    }

    fn made(&self) -> Vec<String> {
        let mut joiner = Joiner::default();
        for event in self.trace.events() {
            joiner.take(event);
        }
        assert_eq!(joiner.count(true), joiner.made().iter().filter(|made| !made.within).count() as u64);
        let words = |is: bool, words: &'static str| if is { words } else { "" };
        let told = |made: MadeCall<'_>| {
            let (answered, within) = (words(made.only_answered, " only answered"), words(made.within, " within"));
            format!("{} {}{answered}{within}", made.call.name, made.call.args)
        };
        joiner.made().into_iter().map(told).collect()
    }
}

fn told(trace: &Trace) -> Vec<String> {
    let word = |is: bool, word: &'static str| is.then_some(word);
    let mut lines = Vec::new();
    for call in trace.asked_calls() {
        let mut words = vec![call.call.name.as_str()];
        words.extend(word(call.part_of.is_some(), "part"));
        words.extend(word(call.was_requested(), "requested"));
        words.extend(word(call.was_executed, "executed"));
        words.extend(word(call.was_answered, "answered"));
        words.extend(word(call.refused().is_some(), "refused"));
        words.extend(word(call.is_unobserved, "unobserved"));
        words.extend(word(call.counts, "counts"));
        let observers: Vec<&str> = call.observers().map(Observer::name).collect();
        lines.push(format!("{}: {}", words.join(" "), observers.join(", ")));
    }
    lines
}

fn user() -> Value {
    json!({"role": "user", "content": "hi"})
}

fn asked(id: &str) -> Value {
    json!({"role": "assistant", "tool_calls": [{"id": id}]})
}

#[test]
fn call_requested_only_by_model_does_not_count() {
    let ended = Script::default().asks(&[user()]).call(ModelWire, "c1", "refund", json!({}));
    assert_eq!(ended.told(), ["refund requested unobserved: model_wire"]);
    assert_eq!(ended.made(), [""; 0]);
    // The agent called its model again without a result: none follows.
    let went_on = ended.asks(&[user(), asked("c1"), user()]);
    assert_eq!(went_on.told(), ["refund requested: model_wire"]);
    // Another conversation does not affect this one.
    let other = Script::default().asks(&[user()]).call(ModelWire, "c1", "refund", json!({}));
    assert_eq!(
        other.asks(&[json!({"role": "user", "content": "else"})]).told(),
        ["refund requested unobserved: model_wire"]
    );
}

#[test]
fn result_sent_by_agent_makes_call_count() {
    let sent = Script::default().call(ModelWire, "c1", "refund", json!({})).result(ModelWire, "c1", json!("done"));
    assert_eq!(sent.told(), ["refund requested answered counts: model_wire"]);
    let refused = Script::default().call(ModelWire, "c1", "refund", json!({})).refused(ModelWire, "c1");
    assert_eq!(refused.told(), ["refund requested refused: model_wire"]);
    assert_eq!(refused.made(), [""; 0]);
}

#[test]
fn calls_reported_by_agent_count_unless_refused() {
    let told = Script::default().call(Protocol, "1", "find", json!({}));
    assert_eq!(told.told(), ["find counts: protocol"]);
    assert_eq!(told.refused(Protocol, "1").told(), ["find refused: protocol"]);
    let provider = Script::default().call(Provider, "ws", "web_search", json!({})).result(Provider, "ws", json!({}));
    assert_eq!(provider.told(), ["web_search executed answered counts: provider"]);
}

#[test]
fn wire_and_protocol_calls_join_by_id_or_name() {
    for id in ["c1", "own-1"] {
        let both = Script::default()
            .call(ModelWire, "c1", "refund", json!({"amount": 20}))
            .call(Protocol, id, "refund", json!({"amount": 200, "user": 7}))
            .result(Protocol, id, json!({"ok": true}))
            .result(ModelWire, "c1", json!({"ok": true}));
        assert_eq!(both.told(), ["refund requested executed answered counts: protocol, model_wire"], "{id}");
        assert_eq!(both.made(), [r#"refund {"amount":200,"user":7}"#], "{id}");
        let differences = both.trace.calls()[0].differences();
        assert_eq!(differences.len(), 1);
        assert_eq!((differences[0].name.as_str(), &differences[0].requested), ("amount", &json!(20)));
    }
}

#[test]
fn stub_call_matches_request_with_prefixed_name() {
    let run = Script::default()
        .call(ModelWire, "c1", "mcp__orders__refund", json!({}))
        .call(Stub, "call_1", "refund", json!({}))
        .result(Stub, "call_1", json!({}));
    // A handoff drops the history, so the model never sees the result.
    assert_eq!(run.told(), ["refund requested executed counts: stub, model_wire"]);
    let sent = run.result(ModelWire, "c1", json!("ok"));
    assert_eq!(sent.told(), ["refund requested executed answered counts: stub, model_wire"]);
    assert!(sent.trace.calls()[0].goes_by(|name| name == "mcp__orders__refund"));
    assert!(sent.trace.calls()[0].goes_by(|name| name == "refund"));
}

#[test]
fn parallel_calls_are_matched_by_arguments_then_order() {
    let script = Script::default()
        .call(ModelWire, "c1", "find", json!({"id": 1}))
        .call(ModelWire, "c2", "find", json!({"id": 2}))
        .call(Stub, "call_1", "find", json!({"id": 2}))
        .call(Stub, "call_2", "find", json!({"id": "one"}));
    // The order is that of the requests, not of the execution.
    assert_eq!(script.made(), [r#"find {"id":"one"}"#, r#"find {"id":2}"#]);
    let calls = script.trace.calls();
    assert_eq!(calls.iter().map(|call| call.request.unwrap().call_id.as_str()).collect::<Vec<_>>(), ["c2", "c1"]);
}

#[test]
fn exchange_during_call_is_its_part_otherwise_a_call() {
    let within = Script::default()
        .call(ModelWire, "c1", "refund", json!({}))
        .call(Stub, "call_1", "payments", json!({}))
        .result(Stub, "call_1", json!({}))
        .call(Stub, "call_2", "mail", json!({}));
    // The call was not seen to run, but the exchanges took place.
    assert_eq!(within.made(), ["payments {}", "mail {}"]);
    let sent = within.result(ModelWire, "c1", json!("ok"));
    assert_eq!(sent.made(), ["refund {} only answered", "payments {} within", "mail {} within"]);
    assert_eq!(
        sent.told(),
        [
            "refund requested answered counts: model_wire",
            "payments part executed answered counts: stub",
            "mail part executed counts: stub",
        ]
    );
    let after = sent.call(Stub, "call_3", "audit", json!({}));
    assert_eq!(after.made(), ["refund {} only answered", "audit {}", "payments {} within", "mail {} within"]);
}

#[test]
fn exact_tool_name_takes_precedence_over_prefixed_name() {
    let script = Script::default()
        .call(ModelWire, "c1", "archive.refund", json!({}))
        .call(ModelWire, "c2", "refund", json!({}))
        .call(Stub, "call_1", "refund", json!({}));
    let calls = script.trace.calls();
    assert_eq!(calls.iter().map(|call| call.request.unwrap().call_id.as_str()).collect::<Vec<_>>(), ["c2"]);
}

#[test]
fn parallel_calls_are_matched_by_requested_arguments() {
    // The execution adds an argument, and in a URL everything is a string.
    let script = Script::default()
        .call(ModelWire, "c1", "get", json!({"id": 1}))
        .call(ModelWire, "c2", "get", json!({"id": 2}))
        .call(Stub, "call_1", "get", json!({"id": "2", "tenant": "x"}))
        .call(Stub, "call_2", "get", json!({"id": "1", "tenant": "x"}));
    let calls = script.trace.calls();
    assert_eq!(calls.iter().map(|call| call.request.unwrap().call_id.as_str()).collect::<Vec<_>>(), ["c2", "c1"]);
    assert!(calls.iter().all(|call| call.differences().is_empty()));
}

#[test]
fn exchange_belongs_to_innermost_call() {
    // The tool `ask` is an agent with its own model.
    let script = Script::default()
        .asks(&[user()])
        .call(ModelWire, "c1", "ask", json!({}))
        .asks(&[json!({"role": "user", "content": "inner"})])
        .call(ModelWire, "c2", "refund", json!({}))
        .call(Stub, "call_1", "pay", json!({}))
        .result(ModelWire, "c2", json!("ok"))
        .result(ModelWire, "c1", json!("ok"));
    let calls = script.trace.calls();
    let (pay, refund) = (&calls[calls.len() - 1], calls.iter().find(|call| call.call.name == "refund").unwrap());
    assert_eq!((pay.call.name.as_str(), pay.part_of), ("pay", Some(refund.number)));
}

#[test]
fn retry_within_call_is_part_of_it() {
    let retried = Script::default()
        .call(ModelWire, "c1", "refund", json!({}))
        .call(Stub, "call_1", "refund", json!({}))
        .result(Stub, "call_1", json!({}))
        .call(Stub, "call_2", "refund", json!({}))
        .result(ModelWire, "c1", json!("ok"));
    assert_eq!(retried.made(), ["refund {}", "refund {} within"]);
    assert_eq!(retried.trace.calls().len(), 2);
}

#[test]
fn calls_reported_afterwards_match_observed_calls() {
    let seen = Script::default()
        .call(Stub, "call_1", "pay", json!({"amount": 1}))
        .turn(1)
        .call(Stub, "call_2", "pay", json!({"amount": 200}))
        .call(ModelWire, "b", "find", json!({}))
        .result(ModelWire, "b", json!([]))
        .call(Protocol, "a", "pay", json!({"amount": 20}))
        .call(Protocol, "b", "find", json!({}))
        .call(Protocol, "c", "pay", json!({"amount": 30}));
    // The last `pay` was reported but not seen; the first belongs to another turn.
    assert_eq!(
        seen.made(),
        [r#"pay {"amount":1}"#, r#"pay {"amount":200}"#, "find {} only answered", r#"pay {"amount":30}"#]
    );
}

#[test]
fn reused_id_is_a_new_call() {
    let again = Script::default()
        .call(Protocol, "1", "find", json!({"q": 1}))
        .result(Protocol, "1", json!(1))
        .turn(1)
        .call(Protocol, "1", "find", json!({"q": 2}))
        .result(Protocol, "1", json!(2));
    let results: Vec<&Value> = again.trace.calls().iter().map(|call| &*call.result.unwrap().result).collect();
    assert_eq!(results, [&json!(1), &json!(2)]);
    // Ids of stubs are separate from those of the agent.
    let stub = Script::default().call(Protocol, "call_1", "find", json!({})).call(Stub, "call_1", "other", json!({}));
    assert_eq!(stub.result(Stub, "call_1", json!(7)).trace.calls()[0].result, None);
}

#[test]
fn approved_call_counts_in_turn_that_executes_it() {
    let waiting = Script::default().call(ModelWire, "c1", "refund", json!({}));
    let approved = waiting.turn(1).call(Stub, "call_1", "refund", json!({})).result(ModelWire, "c1", json!("ok"));
    assert_eq!(told(&approved.trace.of_turn(0)), ["refund requested unobserved: model_wire"]);
    assert_eq!(told(&approved.trace.of_turn(1)), ["refund requested executed answered counts: stub, model_wire"]);
    assert!(!approved.trace.of_turn(1).called_earlier(|_| true));
    let later = approved.turn(2).call(Protocol, "x", "mail", json!({}));
    assert!(later.trace.of_turn(2).called_earlier(|call| call.call.name == "refund"));
    assert_eq!(told(&later.trace.of_turn(2)), ["mail counts: protocol"]);
}

#[test]
fn unexecuted_call_does_not_claim_execution_in_later_turn() {
    let script = Script::default()
        .call(ModelWire, "c1", "refund", json!({}))
        .turn(1)
        .call(ModelWire, "c2", "refund", json!({}))
        .call(Stub, "call_1", "refund", json!({}))
        .result(ModelWire, "c2", json!("ok"));
    assert_eq!(script.made().len(), 1);
}

/// An agent that calls its model again, for example after a client timeout, follows the second answer.
#[test]
fn execution_belongs_to_latest_model_response() {
    let asked = || EventKind::ModelCall {
        request: json!({"messages": [{"role": "user", "content": "x"}]}).into(),
        response: json!({}).into(),
    };
    let script = Script::default()
        .push(asked())
        .call(ModelWire, "c1", "refund", json!({"id": 1}))
        .push(asked())
        .call(ModelWire, "c2", "refund", json!({"id": 1}))
        .call(Stub, "call_1", "refund", json!({"id": 1}))
        .result(ModelWire, "c2", json!("ok"));
    assert_eq!(script.made().len(), 1);
}
