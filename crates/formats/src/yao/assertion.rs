//! Lowers `assert`, the assertions of a test, to checks.

use std::path::Path;

use agentci_plan::Check;
use agentci_source::shape::{Kind, Shape, UnknownKeys as Others, optional};
use agentci_source::{Content, Diagnostics, Node, Reading, Scalar, Span, Spanned, did_you_mean, read, relative};
use serde_json::Value;

use super::app::App;
use super::judges::Judges;
use super::record::{Record, UnknownFields};
use super::reference::function;
use crate::document::Loading;
use crate::foreign_pattern::{Language, translated};
use crate::world::check_pattern;

/// The forms of `assert`: an assertion, a list of assertions, or the type of an assertion without a value.
pub(super) const ASSERT: Kind =
    Kind::Either(&[Kind::Choice(&TYPES), Kind::Shape(&ASSERTION), Kind::List(&Kind::Shape(&ASSERTION))]);

static ASSERTION: Shape = Shape::new(
    "an assertion",
    "What the answer must satisfy.",
    &[
        optional("type", Kind::Choice(&TYPES), "Type of the assertion. Default: `equals`."),
        optional("value", Kind::Data, "Expected value; its form depends on `type`."),
        optional("path", Kind::Data, "Path of the value to compare, for `json_path`."),
        optional("script", Kind::Text, "Function that judges the answer, for `script`."),
        optional("use", Kind::Text, "Assistant that judges the answer, for `agent`."),
        optional("options", Kind::Data, "Options for `agent`: `connector` and `metadata` of the judging assistant."),
        optional("threshold", Kind::Data, "Minimum similarity, for `semantic`."),
        optional("message", Kind::Text, "Message to show when the assertion fails."),
        optional("negate", Kind::Truth, "Whether to negate the assertion. Default: false."),
    ],
)
.unknown(Others::Ignored);

const TYPES: [&str; 13] = [
    "equals",
    "contains",
    "not_contains",
    "json_path",
    "regex",
    "type",
    "script",
    "tool_called",
    "tool_result",
    "json_schema",
    "semantic",
    "agent",
    "schema",
];
const JSON_TYPES: [&str; 6] = ["string", "number", "boolean", "array", "object", "null"];

/// Context for reading assertions.
pub(super) struct Assertions<'a> {
    pub(super) app: &'a App<'a>,
    /// The folder of the tests.
    pub(super) folder: &'a Path,
    pub(super) judges: Judges,
    pub(super) unknown: UnknownFields,
}

/// An assertion as written in the file.
struct ParsedAssertion<'n> {
    kind: Spanned<String>,
    value: Option<&'n Node>,
    /// A `value` of null. Only `json_path` uses it; for other types it counts as missing.
    null: Option<&'n Node>,
    path: Option<&'n Node>,
    script: Option<Spanned<String>>,
    judge: Option<Spanned<String>>,
    options: Option<&'n Node>,
    threshold: Option<&'n Node>,
    message: Option<String>,
    negate: bool,
    span: Span,
}

impl ParsedAssertion<'_> {
    /// The span of the value, or of the assertion if it has none.
    fn value_span(&self) -> Span {
        self.value.map_or(self.span, |node| node.span)
    }

    /// An error that says why the assertion can never pass.
    fn unusable(&self, message: impl Into<String>) -> AssertionError {
        Spanned::new(message.into(), self.span)
    }
}

/// Why an assertion can never pass, and where.
type AssertionError = Spanned<String>;

impl Assertions<'_> {
    /// The checks of `assert`. A value that is not an assertion is an error.
    pub(super) fn checks(&mut self, node: &Node, test: &Record<'_>, loading: &mut Loading<'_>) -> Vec<Check> {
        let bare = Node::map(node.span, [("type", node.clone())]);
        let items = match &node.content {
            Content::List(items) => &**items,
            Content::Map(_) => std::slice::from_ref(node),
            // A bare word is the type of an assertion without a value.
            Content::Scalar(_) if text_of(Some(node)).is_some() => std::slice::from_ref(&bare),
            Content::Scalar(_) => {
                let help = "write `{\"type\": \"contains\", \"value\": \"..\"}`";
                let rule = "`assert` must be an assertion or a list";
                loading.problems.mismatch(node, rule, "not an assertion").help(help);
                &[]
            }
        };
        let written: Vec<_> = items.iter().filter_map(|item| self.written(item, loading.problems)).collect();
        written.iter().map(|written| self.check(written, test, loading)).collect()
    }

    fn written<'n>(&mut self, node: &'n Node, problems: &mut Diagnostics) -> Option<ParsedAssertion<'n>> {
        ASSERTION.read(node, problems, |fields| {
            let mut name = |key| {
                fields.optional(key, |node, key, problems| {
                    Some(Spanned::new(read::text(node, key, problems)?, node.span))
                })
            };
            let kind = name("type").unwrap_or_else(|| Spanned::new("equals".into(), node.span));
            let written = ParsedAssertion {
                script: name("script"),
                judge: name("use"),
                message: name("message").map(|message| message.value).filter(|message| !message.is_empty()),
                negate: fields.truth("negate").unwrap_or_default(),
                value: fields.node("value"),
                null: node.get("value").filter(|value| value.is_null()),
                path: fields.node("path"),
                options: fields.node("options"),
                threshold: fields.node("threshold"),
                kind,
                span: node.span,
            };
            for pair in fields.rest() {
                self.unknown.warn(pair, ASSERTION.what, &ASSERTION.keys(), fields.problems);
            }
            Some(written)
        })
    }

    fn check(&mut self, written: &ParsedAssertion<'_>, test: &Record<'_>, loading: &mut Loading<'_>) -> Check {
        // Labels of some types, plain and negated, and whether the type is itself a negation.
        let (label, negated) = match written.kind.value.as_str() {
            "not_contains" => (Some(["not_contains", "not not_contains"]), true),
            "regex" => (Some(["regex", "not regex"]), false),
            _ => (None, false),
        };
        let check = match self.kind(written, test, loading) {
            Ok((kind, arguments)) => {
                let label = label.map(|label| label[usize::from(written.negate)]);
                let check = Check::new(kind, written.kind.span, arguments).with_label(label);
                Check { negate: written.negate != negated, ..check }
            }
            Err(Spanned { value: message, span }) => {
                let warning = format!("this assertion cannot pass: {message}");
                loading.problems.warning(span, warning, "its test will fail");
                let known = TYPES.iter().find(|known| **known == written.kind.value);
                Check::invalid(written.kind.span, message, span).with_label(known.copied())
            }
        };
        check.with_message(written.message.clone())
    }

    /// The check's kind and arguments.
    fn kind(
        &mut self,
        written: &ParsedAssertion<'_>,
        test: &Record<'_>,
        loading: &mut Loading<'_>,
    ) -> Result<(&'static str, Node), AssertionError> {
        Ok(match written.kind.value.as_str() {
            "equals" => ("equals", written.value.cloned().unwrap_or_else(|| plain("null", written.span))),
            "contains" | "not_contains" => ("contains", contained(written)?),
            "regex" => ("matches", pattern(written)?),
            "type" => ("type", json_type(written)?),
            "json_path" => ("json_path", json_path(written, loading.problems)?),
            "json_schema" | "schema" => ("json_schema", schema(written)?),
            "semantic" => ("semantic", semantic(written)?),
            "tool_called" => ("tool_called", tool_called(written)?),
            "tool_result" => ("tool_result", tool_result(written)?),
            "script" => ("script", self.script(written, test)?),
            "agent" => ("agent", self.agent(written, test, loading)?),
            unknown => return Err(unknown_type(unknown, written.kind.span)),
        })
    }

    fn script(&self, written: &ParsedAssertion<'_>, test: &Record<'_>) -> Result<Node, AssertionError> {
        let missing = || written.unusable("a `script` assertion needs `script`");
        let name = written.script.as_ref().ok_or_else(missing)?;
        let found = function(self.app, &name.value).map_err(|message| Spanned::new(message, name.span))?;
        let file = relative(self.folder, &found.file).to_string_lossy().into_owned();
        let mut pairs = vec![
            ("file", Node::text(file, name.span)),
            ("function", Node::text(found.name, name.span)),
            ("input", Node::from_value(&test.asked, name.span)),
        ];
        pairs.extend(written.value.or(test.expected).map(|value| ("value", value.clone())));
        Ok(Node::map(written.span, pairs))
    }

    fn agent(
        &mut self,
        written: &ParsedAssertion<'_>,
        test: &Record<'_>,
        loading: &mut Loading<'_>,
    ) -> Result<Node, AssertionError> {
        let no_judge = || written.unusable("an `agent` assertion needs `use`, the assistant that judges the answer");
        let name = written.judge.as_ref().ok_or_else(no_judge)?;
        let no_criteria = || written.unusable("an `agent` assertion needs `value`, the criteria for the answer");
        let criteria = written.value.ok_or_else(no_criteria)?;
        let id = Spanned::new(name.value.strip_prefix("agents:").unwrap_or(&name.value).to_owned(), name.span);
        let options = written.options;
        let connector = options.and_then(|node| node.get("connector"));
        let connector = connector.and_then(|node| read::name(node, "connector", loading.problems));
        let agent = self.judges.open(self.app, &id, connector.as_ref(), loading).ok_or_else(|| {
            Spanned::new(format!("the judging assistant `{}` does not exist", id.value.escape_debug()), name.span)
        })?;
        let mut pairs = vec![
            ("agent", Node::text(agent, name.span)),
            ("criteria", criteria.clone()),
            ("input", Node::from_value(&test.asked, name.span)),
        ];
        let metadata = options.and_then(|node| node.get("metadata")).filter(|node| node.pairs().is_some());
        pairs.extend(metadata.map(|metadata| ("metadata", metadata.clone())));
        Ok(Node::map(written.span, pairs))
    }
}

fn unknown_type(word: &str, span: Span) -> AssertionError {
    let meant = did_you_mean(word, TYPES).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    Spanned::new(format!("unknown assertion type `{}`{meant}", word.escape_debug()), span)
}

fn plain(word: &str, span: Span) -> Node {
    Node { span, content: Content::Scalar(Scalar::plain(word)) }
}

fn text_of(node: Option<&Node>) -> Option<String> {
    match node?.scalar()?.value(Reading::Core)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Arguments of `contains` and `not_contains`.
fn contained(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let missing = || written.unusable(format!("a `{}` assertion needs a `value`", written.kind.value));
    let text = written.value.cloned().ok_or_else(missing)?;
    Ok(Node::map(written.span, [("text", text), ("of", Node::text("output", written.span))]))
}

fn pattern(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let span = written.value_span();
    let unusable = |message: String| Spanned::new(message, span);
    let missing = || unusable("a `regex` assertion needs a pattern as its `value`".into());
    let text = translated(&text_of(written.value).ok_or_else(missing)?, Language::Go);
    let mut wrong = Diagnostics::default();
    check_pattern(&Spanned::new(text.clone(), span), &mut wrong);
    if let Some(problem) = wrong.into_iter().next() {
        return Err(unusable(problem.message));
    }
    Ok(Node::map(written.span, [("pattern", Node::text(text, span)), ("of", Node::text("output", span))]))
}

fn json_type(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let span = written.value_span();
    let known = text_of(written.value).filter(|word| JSON_TYPES.contains(&word.as_str()));
    known.map(|word| Node::text(word, span)).ok_or_else(|| {
        Spanned::new(format!("a `type` assertion needs one of {}", read::quoted_list(&JSON_TYPES)), span)
    })
}

fn json_path(written: &ParsedAssertion<'_>, problems: &mut Diagnostics) -> Result<Node, AssertionError> {
    let path = match written.path {
        Some(node) => read::text(node, "path", problems).map(|path| Node::text(path, node.span)),
        None => Some(Node::text("", written.span)),
    };
    let path = path.ok_or_else(|| written.unusable("`path` must be a string"))?;
    let missing = || written.unusable("a `json_path` assertion needs `value`, which may be `null`");
    let value = written.value.or(written.null).ok_or_else(missing)?;
    // In Yao, a path that does not exist has the value null.
    let nullable = value.is_null() || value.items().is_some_and(|items| items.iter().any(Node::is_null));
    let optional = nullable.then(|| ("optional", plain("true", written.span)));
    Ok(Node::map(written.span, [("path", path), ("value", value.clone())].into_iter().chain(optional)))
}

fn schema(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let (key, value) = match written.value {
        Some(path) if text_of(Some(path)).is_some() => ("path", path),
        Some(schema) if schema.pairs().is_some() => ("schema", schema),
        _ => {
            let message = "a `json_schema` assertion needs a schema, or the path of one, as its `value`";
            return Err(written.unusable(message));
        }
    };
    Ok(Node::map(value.span, [(key, value.clone()), ("format", Node::text("warn", value.span))]))
}

fn semantic(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let missing = || written.unusable("a `semantic` assertion needs the expected answer as its `value`");
    let text = text_of(written.value).ok_or_else(missing)?;
    let threshold = written.threshold.map(|threshold| ("threshold", threshold.clone()));
    let expected = [("expected", Node::text(text, written.value_span()))];
    let reactions = ["facts", "contradictions"].map(|key| (key, Node::text("warn", written.span)));
    Ok(Node::map(written.span, expected.into_iter().chain(threshold).chain(reactions)))
}

/// A name, a list of names of which one must be called, or a name with arguments. A name also matches the last part of
/// a longer one.
fn tool_called(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let suffix = || ("suffix", plain("true", written.span));
    let made = match written.value {
        Some(name) if text_of(Some(name)).is_some() => Some(vec![("name", name.clone()), suffix()]),
        Some(names) if names.items().is_some_and(|items| items.iter().all(|item| text_of(Some(item)).is_some())) => {
            Some(vec![("any", names.clone()), suffix()])
        }
        Some(call) => text_of(call.get("name")).map(|name| {
            let mut pairs = vec![("name", Node::text(name, call.span)), suffix()];
            let arguments = call.get("arguments").or_else(|| call.get("args"));
            pairs.extend(arguments.map(|arguments| ("args", arguments.clone())));
            pairs
        }),
        None => None,
    };
    let message = "a `tool_called` assertion needs a tool's name, a list of names, or `name` and `arguments`";
    made.map(|pairs| Node::map(written.span, pairs)).ok_or_else(|| written.unusable(message))
}

fn tool_result(written: &ParsedAssertion<'_>) -> Result<Node, AssertionError> {
    let named = match written.value {
        Some(name) if text_of(Some(name)).is_some() => Some((name.clone(), None)),
        Some(value) => {
            let tool = value.get("tool").or_else(|| value.get("name"));
            tool.filter(|tool| text_of(Some(tool)).is_some()).map(|tool| (tool.clone(), value.get("result").cloned()))
        }
        None => None,
    };
    let missing = || written.unusable("a `tool_result` assertion needs `tool` in its `value`");
    let (name, result) = named.ok_or_else(missing)?;
    let pairs = [("name", name), ("suffix", plain("true", written.span))];
    let result = result.map(|result| ("result", in_our_patterns(result)));
    Ok(Node::map(written.span, pairs.into_iter().chain(result)))
}

/// Translates the patterns in an expected result (strings that begin with `regex:`) for our regex engine.
fn in_our_patterns(mut result: Node) -> Node {
    match &mut result.content {
        Content::List(items) => items.iter_mut().for_each(|item| *item = in_our_patterns(item.clone())),
        Content::Map(pairs) => pairs.iter_mut().for_each(|pair| pair.value = in_our_patterns(pair.value.clone())),
        Content::Scalar(_) => {
            if let Some(pattern) = text_of(Some(&result)).as_deref().and_then(|text| text.strip_prefix("regex:")) {
                return Node::text(format!("regex:{}", translated(pattern, Language::Go)), result.span);
            }
        }
    }
    result
}
