//! Finds settings of checks that have no effect, for `agentci check`: a count that allows any number, a pattern that
//! matches every text, a tool that must be called after itself, a schema or a result that requires nothing.

use agentci_plan::Check;
use agentci_source::{Diagnostic, Node, Pair, Reading, Span};

use crate::vacuous::matches_all;

/// The parts of a request to a model that may be a pattern.
const PARTS: [&str; 4] = ["system", "user", "messages", "model"];

/// Warnings about the settings of a check that have no effect.
pub(crate) fn settings(check: &Check) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    match check.kind.value.as_str() {
        "tool_called" => of_calls(check, &mut found),
        "model_called" => of_requests(check, &mut found),
        "tool_result" => found.extend(any_result(check)),
        "contains" => found.extend(digits_alone(check)),
        _ => {}
    }
    found
}

fn of_calls(check: &Check, found: &mut Vec<Diagnostic>) {
    let arguments = &check.arguments;
    let after = arguments.get("after");
    let name = arguments.get("name").and_then(Node::as_text);
    let itself = after.zip(name).filter(|(after, name)| after.as_text().as_ref() == Some(name));
    if let Some((after, name)) = &itself {
        let message = format!("`after` has no effect: `{name}` always comes after itself");
        let help = "name the tool that must be called before it; `count: { min: 2 }` expects two calls";
        found.push(Diagnostic::warning(after.span, message).label("the same tool").help(help));
    }
    // A call in the wrong order still fails.
    if after.is_none() || itself.is_some() {
        found.extend(any_number(check, "calls"));
    }
    if let Some(system) = arguments.get("by").and_then(|by| by.get("system")) {
        found.extend(any_text(system, "by.system"));
    }
}

fn of_requests(check: &Check, found: &mut Vec<Diagnostic>) {
    let arguments = &check.arguments;
    // `all`, `first` and `last` need a request that meets the conditions, whatever the count.
    if arguments.get("of").is_none_or(|of| of.as_text().as_deref() == Some("any")) {
        found.extend(any_number(check, "requests"));
    }
    found.extend(PARTS.iter().filter_map(|part| any_text(arguments.get(part)?, part)));
    let Some(tools) = arguments.get("tools") else { return };
    let tools = tools.get("exactly").unwrap_or(tools).items().unwrap_or_default();
    let empty = |node: &&Node| node.pairs().is_some_and(<[Pair]>::is_empty);
    let named = tools.iter().filter(|tool| tool.get("name").is_some());
    for parameters in named.filter_map(|tool| tool.get("parameters")).filter(empty) {
        let message = "`parameters` has no effect: an empty mapping is contained in every schema";
        let help = "write what the schema must contain, such as `{ required: [order] }`; or write the name alone";
        found.push(no_effect(parameters.span, message.into(), help.into()));
    }
}

/// Warns about a count that every number of calls satisfies.
fn any_number(check: &Check, what: &str) -> Option<Diagnostic> {
    let count = check.arguments.get("count").filter(|_| !check.negate)?;
    let zero = |min: &Node| min.value(Reading::Core).is_ok_and(|min| min.is_null() || min.as_f64() == Some(0.0));
    let unbounded = count.pairs()?.iter().all(|pair| match &*pair.key.text {
        "min" => zero(&pair.value),
        "max" => pair.value.is_null(),
        _ => false,
    });
    unbounded.then(|| {
        let message =
            format!("`{}` accepts any number of {what}: `count` has no `max`, and its `min` is 0", check.name());
        let help = "write `min: 1` or more, or add `max`; or remove the check";
        Diagnostic::warning(count.span, message).label("cannot fail").help(help)
    })
}

/// Warns about a result that requires nothing. Deeper inside, `{}` and `regex:.*` still require their key.
fn any_result(check: &Check) -> Option<Diagnostic> {
    let result = check.arguments.get("result").filter(|_| !check.negate)?;
    let pattern = result.as_text().and_then(|written| Some(written.strip_prefix("regex:")?.to_owned()));
    let why = match pattern {
        Some(pattern) if matches_all(&pattern) => format!("`{pattern}` matches any text"),
        None if result.pairs().is_some_and(<[Pair]>::is_empty) => {
            "an empty mapping is contained in every mapping".into()
        }
        _ => return None,
    };
    let message = format!("`result` of `{}` requires nothing: {why}", check.name());
    let help = "write what the result must contain; without `result`, the call must have returned without an error";
    Some(Diagnostic::warning(result.span, message).label("requires nothing").help(help))
}

/// Warns about a text that is just a number: `20` is also in `120`. Under `not`, this makes no check weaker.
fn digits_alone(check: &Check) -> Option<Diagnostic> {
    let arguments = &check.arguments;
    if check.negate || arguments.get("of").and_then(Node::as_text).as_deref() == Some("output") {
        return None;
    }
    let texts = arguments.get("text").unwrap_or(arguments);
    let alone = std::slice::from_ref(texts);
    texts.items().unwrap_or(alone).iter().find_map(|text| {
        let written = text.as_text().filter(|written| is_number(written))?;
        let message =
            format!("`contains` of the number `{written}` is also met by other numbers, such as `1{written}`");
        let value = written.replace(',', "");
        let help = format!("write `number: {value}`, which finds the number in any notation; an id needs no change");
        Some(Diagnostic::warning(text.span, message).label("part of other numbers").help(help))
    })
}

/// Whether a text is a number of up to six digits, with or without separators; longer ones are ids.
fn is_number(text: &str) -> bool {
    const ID: usize = 7;
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let text = text.trim();
    (1..ID).contains(&digits)
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && !(digits > 1 && text.starts_with('0') && !text.starts_with("0."))
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

/// Warns about a pattern that matches every text.
fn any_text(wanted: &Node, key: &str) -> Option<Diagnostic> {
    let pattern = wanted.get("matches")?;
    let written = pattern.as_text().filter(|written| matches_all(written))?;
    let message = format!("`{key}` has no effect: `{written}` matches any text");
    let help = format!("write a pattern that an empty text does not match; or remove `{key}`");
    Some(no_effect(pattern.span, message, help))
}

pub(crate) fn no_effect(span: Span, message: String, help: String) -> Diagnostic {
    Diagnostic::warning(span, message).label("has no effect").help(help)
}

#[cfg(test)]
mod tests {
    use agentci_source::Sources;
    use serde_json::{Value, json};

    use super::*;

    fn found(kind: &str, arguments: &Value, negate: bool) -> Vec<String> {
        let span = Span::whole(Sources::default().add("a".as_ref(), ""));
        let check = Check { negate, ..Check::new(kind, span, Node::from_value(arguments, span)) };
        settings(&check).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn reports_settings_without_effect() {
        for (kind, arguments, told) in [
            ("tool_called", json!({ "name": "a", "count": { "min": 0 } }), "any number of calls"),
            ("tool_called", json!({ "name": "a", "count": {} }), "any number of calls"),
            ("tool_called", json!({ "name": "a", "args": { "b": 1 }, "count": { "min": 0 } }), "any number of calls"),
            ("tool_called", json!({ "name": "a", "after": "a" }), "`a` always comes after itself"),
            (
                "tool_called",
                json!({ "name": "a", "by": { "system": { "matches": ".*" } } }),
                "`by.system` has no effect",
            ),
            ("model_called", json!({ "count": { "min": 0 } }), "any number of requests"),
            ("model_called", json!({ "count": { "min": 0 }, "system": "x", "of": "any" }), "any number of requests"),
            ("model_called", json!({ "system": { "matches": ".*" } }), "`system` has no effect: `.*` matches any text"),
            ("model_called", json!({ "user": { "matches": "a?" }, "of": "all" }), "`user` has no effect"),
            ("model_called", json!({ "messages": { "matches": "^" } }), "`messages` has no effect"),
            ("model_called", json!({ "model": { "matches": "(?s).*" } }), "`model` has no effect"),
            ("model_called", json!({ "tools": [{ "name": "a", "parameters": {} }] }), "`parameters` has no effect"),
            (
                "model_called",
                json!({ "tools": { "exactly": ["b", { "name": "a", "parameters": {} }] } }),
                "`parameters`",
            ),
            ("tool_result", json!({ "name": "a", "result": "regex:.*" }), "`.*` matches any text"),
            ("contains", json!("20"), "`contains` of the number `20` is also met by other numbers, such as `120`"),
            ("contains", json!({ "text": ["paid", "1,234.50"] }), "the number `1,234.50`"),
            ("tool_result", json!({ "name": "a", "result": "regex:(?s)^.*$" }), "matches any text"),
            ("tool_result", json!({ "name": "a", "result": {} }), "an empty mapping"),
        ] {
            let found = found(kind, &arguments, false);
            assert!(matches!(&found[..], [one] if one.contains(told)), "{kind}: {arguments}: {found:?}");
        }
        let both = found("tool_called", &json!({ "name": "a", "after": "a", "count": { "min": 0 } }), false);
        assert_eq!(both.len(), 2, "{both:?}");
        assert_eq!(found("tool_called", &json!({ "name": "a", "after": "a" }), true).len(), 1);
    }

    #[test]
    fn does_not_report_settings_that_can_fail() {
        for (kind, arguments, negate) in [
            ("tool_called", json!("a"), false),
            ("contains", json!("20 euros"), false),
            ("contains", json!("20"), true),
            ("contains", json!("4711008"), false),
            ("contains", json!("007"), false),
            ("contains", json!({ "text": "20", "of": "output" }), false),
            ("tool_called", json!({ "name": "a", "count": 0 }), false),
            ("tool_called", json!({ "name": "a", "count": { "min": 1 } }), false),
            ("tool_called", json!({ "name": "a", "count": { "min": 0, "max": 2 } }), false),
            ("tool_called", json!({ "name": "a", "count": { "max": 2 } }), false),
            // If it is called at all, it must be called after the other one.
            ("tool_called", json!({ "name": "a", "count": { "min": 0 }, "after": "b" }), false),
            ("tool_called", json!({ "name": "a", "count": { "min": "${LEAST}" } }), false),
            ("tool_called", json!({ "name": "a", "after": "a_b", "suffix": true }), false),
            ("tool_called", json!({ "name": "a", "args_match": { "b": ".*" }, "result_match": ".*" }), false),
            ("tool_called", json!({ "name": "a", "by": { "system": { "matches": "^You" } } }), false),
            ("tool_called", json!({ "name": "a", "count": { "min": 0 } }), true),
            ("model_called", Value::Null, false),
            ("model_called", json!({ "count": { "min": 0 }, "system": "x", "of": "all" }), false),
            ("model_called", json!({ "system": { "matches": ".+" }, "user": { "equals": "" } }), false),
            ("model_called", json!({ "model": { "matches": "^gpt-4o" } }), false),
            ("model_called", json!({ "system": { "matches": "${PROMPT}" } }), false),
            ("model_called", json!({ "tools": ["a", { "name": "b", "parameters": { "required": [] } }] }), false),
            ("model_called", json!({ "tools": { "exactly": [] } }), false),
            ("tool_result", json!({ "name": "a" }), false),
            ("tool_result", json!({ "name": "a", "result": "regex:.+" }), false),
            ("tool_result", json!({ "name": "a", "result": ".*" }), false),
            ("tool_result", json!({ "name": "a", "result": "regex:${KIND}" }), false),
            ("tool_result", json!({ "name": "a", "result": [] }), false),
            ("tool_result", json!({ "name": "a", "result": { "id": "regex:.*", "items": {} } }), false),
            ("tool_result", json!({ "name": "a", "result": {} }), true),
            ("tool_result", json!({ "name": "a", "result": "regex:.*" }), true),
        ] {
            assert_eq!(found(kind, &arguments, negate), [""; 0], "{kind}: {arguments}");
        }
    }
}
