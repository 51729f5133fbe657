//! Text with variables: `${NAME}`, `${ENV.NAME}` and `${NAME:-default}`, whose default is also used if the variable is
//! empty, as in a shell; `$${` is a literal `${`. `${NAME|escape}` is the value as a pattern that matches exactly it.
//! `${INPUT.name}` is a part of the input of the turn, in places that build a request or a command from it.
//! `${MODEL.name}` is a URL of the scripted model. `${row.name}` is a column of the row that a case was made from; where
//! it is the whole string, the value keeps its type, and `${row.name|json}` parses text as JSON.
//!
//! A dialect without variables produces literals. A literal is escaped when it is printed in the native dialect, where
//! every string may contain variables. Templates are filled in after the case's hooks have run.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use serde_json::Value;

use agentci_dataset::value_text;
use agentci_source::Node;

/// The variables of a case, by name.
pub type Variables = BTreeMap<String, String>;

/// A string of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// A literal string.
    Literal(String),
    /// A template to fill in.
    Template(Template),
}

/// A text with at least one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Plain(String),
    Variable { name: String, filter: Option<Filter>, default: Option<String> },
}

impl TemplatePart {
    fn fill(&self, lookup: VariableLookup<'_>) -> Result<FilledPiece, UnsetVariableError> {
        match self {
            TemplatePart::Plain(text) => Ok(FilledPiece::Written(text.clone())),
            TemplatePart::Variable { name, filter, default } => {
                // A default also replaces an empty value.
                let found = lookup(name).filter(|value| default.is_none() || !value.is_empty());
                let value = found.or_else(|| default.clone()).ok_or_else(|| UnsetVariableError(name.clone()))?;
                Ok(FilledPiece::Value(if *filter == Some(Filter::Escape) { escape_pattern(&value) } else { value }))
            }
        }
    }
}

/// A piece of a text whose variables are filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilledPiece {
    /// Text of the suite.
    Written(String),
    /// The value of a variable, which may be the data of a user.
    Value(String),
}

impl FilledPiece {
    fn into_text(self) -> String {
        match self {
            FilledPiece::Written(text) | FilledPiece::Value(text) => text,
        }
    }
}

/// What happens to the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    /// It becomes a pattern that matches exactly it.
    Escape,
    /// It is parsed as JSON where the variable is the whole string.
    Json,
}

impl Filter {
    const NAMES: [(&'static str, Filter); 2] = [("|escape", Filter::Escape), ("|json", Filter::Json)];

    fn suffix(self) -> &'static str {
        Self::NAMES.iter().find(|(_, filter)| *filter == self).expect("every filter has a name").0
    }
}

/// A variable that has neither a value nor a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsetVariableError(
    /// Its name.
    pub String,
);

impl std::fmt::Display for UnsetVariableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the variable `{}` has no value", self.0)
    }
}

impl std::error::Error for UnsetVariableError {}

/// Looks up a variable; names that start with `ENV.` are environment variables.
type VariableLookup<'l> = &'l dyn Fn(&str) -> Option<String>;

impl Text {
    /// Parses a text that may contain variables.
    pub fn parse(written: &str) -> Self {
        let mut parts = split(written);
        match parts.as_mut_slice() {
            [] => Text::Literal(String::new()),
            [TemplatePart::Plain(text)] => Text::Literal(std::mem::take(text)),
            _ => Text::Template(Template { parts }),
        }
    }

    /// The text with its variables filled in.
    pub fn fill(&self, lookup: VariableLookup<'_>) -> Result<String, UnsetVariableError> {
        match self {
            Text::Literal(text) => Ok(text.clone()),
            Text::Template(template) => template.fill(lookup),
        }
    }

    /// The text with its variables filled in, in pieces: as written, or the value of a variable.
    pub fn fill_pieces(&self, lookup: VariableLookup<'_>) -> Result<Vec<FilledPiece>, UnsetVariableError> {
        match self {
            Text::Literal(text) => Ok(vec![FilledPiece::Written(text.clone())]),
            Text::Template(template) => template.parts.iter().map(|part| part.fill(lookup)).collect(),
        }
    }

    /// Whether it contains this variable.
    pub fn uses(&self, wanted: &str) -> bool {
        self.variables().any(|name| name == wanted)
    }

    /// The variables in it.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let parts = match self {
            Text::Literal(_) => &[],
            Text::Template(template) => template.parts.as_slice(),
        };
        parts.iter().filter_map(|part| match part {
            TemplatePart::Variable { name, .. } => Some(name.as_str()),
            TemplatePart::Plain(_) => None,
        })
    }

    /// Whether it contains the input of a turn or a part of it.
    pub fn uses_input(&self) -> bool {
        self.variables().any(is_input)
    }

    /// The text as the native dialect writes it.
    pub fn written(&self) -> String {
        match self {
            Text::Literal(text) => escape(text),
            Text::Template(template) => template.written(),
        }
    }
}

impl Template {
    fn fill(&self, lookup: VariableLookup<'_>) -> Result<String, UnsetVariableError> {
        self.parts.iter().map(|part| part.fill(lookup).map(FilledPiece::into_text)).collect()
    }

    fn written(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                TemplatePart::Plain(text) => escape(text),
                TemplatePart::Variable { name, filter, default } => {
                    let filter = filter.map_or("", Filter::suffix);
                    let default = default.as_ref().map(|default| format!(":-{default}")).unwrap_or_default();
                    format!("${{{name}{filter}{default}}}")
                }
            })
            .collect()
    }
}

/// A pattern that matches exactly this text.
pub fn escape_pattern(text: &str) -> String {
    text.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect()
}

/// Escapes text so that a literal `${` is not taken for a variable.
pub fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

/// Fills in the variables of every string in a check's arguments.
pub fn fill(node: &Node, lookup: VariableLookup<'_>) -> Result<Node, UnsetVariableError> {
    node.try_map_text(&mut |text| Text::parse(text).fill(lookup))
}

/// Looks up a column of data with its type.
type ValueLookup<'l> = &'l dyn Fn(&str) -> Option<Value>;

/// A column that should be JSON and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnError {
    /// The variable.
    pub name: String,
    /// What is wrong with its value.
    pub reason: String,
}

impl std::fmt::Display for ColumnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the value of `{}` is not JSON: {}", self.name, self.reason)
    }
}

impl std::error::Error for ColumnError {}

/// Replaces every string that is nothing but a column of data by its value, which keeps its type.
pub fn fill_columns(node: &Node, lookup: ValueLookup<'_>) -> Result<Node, ColumnError> {
    let mut wrong = None;
    let filled = node.map_strings(&mut |text, span| {
        let value = kept(whole_column(text, lookup)?, &mut wrong)?;
        Some(Node::from_value(&escaped(&value), span))
    });
    wrong.map_or(Ok(filled), Err)
}

/// The same for data that has no other variables, such as what a report shows. Columns inside of a text are filled too.
pub(crate) fn fill_shown(value: &Value, lookup: ValueLookup<'_>) -> Result<Value, ColumnError> {
    let mut wrong = None;
    let filled = map_strings(value, &mut |text| {
        if let Some(value) = whole_column(text, lookup) {
            return kept(value, &mut wrong);
        }
        let column = |name: &str| lookup(name).map(|value| value_text(&value));
        Text::parse(text).fill(&column).ok().map(Value::String)
    });
    wrong.map_or(Ok(filled), Err)
}

/// The value, or the error is kept.
fn kept(value: Result<Value, ColumnError>, wrong: &mut Option<ColumnError>) -> Option<Value> {
    value.map_err(|error| *wrong = Some(error)).ok()
}

/// The value of the column that a string consists of. With `|json`, text is parsed.
fn whole_column(text: &str, lookup: ValueLookup<'_>) -> Option<Result<Value, ColumnError>> {
    let Text::Template(Template { parts }) = Text::parse(text) else { return None };
    let [TemplatePart::Variable { name, filter, default }] = parts.as_slice() else { return None };
    if !is_row(name) || *filter == Some(Filter::Escape) {
        return None;
    }
    match lookup(name)? {
        Value::Null if default.is_some() => None,
        Value::String(text) if text.is_empty() && default.is_some() => None,
        Value::String(text) if *filter == Some(Filter::Json) => {
            let parsed = serde_json::from_str(&text);
            Some(parsed.map_err(|error| ColumnError { name: name.clone(), reason: error.to_string() }))
        }
        value => Some(Ok(value)),
    }
}

/// A value in which no string is taken for a template.
fn escaped(value: &Value) -> Value {
    let Ok(value) = map_text(value, &mut |text| Ok::<_, Infallible>(escape(text)));
    value
}

fn split(written: &str) -> Vec<TemplatePart> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = written;
    while let Some(at) = rest.find("${") {
        let escaped = rest[..at].strip_suffix('$');
        plain.push_str(escaped.unwrap_or(&rest[..at]));
        rest = &rest[at + 2..];
        let Some((variable, length)) = escaped.is_none().then(|| variable(rest)).flatten() else {
            // Anything that is not a variable, such as `${a-b}`, stays as written.
            plain.push_str("${");
            continue;
        };
        if !plain.is_empty() {
            parts.push(TemplatePart::Plain(std::mem::take(&mut plain)));
        }
        parts.push(variable);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(TemplatePart::Plain(plain));
    }
    parts
}

/// The prefix of variables that are columns of data.
const ROW: &str = "row.";

/// Whether a variable is a row of data or a column of it: `row` or `row.name`.
pub fn is_row(name: &str) -> bool {
    name == "row" || name.starts_with(ROW)
}

/// Whether a variable is the input of a turn or a part of it: `INPUT` or `INPUT.name`.
pub fn is_input(name: &str) -> bool {
    name.strip_prefix("INPUT").is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Parses a variable after its `${`; also returns its length in bytes, including the `}`.
fn variable(rest: &str) -> Option<(TemplatePart, usize)> {
    let inside = &rest[..rest.find('}')?];
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (inside, None),
    };
    let filtered = |(suffix, filter): &(&str, Filter)| Some((name.strip_suffix(suffix)?, Some(*filter)));
    let (name, filter) = Filter::NAMES.iter().find_map(filtered).unwrap_or((name, None));
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    // Columns of data may have any name.
    let is_column = name.strip_prefix(ROW).is_some_and(|column| !column.is_empty() && !column.contains(['{', '|']));
    let good = match ["INPUT.", "MCP."].into_iter().find_map(|group| name.strip_prefix(group)) {
        Some(path) => path.split('.').all(is_word),
        None => is_word(["ENV.", "MODEL."].into_iter().find_map(|group| name.strip_prefix(group)).unwrap_or(name)),
    };
    (good || is_column).then(|| (TemplatePart::Variable { name: name.to_owned(), filter, default }, inside.len() + 1))
}

/// JSON data of a plan, such as an agent's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    value: Value,
    /// Whether every string in it is a template and at least one contains a variable.
    templated: bool,
}

impl Data {
    /// A literal string.
    pub fn literal(value: &Value) -> Self {
        Self { value: value.clone(), templated: false }
    }

    /// Parses data whose strings may contain variables.
    pub fn parse(written: &Value) -> Self {
        if texts(written).into_iter().any(|text| matches!(Text::parse(text), Text::Template(_))) {
            return Self { value: written.clone(), templated: true };
        }
        let plain = map_text(written, &mut |text| Text::parse(text).fill(&|_| None));
        Self { value: plain.expect("no text has a variable"), templated: false }
    }

    /// The data, or `None` if it contains variables.
    pub fn as_literal(&self) -> Option<&Value> {
        (!self.templated).then_some(&self.value)
    }

    /// The data with its variables filled in.
    pub fn fill(&self, lookup: VariableLookup<'_>) -> Result<Value, UnsetVariableError> {
        if self.templated {
            map_text(&self.value, &mut |text| Text::parse(text).fill(lookup))
        } else {
            Ok(self.value.clone())
        }
    }

    /// The data with every string that is nothing but a column replaced by the value of the column, which keeps its
    /// type. Other variables are filled in later.
    pub(crate) fn fill_row(&self, lookup: ValueLookup<'_>) -> Result<Self, ColumnError> {
        let mut wrong = None;
        if !self.templated {
            return Ok(self.clone());
        }
        let value = map_strings(&self.value, &mut |text| {
            kept(whole_column(text, lookup)?, &mut wrong).map(|value| escaped(&value))
        });
        wrong.map_or(Ok(Self { value, templated: true }), Err)
    }

    /// The names of the variables in it.
    pub fn variables(&self) -> BTreeSet<String> {
        let texts = if self.templated { texts(&self.value) } else { Vec::new() };
        let names = |text: &str| Text::parse(text).variables().map(str::to_owned).collect::<Vec<_>>();
        texts.into_iter().flat_map(names).collect()
    }

    /// The data as the native dialect writes it.
    pub fn written(&self) -> Value {
        if self.templated {
            return self.value.clone();
        }
        let Ok(written) = map_text(&self.value, &mut |text| Ok::<_, Infallible>(escape(text)));
        written
    }
}

/// The strings in a value, except for keys.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// The value with some strings replaced.
fn map_strings(value: &Value, replace: &mut impl FnMut(&str) -> Option<Value>) -> Value {
    match value {
        Value::String(text) => replace(text).unwrap_or_else(|| value.clone()),
        Value::Array(items) => items.iter().map(|item| map_strings(item, replace)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), map_strings(value, replace))).collect())
        }
        other => other.clone(),
    }
}

fn map_text<E>(value: &Value, change: &mut impl FnMut(&str) -> Result<String, E>) -> Result<Value, E> {
    Ok(match value {
        Value::String(text) => Value::String(change(text)?),
        Value::Array(items) => Value::Array(items.iter().map(|item| map_text(item, change)).collect::<Result<_, _>>()?),
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, value)| Ok((key.clone(), map_text(value, change)?))).collect::<Result<_, E>>()?,
        ),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "a lookup may miss")]
    fn lookup(name: &str) -> Option<String> {
        Some(format!("<{name}>"))
    }

    #[test]
    fn fills_variables_and_keeps_other_text() {
        for (written, filled) in [
            ("a ${B} c", "a <B> c"),
            ("${ENV.HOME}/x", "<ENV.HOME>/x"),
            ("${MODEL.url}/x", "<MODEL.url>/x"),
            ("$${B}", "${B}"),
            ("$$${B}", "$${B}"),
            ("${a-b} ${} ${x", "${a-b} ${} ${x"),
            ("$5 and }", "$5 and }"),
            ("${INPUT.a.b_2} ${INPUT.} ${INPUT.a..b} ${OTHER.a}", "<INPUT.a.b_2> ${INPUT.} ${INPUT.a..b} ${OTHER.a}"),
            ("${B|escape} ${a.b|escape}", "\\<B\\> ${a.b|escape}"),
        ] {
            assert_eq!(Text::parse(written).fill(&lookup).unwrap(), filled, "{written}");
        }
    }

    #[test]
    fn default_replaces_unset_or_empty_variable() {
        let none = |_: &str| None;
        assert_eq!(Text::parse("${A:-x}").fill(&none).unwrap(), "x");
        assert_eq!(Text::parse("${A:-}").fill(&none).unwrap(), "");
        assert_eq!(Text::parse("${A}").fill(&none), Err(UnsetVariableError("A".into())));
        let empty = |_: &str| Some(String::new());
        assert_eq!(Text::parse("${A:-x}").fill(&empty).unwrap(), "x");
        assert_eq!(Text::parse("${A|escape:-x}").fill(&empty).unwrap(), "x");
        assert_eq!(Text::parse("[${A}]").fill(&empty).unwrap(), "[]");
    }

    #[test]
    fn reports_used_variables() {
        let text = Text::parse("http://${HOST}:${PORT:-80}/$${PATH}");
        assert_eq!(["HOST", "PORT", "PATH", "POR"].map(|name| text.uses(name)), [true, true, false, false]);
    }

    #[test]
    fn written_form_round_trips() {
        for text in
            [Text::Literal("${A} $${B} $".into()), Text::parse("x ${A:-y} ${ENV.B} $${C} ${D|escape:-.} ${E|escape}")]
        {
            assert_eq!(Text::parse(&text.written()), text);
        }
    }

    #[test]
    fn data_is_a_template_only_with_a_variable() {
        let plain = Data::parse(&serde_json::json!({"a": ["$${X}", 1]}));
        assert_eq!(plain, Data::literal(&serde_json::json!({"a": ["${X}", 1]})));
        assert_eq!(Data::parse(&plain.written()), plain);
        let template = Data::parse(&serde_json::json!({"a": "${X}", "b": "$${X}"}));
        assert_eq!(template.fill(&lookup).unwrap(), serde_json::json!({"a": "<X>", "b": "${X}"}));
        let nested = Data::parse(&serde_json::json!({"a": ["${X} ${Y:-1} $${Z}"], "b": "${INPUT.c}"}));
        assert_eq!(nested.variables().into_iter().collect::<Vec<_>>(), ["INPUT.c", "X", "Y"]);
    }
}
