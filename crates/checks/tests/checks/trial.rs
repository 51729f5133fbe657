//! Evaluates one check on one trace. Every part of the arguments of a check is on a separate line, so that tests can
//! verify what a message points at.

use std::path::Path;

use agentci_checks::{ReadyCheck, single};
use agentci_plan::Check;
use agentci_source::{Content, Diagnostic, Key, MemoryFiles, Node, Pair, Scalar, Sources, Span};
use agentci_trace::{Event, EventKind, Moment, Observer, ToolCall, ToolResult, Trace};
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

/// A check with its arguments.
pub(crate) struct Trial {
    pub(crate) arguments: Node,
    pub(crate) ready: Result<ReadyCheck, Vec<Diagnostic>>,
}

/// Compiles a check.
pub(crate) fn check(kind: &str, arguments: &Value, negate: bool) -> Trial {
    let mut span = Span { line: 0, column: 1, width: 1, ..Span::whole(Sources::default().add(Path::new("s"), "")) };
    let arguments = placed(arguments, &mut span);
    let check = Check { negate, ..Check::new(kind, span, arguments.clone()) };
    let ready = single(check, &MemoryFiles::default(), Path::new("")).map_err(|all| all.into_iter().collect());
    Trial { arguments, ready }
}

/// A node with every part on a separate line.
fn placed(value: &Value, span: &mut Span) -> Node {
    span.line += 1;
    let own = *span;
    let content = match value {
        Value::String(text) => Content::Scalar(Scalar::quoted(text.as_str())),
        Value::Array(items) => Content::List(items.iter().map(|item| placed(item, span)).collect()),
        Value::Object(map) => Content::Map(
            map.iter()
                .map(|(key, value)| Pair {
                    key: Key { text: key.as_str().into(), span: own },
                    value: placed(value, span),
                })
                .collect(),
        ),
        plain => Content::Scalar(Scalar::plain(plain.to_string())),
    };
    Node { span: own, content }
}

impl Trial {
    /// Evaluates the check on a trace.
    pub(crate) fn over(&self, trace: &Trace) -> Outcome {
        self.ready.as_ref().unwrap_or_else(|problems| panic!("{problems:?}")).evaluate(trace)
    }

    /// The only problem of a check that cannot be compiled.
    pub(crate) fn problem(&self) -> &Diagnostic {
        match &self.ready {
            Err(problems) if problems.len() == 1 => &problems[0],
            other => panic!("not one problem: {other:?}"),
        }
    }

    /// The place of the part of the arguments at these keys and indexes.
    pub(crate) fn place(&self, steps: &[&str]) -> Span {
        let step = |node: &Node, step: &str| {
            let index = step.parse::<usize>().ok();
            let item = node.items().and_then(|items| items.get(index?));
            item.or(node.get(step)).unwrap_or_else(|| panic!("no {step}")).clone()
        };
        steps.iter().fold(self.arguments.clone(), |node, name| step(&node, name)).span
    }
}

/// Whether a check passes.
pub(crate) fn holds(kind: &str, arguments: &Value, negate: bool, trace: &Trace) -> bool {
    match check(kind, arguments, negate).over(trace) {
        Outcome::Passed => true,
        Outcome::Failed(_) => false,
        other => panic!("{kind} {arguments}: {other:?}"),
    }
}

/// The failure of a check; `steps` are the keys and indexes of the part of its arguments that the failure points at.
pub(crate) fn failure(kind: &str, arguments: &Value, negate: bool, trace: &Trace, steps: &[&str]) -> Failure {
    let trial = check(kind, arguments, negate);
    let Outcome::Failed(failure) = trial.over(trace) else { panic!("{kind} {arguments} did not fail") };
    assert_eq!(failure.span, Some(trial.place(steps)), "{arguments} does not point at {steps:?}");
    failure
}

/// A trace that is built step by step.
#[derive(Default)]
pub(crate) struct Story {
    trace: Trace,
    turn: u32,
    now: u64,
    calls: u32,
}

impl Story {
    /// Lets time pass.
    pub(crate) fn after_us(mut self, micros: u64) -> Self {
        self.now += micros;
        self
    }

    /// The same in milliseconds.
    pub(crate) fn after_ms(self, millis: u64) -> Self {
        self.after_us(millis * 1000)
    }

    /// Starts the next turn.
    pub(crate) fn next_turn(mut self) -> Self {
        self.turn += 1;
        self
    }

    /// Adds an event.
    pub(crate) fn push(mut self, kind: EventKind) -> Self {
        self.trace.push(Event { at: Moment { unix_ms: 0, offset_us: self.now }, turn: self.turn, kind });
        self
    }

    /// A turn begins.
    pub(crate) fn start(self) -> Self {
        self.push(EventKind::TurnStart(Value::Null.into()))
    }

    /// A turn ends.
    pub(crate) fn end(self) -> Self {
        self.push(EventKind::TurnEnd)
    }

    /// Adds a text of the agent.
    pub(crate) fn says(self, text: &str) -> Self {
        self.push(EventKind::Text(text.into()))
    }

    /// Adds a tool call; its number is its id.
    pub(crate) fn calls(mut self, name: &str, args: Value) -> Self {
        self.calls += 1;
        let call_id = self.calls.to_string();
        self.push(EventKind::ToolCall(ToolCall {
            call_id,
            name: name.into(),
            args: args.into(),
            observer: Observer::Protocol,
            begun: None,
        }))
    }

    /// Adds the result of the call with this number.
    pub(crate) fn answers(self, call: u32, result: Value) -> Self {
        let call_id = call.to_string();
        self.push(EventKind::ToolResult(ToolResult {
            call_id,
            ok: true,
            result: result.into(),
            error: None,
            ..ToolResult::default()
        }))
    }

    /// Adds a failure as the result of the last call.
    pub(crate) fn fails(self, error: &str, result: Value) -> Self {
        let (call_id, error) = (self.calls.to_string(), Some(error.to_owned()));
        self.push(EventKind::ToolResult(ToolResult {
            call_id,
            ok: false,
            result: result.into(),
            error,
            ..ToolResult::default()
        }))
    }

    /// Adds a call with its result.
    pub(crate) fn called(self, name: &str, args: Value, result: Value) -> Self {
        let story = self.calls(name, args);
        let number = story.calls;
        story.answers(number, result)
    }

    /// The finished trace.
    pub(crate) fn told(self) -> Trace {
        self.trace
    }
}
