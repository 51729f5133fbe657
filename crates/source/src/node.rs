//! Data with positions: what a YAML or JSON file says before anyone gives it a type.

use serde_json::{Map, Value};

use crate::{Name, Reading, Scalar, Span};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub content: Content,
}

/// What a node says. The tree of a file may have a million, so each takes as little room as it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// One word or text.
    Scalar(Scalar),
    /// A list.
    List(Box<[Node]>),
    /// A mapping, in the order it was written, no key twice.
    Map(Box<[Pair]>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Node,
}

/// A key and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key's text.
    pub text: Name,
    /// Where it stands.
    pub span: Span,
}

impl Node {
    /// A text.
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

    /// A node for a JSON value, every part of it at the same place.
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

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<&Scalar> {
        if let Content::Scalar(scalar) = &self.content { Some(scalar) } else { None }
    }

    /// The text, if it is one; what is not quoted may be something else.
    pub fn as_text(&self) -> Option<String> {
        match self.scalar()?.value(Reading::Core)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn items(&self) -> Option<&[Node]> {
        if let Content::List(items) = &self.content { Some(items) } else { None }
    }

    /// The pairs, if it is a mapping.
    pub fn pairs(&self) -> Option<&[Pair]> {
        if let Content::Map(pairs) = &self.content { Some(pairs) } else { None }
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.pairs()?.iter().find(|pair| pair.key.text == key).map(|pair| &pair.value)
    }

    /// The items of the list under a key of a mapping; nothing where there is no such list.
    pub fn into_items_of(self, key: &str) -> Vec<Node> {
        let Content::Map(pairs) = self.content else { return Vec::new() };
        match pairs.into_iter().find(|pair| pair.key.text == key).map(|pair| pair.value.content) {
            Some(Content::List(items)) => items.into_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether it says nothing.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// The JSON value; the error is the span of what JSON can not say.
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

    /// What it is, in words for a message.
    pub fn describe(&self) -> String {
        match &self.content {
            Content::List(_) => "a list".into(),
            Content::Map(_) => "a mapping".into(),
            Content::Scalar(scalar) => match scalar.value(Reading::Core) {
                Some(Value::Null) => "nothing".into(),
                Some(Value::Bool(truth)) => format!("the truth value {truth}"),
                Some(Value::Number(_)) => format!("the number {}", scalar.text),
                _ => {
                    let short: String = scalar.text.chars().take(40).collect();
                    format!("the text `{}`", short.escape_debug())
                }
            },
        }
    }

    /// The same data with every text passed through `change`; keys and plain numbers stay.
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
