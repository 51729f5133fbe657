//! Data with positions: the contents of a YAML or JSON file before they get types.

use serde_json::{Map, Value};

use crate::{Name, Reading, Scalar, Span};

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its place.
    pub span: Span,
    pub content: Content,
}

/// The content of a node. The tree of a file may have a million nodes, so each is as small as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A scalar: a string, a number, a boolean or null.
    Scalar(Scalar),
    List(Box<[Node]>),
    /// A mapping, in the order it was written, without duplicate keys.
    Map(Box<[Pair]>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub key: Key,
    pub value: Node,
}

/// A key and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key's text.
    pub text: Name,
    /// Its place.
    pub span: Span,
}

impl Node {
    /// A string.
    pub fn text(text: impl Into<String>, span: Span) -> Self {
        Self { span, content: Content::Scalar(Scalar::quoted(text)) }
    }

    /// A mapping with keys that the lowering made, all at the place of the mapping.
    pub fn map<'k>(span: Span, pairs: impl IntoIterator<Item = (&'k str, Node)>) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| Pair { key: Key { text: key.into(), span }, value });
        Self { span, content: Content::Map(pairs.collect()) }
    }

    /// A list.
    pub fn list(span: Span, items: Vec<Node>) -> Self {
        Self { span, content: Content::List(items.into()) }
    }

    /// A node for a JSON value, with all parts at the same place.
    pub fn from_value(value: &Value, span: Span) -> Self {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                Self { span, content: Content::Scalar(Scalar::plain(value.to_string())) }
            }
            Value::String(text) => Node::text(text.as_str(), span),
            Value::Array(items) => Node::list(span, items.iter().map(|item| Node::from_value(item, span)).collect()),
            Value::Object(map) => {
                Node::map(span, map.iter().map(|(key, value)| (key.as_str(), Node::from_value(value, span))))
            }
        }
    }

    /// The scalar, if the node is one.
    pub fn scalar(&self) -> Option<&Scalar> {
        if let Content::Scalar(scalar) = &self.content { Some(scalar) } else { None }
    }

    /// The string, if the node is one; an unquoted scalar may have another type.
    pub fn as_text(&self) -> Option<String> {
        match self.scalar()?.value(Reading::Core)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if the node is a list.
    pub fn items(&self) -> Option<&[Node]> {
        if let Content::List(items) = &self.content { Some(items) } else { None }
    }

    /// The pairs, if the node is a mapping.
    pub fn pairs(&self) -> Option<&[Pair]> {
        if let Content::Map(pairs) = &self.content { Some(pairs) } else { None }
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.pairs()?.iter().find(|pair| pair.key.text == key).map(|pair| &pair.value)
    }

    /// A copy of a mapping without some keys.
    #[must_use]
    pub fn without(&self, keys: &[&str]) -> Self {
        let kept = |pair: &&Pair| !keys.contains(&pair.key.text.as_str());
        let pairs = self.pairs().unwrap_or_default().iter().filter(kept).cloned().collect();
        Self { span: self.span, content: Content::Map(pairs) }
    }

    /// The items of the list under a key of a mapping; empty if there is no such list.
    pub fn into_items_of(self, key: &str) -> Vec<Node> {
        let Content::Map(pairs) = self.content else { return Vec::new() };
        match pairs.into_iter().find(|pair| pair.key.text == key).map(|pair| pair.value.content) {
            Some(Content::List(items)) => items.into_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// The JSON value; the error is the span of a value that JSON cannot represent.
    pub fn value(&self, reading: Reading) -> Result<Value, Span> {
        match &self.content {
            Content::Scalar(scalar) => scalar.value(reading).ok_or(self.span),
            Content::List(items) => {
                items.iter().map(|item| item.value(reading)).collect::<Result<_, _>>().map(Value::Array)
            }
            Content::Map(pairs) => {
                let mut map = Map::with_capacity(pairs.len());
                for pair in pairs {
                    map.insert(pair.key.text.to_string(), pair.value.value(reading)?);
                }
                Ok(Value::Object(map))
            }
        }
    }

    /// A description for messages.
    pub fn describe(&self) -> String {
        match &self.content {
            Content::List(_) => "a list".into(),
            Content::Map(_) => "a mapping".into(),
            Content::Scalar(scalar) => match scalar.value(Reading::Core) {
                Some(Value::Null) => "nothing".into(),
                Some(Value::Bool(truth)) => format!("the boolean {truth}"),
                Some(Value::Number(_)) => format!("the number {}", scalar.text),
                _ => {
                    let short: String = scalar.text.chars().take(40).collect();
                    format!("the string `{}`", short.escape_debug())
                }
            },
        }
    }

    /// The data in one line for a report, at most `most` characters: `name: refund_order, args: {amount: 20}`. Strings
    /// are quoted only where the line would be ambiguous otherwise.
    pub fn summary(&self, most: usize) -> String {
        let mut line = String::new();
        match &self.content {
            Content::Scalar(scalar) => line.push_str(&scalar.text),
            Content::List(items) => summarize_items(items, most, &mut line),
            Content::Map(pairs) => summarize_pairs(pairs, most, &mut line),
        }
        if let Some((end, _)) = line.char_indices().nth(most) {
            line.truncate(end);
            line.push('…');
        }
        line
    }

    /// The same data with some strings replaced by other data; `replace` gets each string and its place.
    #[must_use]
    pub fn map_strings(&self, replace: &mut impl FnMut(&str, Span) -> Option<Node>) -> Node {
        let content = match &self.content {
            Content::Scalar(scalar) => {
                let replaced = match scalar.value(Reading::Core) {
                    Some(Value::String(text)) => replace(&text, self.span),
                    _ => None,
                };
                return replaced.unwrap_or_else(|| self.clone());
            }
            Content::List(items) => Content::List(items.iter().map(|item| item.map_strings(replace)).collect()),
            Content::Map(pairs) => {
                let pair = |pair: &Pair| Pair { key: pair.key.clone(), value: pair.value.map_strings(&mut *replace) };
                Content::Map(pairs.iter().map(pair).collect())
            }
        };
        Node { span: self.span, content }
    }

    /// The same data with `change` applied to every string; keys and plain numbers stay the same.
    pub fn try_map_text<E>(&self, change: &mut impl FnMut(&str) -> Result<String, E>) -> Result<Node, E> {
        let content = match &self.content {
            Content::Scalar(scalar) => match scalar.value(Reading::Core) {
                Some(Value::String(text)) => Content::Scalar(Scalar::quoted(change(&text)?)),
                _ => self.content.clone(),
            },
            Content::List(items) => {
                Content::List(items.iter().map(|item| item.try_map_text(change)).collect::<Result<_, _>>()?)
            }
            Content::Map(pairs) => Content::Map(
                pairs
                    .iter()
                    .map(|pair| Ok(Pair { key: pair.key.clone(), value: pair.value.try_map_text(change)? }))
                    .collect::<Result<_, E>>()?,
            ),
        };
        Ok(Node { span: self.span, content })
    }
}

/// Appends a nested value; stops early once the line certainly has more than `most` characters.
fn summarize(node: &Node, most: usize, line: &mut String) {
    match &node.content {
        Content::Scalar(scalar) if scalar.text.is_empty() && scalar.quoted => line.push_str("\"\""),
        Content::Scalar(scalar) if scalar.text.contains([',', ':', '{', '}', '[', ']', '"']) => {
            line.push_str(&Value::from(&*scalar.text).to_string());
        }
        Content::Scalar(scalar) => line.push_str(&scalar.text),
        Content::List(items) => {
            line.push('[');
            summarize_items(items, most, line);
            line.push(']');
        }
        Content::Map(pairs) => {
            line.push('{');
            summarize_pairs(pairs, most, line);
            line.push('}');
        }
    }
}

fn summarize_items(items: &[Node], most: usize, line: &mut String) {
    for (at, item) in items.iter().enumerate() {
        if line.len() > most * 4 {
            break;
        }
        line.push_str(if at > 0 { ", " } else { "" });
        summarize(item, most, line);
    }
}

fn summarize_pairs(pairs: &[Pair], most: usize, line: &mut String) {
    for (at, pair) in pairs.iter().enumerate() {
        if line.len() > most * 4 {
            break;
        }
        line.push_str(if at > 0 { ", " } else { "" });
        line.push_str(&pair.key.text);
        line.push_str(": ");
        summarize(&pair.value, most, line);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Sources;

    #[test]
    fn summary_is_short_single_line() {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let shown = |value: Value, most| Node::from_value(&value, span).summary(most);
        let call = serde_json::json!({"name": "refund", "args": {"amount": 20, "note": "a, b"}, "tags": ["x", ""]});
        assert_eq!(shown(call.clone(), 200), r#"name: refund, args: {amount: 20, note: "a, b"}, tags: [x, ""]"#);
        assert_eq!(shown("reset: button".into(), 200), "reset: button");
        assert_eq!(shown(call, 10), "name: refu…");
        assert_eq!(shown(vec!["äöü"; 100_000].into(), 5), "äöü, …");
    }
}
