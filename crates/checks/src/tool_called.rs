//! # What it checks
//! The agent called a tool. One name or a list of names (all of them), or a mapping: `name` with `args` (every one listed must
//! be sent with just that value; others may be sent too) and `count` (a number, or `min` and `max`; at least one call without
//! it), or `any` with a list of names of which one must be called. Under `not`, none of the names may be called.
//!
//! # Why
//! What an agent does is known from its tool calls, and they do not change with its wording.
//!
//! # Example
//! ```yaml
//! checks:
//!   - tool_called: search_docs
//!   - tool_called: { name: refund_order, args: { amount: 20 }, count: 1 }
//!   - not: { tool_called: { any: [delete_order, delete_user] } }
//! ```

use agentci_plan::{Detail, Diagnostic, Diagnostics, Failure, Node, Outcome, Pair, Reading, Span, Spanned, read};
use agentci_trace::{Trace, TracedCall, canonical};
use serde_json::Value;

use crate::called::{cut, observed, shown};
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;

#[derive(Debug)]
enum ToolCalled {
    /// Each of these.
    All(Vec<Spanned<String>>),
    /// One of these.
    Any(Vec<Spanned<String>>, Span),
    /// One tool, with arguments and a count.
    One { name: Spanned<String>, args: Vec<Argument>, count: Count },
}

#[derive(Debug)]
struct Argument {
    name: String,
    value: Value,
    span: Span,
}

#[derive(Debug)]
struct Count {
    min: u32,
    max: Option<u32>,
    span: Option<Span>,
}

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Box<dyn Evaluate>> {
    let problems = &mut compiler.problems;
    if arguments.pairs().is_none() {
        let names = read::one_or_more_texts(arguments, "tool_called", problems)?;
        return Some(Box::new(ToolCalled::All(names)));
    }
    let mut fields = read::Fields::open(arguments, "`tool_called`", problems)?;
    if let Some(any) = fields.optional("any") {
        let names = read::one_or_more_texts(any, "any", problems);
        fields.finish(problems);
        return Some(Box::new(ToolCalled::Any(names?, any.span)));
    }
    let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
    let args = fields.optional("args").map_or_else(|| Some(Vec::new()), |node| self::args(node, problems));
    let count = fields.optional("count").map_or_else(|| Some(AT_LEAST_ONE), |node| self::count(node, problems));
    fields.finish(problems);
    Some(Box::new(ToolCalled::One { name: name?, args: args?, count: count? }))
}

const AT_LEAST_ONE: Count = Count { min: 1, max: None, span: None };

fn args(node: &Node, problems: &mut Diagnostics) -> Option<Vec<Argument>> {
    read::object(node, "args", Reading::Core, problems)?;
    let argument = |pair: &Pair| {
        let value = pair.value.value(Reading::Core).ok()?;
        Some(Argument { name: pair.key.text.clone(), value, span: pair.value.span })
    };
    node.pairs()?.iter().map(argument).collect()
}

fn count(node: &Node, problems: &mut Diagnostics) -> Option<Count> {
    if node.pairs().is_none() {
        let exact = read::count(node, "count", 0, problems)?;
        return Some(Count { min: exact, max: Some(exact), span: Some(node.span) });
    }
    let mut fields = read::Fields::open(node, "`count`", problems)?;
    let min = fields.optional("min").map(|node| read::count(node, "min", 0, problems));
    let max = fields.optional("max").map(|node| read::count(node, "max", 0, problems));
    fields.finish(problems);
    let (min, max) = (min.unwrap_or(Some(0))?, max.map_or(Some(None), |max| max.map(Some))?);
    if max.is_some_and(|max| max < min) {
        problems.push(Diagnostic::error(node.span, "`max` is less than `min`").label("no number of calls can be both"));
        return None;
    }
    Some(Count { min, max, span: Some(node.span) })
}

impl Evaluate for ToolCalled {
    fn evaluate(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        match self {
            ToolCalled::All(names) => all(names, &calls),
            ToolCalled::Any(names, span) => {
                if calls.iter().any(|call| names.iter().any(|name| name.value == call.call.name)) {
                    return Outcome::Held;
                }
                Outcome::Failed(
                    Failure::new(format!("none of {} was called", list(names)))
                        .at(*span, "none of them was called")
                        .note(observed(&calls)),
                )
            }
            ToolCalled::One { name, args, count } => one(name, args, count, &calls),
        }
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        let calls = trace.calls();
        let names = match self {
            ToolCalled::All(names) | ToolCalled::Any(names, _) => names,
            ToolCalled::One { name, args, count } => {
                return match one(name, args, count, &calls) {
                    Outcome::Held => Outcome::Failed(forbidden(name, &calls, |call| matches(args, call))),
                    _ => Outcome::Held,
                };
            }
        };
        let called = |name: &&Spanned<String>| calls.iter().any(|call| call.call.name == name.value);
        let found: Vec<&Spanned<String>> = names.iter().filter(called).collect();
        let Some(first) = found.first() else { return Outcome::Held };
        let mut failure = forbidden(first, &calls, |_| true);
        if found.len() > 1 {
            let found: Vec<&str> = found.iter().map(|name| name.value.as_str()).collect();
            failure.message = format!("{} were called, and must not be", read::quoted_list(&found));
        }
        Outcome::Failed(failure)
    }
}

fn list(names: &[Spanned<String>]) -> String {
    read::quoted_list(&names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>())
}

fn all(names: &[Spanned<String>], calls: &[TracedCall<'_>]) -> Outcome {
    let missing: Vec<&Spanned<String>> =
        names.iter().filter(|name| !calls.iter().any(|call| call.call.name == name.value)).collect();
    let Some(first) = missing.first() else { return Outcome::Held };
    let missing: Vec<&str> = missing.iter().map(|name| name.value.as_str()).collect();
    let verb = if missing.len() == 1 { "was" } else { "were" };
    Outcome::Failed(
        Failure::new(format!("{} {verb} never called", read::quoted_list(&missing)))
            .at(first.span, "never called")
            .note(observed(calls)),
    )
}

fn one(name: &Spanned<String>, args: &[Argument], count: &Count, calls: &[TracedCall<'_>]) -> Outcome {
    let named: Vec<&TracedCall<'_>> = calls.iter().filter(|call| call.call.name == name.value).collect();
    let fitting = u32::try_from(named.iter().filter(|call| matches(args, call)).count()).unwrap_or(u32::MAX);
    if fitting >= count.min && count.max.is_none_or(|max| fitting <= max) {
        return Outcome::Held;
    }
    let what = &name.value;
    // Too few calls fit, though the tool was called: the argument of the nearest call is what to look at.
    if fitting < count.min && u32::try_from(named.len()).is_ok_and(|named| named >= count.min) {
        return Outcome::Failed(wrong_argument(what, args, &named));
    }
    let wanted = wanted(count);
    let with = if args.is_empty() { "" } else { " with these arguments" };
    let times = if fitting == 1 { "once".to_owned() } else { format!("{fitting} times") };
    let label = if fitting == 0 { "never called".to_owned() } else { format!("called {times}{with}") };
    let mut failure = Failure::new(format!("`{what}` was called {times}{with}, not {wanted}"))
        .at(count.span.unwrap_or(name.span), label)
        .note(observed(calls));
    failure.details = vec![Detail { path: String::new(), expected: wanted.into(), actual: fitting.into() }];
    Outcome::Failed(failure)
}

fn wanted(count: &Count) -> String {
    match (count.min, count.max) {
        (1, None) => "at least once".into(),
        (min, None) => format!("at least {min} times"),
        (min, Some(max)) if min == max && min == 1 => "exactly once".into(),
        (min, Some(max)) if min == max => format!("exactly {min} times"),
        (0, Some(max)) => format!("at most {max} times"),
        (min, Some(max)) => format!("{min} to {max} times"),
    }
}

fn matches(args: &[Argument], call: &TracedCall<'_>) -> bool {
    args.iter().all(|argument| sent(call, &argument.name).is_some_and(|value| equal(&argument.value, value)))
}

/// Objects need only hold what is listed; everything else must be just the same.
fn equal(expected: &Value, sent: &Value) -> bool {
    match (expected, sent) {
        (Value::Object(expected), Value::Object(sent)) => {
            expected.iter().all(|(key, value)| sent.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => canonical(expected) == canonical(sent),
    }
}

fn sent<'t>(call: &TracedCall<'t>, name: &str) -> Option<&'t Value> {
    call.call.args.get(name)
}

/// The call that agrees with most of the arguments, and the first of them it does not agree with.
fn wrong_argument(name: &str, args: &[Argument], named: &[&TracedCall<'_>]) -> Failure {
    let agrees = |call: &TracedCall<'_>, argument: &Argument| {
        sent(call, &argument.name).is_some_and(|value| equal(&argument.value, value))
    };
    let score = |call: &TracedCall<'_>| args.iter().filter(|argument| agrees(call, argument)).count();
    let nearest =
        named.iter().enumerate().filter(|(_, call)| score(call) < args.len()).max_by_key(|(_, call)| score(call));
    let differing = nearest.and_then(|(_, call)| args.iter().find(|argument| !agrees(call, argument)));
    let (Some((index, call)), Some(argument)) = (nearest, differing) else {
        return Failure::new(format!("`{name}` was not called with these arguments often enough"));
    };
    let sent = sent(call, &argument.name);
    let label =
        sent.map_or_else(|| "the agent did not send it".to_owned(), |sent| format!("the agent sent {}", cut(sent)));
    let mut failure = Failure::new(format!("no call of `{name}` has `{}` as asked", argument.name))
        .at(argument.span, label)
        .note(format!("turn {}, call {} of {}: {}", call.turn + 1, index + 1, named.len(), shown(call.call)));
    failure.details = vec![Detail {
        path: format!("/{}", argument.name),
        expected: argument.value.clone(),
        actual: sent.cloned().unwrap_or_default(),
    }];
    failure
}

fn forbidden(name: &Spanned<String>, calls: &[TracedCall<'_>], fits: impl Fn(&TracedCall<'_>) -> bool) -> Failure {
    let mut failure =
        Failure::new(format!("`{}` was called, and must not be", name.value)).at(name.span, "the agent called this");
    if let Some(call) = calls.iter().find(|call| call.call.name == name.value && fits(call)) {
        failure = failure.note(format!("turn {}: {}", call.turn + 1, shown(call.call)));
    }
    failure.note(observed(calls))
}
