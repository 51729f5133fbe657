//! Finds checks that expect nothing: an empty string, name or list where something is demanded. They pass whatever the
//! agent does.

use crate::Check;
use agentci_source::{Diagnostic, Node, Span};

/// What a check demands, and what may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demanded {
    /// A string to search for.
    Text,
    /// A regular expression to search for.
    Pattern,
    /// The name of a tool, an artifact or a state.
    Name,
    /// A key of the output.
    Key,
    /// A path into the output.
    Path,
    /// A step of a path that looks like a negative index but is a key.
    NegativeStep,
}

/// The demands of each check: the keys of their path, and what is at that path. An empty path is the check's own
/// argument.
const DEMANDS: &[(&str, &[&str], Demanded)] = &[
    ("call_order", &[], Demanded::Name),
    ("call_order", &["order"], Demanded::Name),
    ("contains", &[], Demanded::Text),
    ("contains", &["text"], Demanded::Text),
    ("matches", &[], Demanded::Pattern),
    ("matches", &["pattern"], Demanded::Pattern),
    ("model_called", &["messages"], Demanded::Text),
    ("model_called", &["messages", "matches"], Demanded::Pattern),
    ("model_called", &["model"], Demanded::Name),
    ("model_called", &["model", "matches"], Demanded::Pattern),
    ("model_called", &["system"], Demanded::Text),
    ("model_called", &["system", "matches"], Demanded::Pattern),
    ("model_called", &["tools"], Demanded::Name),
    ("model_called", &["user"], Demanded::Text),
    ("model_called", &["user", "matches"], Demanded::Pattern),
    ("required_fields", &[], Demanded::Key),
    ("task", &["state"], Demanded::Name),
    ("task", &["artifacts", "match"], Demanded::Pattern),
    ("task", &["artifacts", "names"], Demanded::Name),
    ("tool_called", &[], Demanded::Name),
    ("tool_called", &["any"], Demanded::Name),
    ("tool_called", &["by", "system"], Demanded::Text),
    ("tool_called", &["by", "system", "matches"], Demanded::Pattern),
    ("tool_called", &["name"], Demanded::Name),
    ("tool_evidence", &[], Demanded::Name),
];

/// The prefix that makes a string of `tool_result` a pattern.
const REGEX: &str = "regex:";

/// An empty demand of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyDemand {
    item: Demanded,
    span: Span,
    list: bool,
}

impl Check {
    /// The first empty demand of the check. Under `not`, an empty list is none: it forbids nothing. An empty name
    /// always is one, since nothing has that name. An empty string under `not` is none: every answer contains it, so
    /// the check fails as written.
    pub fn empty_demand(&self) -> Option<EmptyDemand> {
        match self.kind.value.as_str() {
            "json_path" => return no_place(self),
            "tool_result" => return self.arguments.get("result").filter(|_| !self.negate).and_then(empty_pattern),
            _ => {}
        }
        let of_kind = DEMANDS.iter().filter(|(kind, ..)| self.kind.value == *kind);
        of_kind.filter(|(_, keys, _)| !keys.is_empty() || self.arguments.pairs().is_none()).find_map(
            |(kind, keys, item)| {
                let node = keys.iter().try_fold(&self.arguments, |node, key| node.get(key))?;
                // With `of: output` the value may be any data, and a list is searched for as it is.
                let data = *kind == "contains" && self.arguments.get("of").is_some_and(|of| said(of, "output"));
                empty(node, *item, data, self.negate)
            },
        )
    }
}

impl EmptyDemand {
    /// The error for a check with this demand; `filled` means that its variables have just been filled in.
    pub fn problem(self, check: &Check, filled: bool) -> Diagnostic {
        let name = check.name();
        let wrong = |what: &str, label: &str, help: &str| {
            Diagnostic::error(self.span, format!("`{name}` cannot fail: {what}")).label(label).help(help)
        };
        let of_requests = matches!(check.kind.value.as_str(), "model_called" | "tool_called");
        let whole = if of_requests { "request" } else { "answer" };
        let (what, wanted) = match self.item {
            Demanded::Text => (format!("every {whole} contains the empty string"), "a string"),
            Demanded::Pattern => (format!("an empty pattern matches every {whole}"), "a pattern"),
            Demanded::Name => ("the name is empty".into(), "a name"),
            Demanded::Key => ("the key is empty".into(), "a key"),
            Demanded::Path => {
                let help = "write the path that must not exist; `$` is the whole output";
                return wrong("the path is empty", "no path", help);
            }
            Demanded::NegativeStep => {
                let what = "a negative number between dots is the name of a key, not an index";
                let help = "write `items[-1]` for the last item, or `$['-1']` for a key of this name";
                return wrong(what, "not an index", help);
            }
        };
        let what = if self.list { "the list is empty".into() } else { what };
        let message = format!("`{name}` expects nothing: {what}");
        let help = match (filled, self.list) {
            (true, false) => "a variable in it is empty: set it, or give it a default as in `${NAME:-default}`".into(),
            (_, true) => format!("add {wanted} to the list, or remove the check"),
            (false, false) => format!("write {wanted}, or remove the check"),
        };
        Diagnostic::error(self.span, message).label("expects nothing").help(help)
    }
}

fn empty(node: &Node, item: Demanded, data: bool, negate: bool) -> Option<EmptyDemand> {
    if let Some(items) = node.items().filter(|_| !data) {
        return match items {
            [] => (!negate).then_some(EmptyDemand { item, span: node.span, list: true }),
            items => items.iter().find_map(|inner| empty(inner, item, true, negate)),
        };
    }
    let text = node.as_text()?;
    let empty = match item {
        Demanded::Name => text.trim().is_empty(),
        // The newline at the end of a block of text is not searched for.
        Demanded::Text => !negate && text.strip_suffix('\n').unwrap_or(&text).is_empty(),
        Demanded::Pattern | Demanded::Key | Demanded::Path | Demanded::NegativeStep => !negate && text.is_empty(),
    };
    empty.then_some(EmptyDemand { item, span: node.span, list: false })
}

/// A path under `not` or with `optional` that points at nothing.
fn no_place(check: &Check) -> Option<EmptyDemand> {
    let optional = check.arguments.get("optional").is_some_and(|node| said(node, "true"));
    let node = check.arguments.get("path")?;
    let path = node.as_text()?;
    let is_negative = |step: &str| step.split('[').next().unwrap_or(step).parse::<i64>().is_ok_and(|index| index < 0);
    let item = if check.negate && path.trim().is_empty() {
        Demanded::Path
    } else if (check.negate || optional) && path.split('.').any(is_negative) {
        Demanded::NegativeStep
    } else {
        return None;
    };
    Some(EmptyDemand { item, span: node.span, list: false })
}

/// An empty pattern of a result.
fn empty_pattern(node: &Node) -> Option<EmptyDemand> {
    if let Some(items) = node.items() {
        return items.iter().find_map(empty_pattern);
    }
    if let Some(pairs) = node.pairs() {
        return pairs.iter().find_map(|pair| empty_pattern(&pair.value));
    }
    said(node, REGEX).then_some(EmptyDemand { item: Demanded::Pattern, span: node.span, list: false })
}

fn said(node: &Node, word: &str) -> bool {
    node.scalar().is_some_and(|scalar| *scalar.text == *word)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use agentci_source::Sources;

    fn problem(kind: &str, arguments: &Value, negate: bool) -> Option<String> {
        let span = Span::whole(Sources::default().add("a".as_ref(), ""));
        let check = Check { negate, ..Check::new(kind, span, Node::from_value(arguments, span)) };
        check.empty_demand().map(|empty| empty.problem(&check, false).message)
    }

    #[test]
    fn reports_checks_that_expect_nothing() {
        for (kind, arguments) in [
            ("contains", json!("")),
            ("contains", json!("\n")),
            ("contains", json!([])),
            ("contains", json!(["a", ""])),
            ("contains", json!({"text": "", "ignore_case": true})),
            ("contains", json!({"text": "", "of": "output"})),
            ("matches", json!("")),
            ("matches", json!({"pattern": []})),
            ("tool_called", json!([])),
            ("tool_called", json!(" ")),
            ("tool_called", json!({"any": []})),
            ("required_fields", json!([])),
            ("tool_evidence", json!([])),
            ("call_order", json!([])),
            ("call_order", json!({"order": [], "anywhere": true})),
            ("task", json!({"state": []})),
            ("task", json!({"artifacts": {"match": ""}})),
            ("tool_result", json!({"name": "a", "result": "regex:"})),
            ("tool_result", json!({"name": "a", "result": {"b": [1, {"c": "regex:"}]}})),
            ("json_path", json!({"path": "b.-1", "value": 1, "optional": true})),
            ("model_called", json!({"system": ""})),
            ("model_called", json!({"user": {"matches": ""}})),
            ("model_called", json!({"tools": []})),
            ("model_called", json!({"model": " "})),
            ("tool_called", json!({"name": "a", "by": {"system": ""}})),
        ] {
            assert!(problem(kind, &arguments, false).is_some(), "{kind}: {arguments}");
        }
    }

    #[test]
    fn accepts_checks_with_a_real_expectation() {
        for (kind, arguments, negate) in [
            ("contains", json!("a"), false),
            ("contains", json!(" "), false),
            ("contains", json!({"text": [], "of": "output"}), false),
            ("contains", json!([]), true),
            ("matches", json!([]), true),
            ("contains", json!(""), true),
            ("tool_called", json!({"any": []}), true),
            ("equals", json!(""), false),
            ("task", json!({"state": "completed", "artifacts": {}}), false),
            ("tool_result", json!({"name": "a", "result": {"b": "regex:a"}}), false),
            ("tool_result", json!({"name": "a"}), false),
            ("json_path", json!({"path": "", "value": {}}), false),
            ("json_path", json!({"path": "b.-1", "value": 1}), false),
            ("json_path", json!({"path": "$", "value": {}}), true),
            ("json_path", json!({"path": "b[-1].c", "value": 1}), true),
            ("json_path", json!({"path": "$['a.-1']", "value": 1}), true),
            ("json_path", json!({"path": "x-1.a-2", "value": 1}), true),
            ("model_called", json!({"system": {"equals": ""}, "tools": {"exactly": []}}), false),
            ("model_called", Value::Null, false),
        ] {
            assert_eq!(problem(kind, &arguments, negate), None, "{kind}: {arguments}");
        }
        for path in ["", " ", "b.-1", "-1", "$.b.-1[0]"] {
            assert!(problem("json_path", &json!({"path": path, "value": 1}), true).is_some(), "{path}");
        }
        let told = problem("tool_called", &json!({"any": ["a", ""]}), true);
        assert_eq!(told.as_deref(), Some("`not tool_called` expects nothing: the name is empty"));
    }
}
