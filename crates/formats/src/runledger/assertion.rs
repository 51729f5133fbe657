//! Lowers `assertions` of a suite or a case to checks.
//!
//! | assertion | check |
//! |---|---|
//! | `required_fields` {fields} | `required_fields: [..]` |
//! | `json_schema` {`schema_path`} | `json_schema: { path, format: warn }` |
//! | `must_call` {tools} | `tool_called: [..]` |
//! | `must_not_call` {tools} | `not: { tool_called: { any: [..] } }` |
//! | `call_order` {order} | `call_order: { order: [..], anywhere: true }`: `RunLedger` ignores earlier calls |
//! | `semantic` {expected, threshold, facts, contradictions} | `semantic: {.., facts: warn, contradictions: warn}`, unless set |

use std::sync::Arc;

use agentci_plan::Check;
use agentci_source::shape::{Field, Kind, Shape, Tagged, UnknownKeys, optional, required};
use agentci_source::{Content, Diagnostic, Diagnostics, Node, Scalar, Span, Spanned, read};

use crate::suggestion::meant_and_known;

const TYPES: [&str; 6] = ["required_fields", "json_schema", "must_call", "must_not_call", "call_order", "semantic"];

/// The shape of each type.
const VARIANTS: [(&str, &Shape); 6] = [
    (TYPES[0], &REQUIRED_FIELDS),
    (TYPES[1], &JSON_SCHEMA),
    (TYPES[2], &CALLS),
    (TYPES[3], &CALLS),
    (TYPES[4], &CALL_ORDER),
    (TYPES[5], &SEMANTIC),
];

/// A list of assertions.
pub(super) const ASSERTIONS: Kind =
    Kind::List(&Kind::Tagged(&Tagged { tag: "type", variants: &VARIANTS, usual: None }));

/// The key of every assertion.
static TYPE: &[Field] = &[required("type", Kind::Choice(&TYPES), "Type of the assertion.")];
static ASSERTION: Shape = shape("What a case must satisfy.", &[]);
static REQUIRED_FIELDS: Shape =
    shape("The final output has these keys.", &[&[required("fields", Kind::OneOrMore(&Kind::Text), "The keys.")]]);
static JSON_SCHEMA: Shape = shape(
    "The final output is valid against a JSON Schema.",
    &[&[required("schema_path", Kind::Name, "The schema file, relative to the suite's folder.")]],
);
static CALLS: Shape = shape(
    "These tools must be called, or must not be called.",
    &[&[required("tools", Kind::OneOrMore(&Kind::Text), "The names of the tools.")]],
);
static CALL_ORDER: Shape = shape(
    "Tools are called in this order.",
    &[&[required("order", Kind::List(&Kind::Text), "The names of the tools.")]],
);
static SEMANTIC: Shape = shape(
    "The answer means the same as the expected text.",
    &[&[
        required("expected", Kind::Name, "Expected answer."),
        optional(
            "facts",
            Kind::Choice(&["fail", "warn", "off"]),
            "What to do if the answer does not state an expected fact. Default: `warn`.",
        ),
        optional(
            "contradictions",
            Kind::Choice(&["fail", "warn", "off"]),
            "What to do if the answer certainly contradicts the expected one. Default: `warn`.",
        ),
        optional(
            "threshold",
            Kind::Either(&[Kind::Range(0.0, 1.0), Kind::FilledMap(&Kind::Range(0.0, 1.0))]),
            "Minimum similarity, or one for each embedder.",
        ),
    ]],
);

/// Unknown keys are only a warning, because `RunLedger` has always accepted them.
const fn shape(about: &'static str, keys: &'static [&'static [Field]]) -> Shape {
    Shape::new("an assertion", about, TYPE).with(keys).unknown(UnknownKeys::Warned)
}

/// Reads a list of assertions; invalid ones are reported and dropped.
pub(super) fn assertions(node: &Node, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    read::each(node, "assertions", problems, |item, problems| assertion(item, problems).map(Arc::new))
}

fn assertion(node: &Node, problems: &mut Diagnostics) -> Option<Check> {
    let mut fields = ASSERTION.reader(node, problems)?;
    let span = fields.node("type").map_or(node.span, |kind| kind.span);
    let kind = fields.required("type", read::text)?;
    let Some((_, shape)) = VARIANTS.into_iter().find(|(known, _)| *known == kind) else {
        problems.push(unknown(&kind, span));
        return None;
    };
    fields.becomes(shape);
    let check = match kind.as_str() {
        "required_fields" => fields.required("fields", texts).map(|list| Check::new("required_fields", span, list)),
        "json_schema" => fields.required("schema_path", read::name).map(|path| {
            let arguments = [("path", Node::text(path.value, path.span)), ("format", Node::text("warn", span))];
            Check::new("json_schema", span, Node::map(path.span, arguments))
        }),
        "must_call" => fields
            .required("tools", texts)
            .map(|list| Check::new("tool_called", span, list).with_label(Some("must_call"))),
        "must_not_call" => fields.required("tools", texts).map(|list| {
            let any = Node::map(list.span, [("any", list)]);
            Check { negate: true, ..Check::new("tool_called", span, any).with_label(Some("must_not_call")) }
        }),
        "call_order" => fields.required("order", |node, key, problems| {
            let order = list_node(node.span, read::texts(node, key, problems)?);
            let anywhere = Node { span, content: Content::Scalar(Scalar::plain("true")) };
            Some(Check::new("call_order", span, Node::map(node.span, [("order", order), ("anywhere", anywhere)])))
        }),
        _ => fields.required_node("expected").map(|expected| {
            let mut reaction = |key| (key, fields.node(key).cloned().unwrap_or_else(|| Node::text("warn", span)));
            let reactions = [reaction("facts"), reaction("contradictions")];
            let threshold = fields.node("threshold").map(|threshold| ("threshold", threshold.clone()));
            let arguments = [("expected", expected.clone())].into_iter().chain(threshold).chain(reactions);
            Check::new("semantic", span, Node::map(node.span, arguments))
        }),
    };
    fields.finish();
    check
}

fn unknown(kind: &str, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("unknown assertion type `{}`", kind.escape_debug()))
        .label("unknown type")
        .help(meant_and_known(kind, &TYPES, "known types"))
}

fn texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Node> {
    Some(list_node(node.span, read::one_or_more_texts(node, name, problems)?))
}

fn list_node(span: Span, texts: Vec<Spanned<String>>) -> Node {
    Node::list(span, texts.into_iter().map(|text| Node::text(text.value, text.span)).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{Reading, Sources};
    use serde_json::json;

    use super::*;

    fn checks(text: &str) -> (Vec<Arc<Check>>, Vec<Diagnostic>) {
        let file = Sources::default().add(Path::new("a"), text);
        let mut problems = Diagnostics::default();
        let checks = assertions(&agentci_source::yaml::parse(text, file).unwrap(), &mut problems);
        (checks, problems.into_iter().collect())
    }

    #[test]
    fn lowers_assertions_to_native_checks() {
        let (checks, problems) = checks(
            "- { type: required_fields, fields: [a, b] }\n\
             - { type: json_schema, schema_path: schema.json }\n\
             - { type: must_call, tools: one }\n\
             - { type: must_not_call, tools: [two] }\n\
             - { type: call_order, order: [] }\n\
             - { type: semantic, expected: Paid., threshold: { builtin: 0.5 } }\n\
             - { type: semantic, expected: Paid., facts: off }\n",
        );
        assert!(problems.is_empty(), "{problems:?}");
        let seen: Vec<_> = checks
            .iter()
            .map(|check| {
                let arguments = check.arguments.value(Reading::Core).unwrap();
                (check.kind.value.as_str(), check.negate, check.label(), arguments, check.kind.span.column)
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("required_fields", false, None, json!(["a", "b"]), 11),
                ("json_schema", false, None, json!({"path": "schema.json", "format": "warn"}), 11),
                ("tool_called", false, Some("must_call"), json!(["one"]), 11),
                ("tool_called", true, Some("must_not_call"), json!({"any": ["two"]}), 11),
                ("call_order", false, None, json!({"order": [], "anywhere": true}), 11),
                (
                    "semantic",
                    false,
                    None,
                    json!({"expected": "Paid.", "threshold": {"builtin": 0.5}, "facts": "warn", "contradictions": "warn"}),
                    11
                ),
                ("semantic", false, None, json!({"expected": "Paid.", "facts": "off", "contradictions": "warn"}), 11),
            ]
        );
        assert_eq!(checks[3].arguments.get("any").unwrap().items().unwrap()[0].span.column, 34);
    }

    #[test]
    fn reports_all_invalid_types_and_keys() {
        let (checks, problems) = checks(
            "- { type: must_cal, tools: x }\n- { type: must_call, tool: x }\n- { type: call_order, order: x }\n- { tools: x }\n- x\n",
        );
        assert!(checks.is_empty());
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "unknown assertion type `must_cal`",
                "an assertion needs `tools`",
                "`order` must be a list, found the string `x`",
                "an assertion needs `type`",
                "an assertion must be a mapping, found the string `x`",
            ]
        );
        assert!(problems[0].help.as_ref().unwrap().starts_with("did you mean `must_call`?"));
    }
}
