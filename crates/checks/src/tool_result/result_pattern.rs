//! The expected result.

use agentci_source::{Node, Reading, read};
use agentci_trace::same_value;
use serde_json::Value;

use crate::compiler::Compiler;
use crate::output::{json_in, structured};
use crate::pattern::PlacedPattern;
use crate::python::literal;
use crate::spelling::compact;

/// The expected form of a result, or of a part of it.
#[derive(Debug)]
pub(super) enum ResultPattern {
    Value(Value),
    Matching(PlacedPattern),
    List(Vec<ResultPattern>),
    Holding(Vec<(String, ResultPattern)>),
}

impl ResultPattern {
    pub(super) fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        if let Some(items) = node.items() {
            return items.iter().map(|item| Self::read(item, compiler)).collect::<Option<_>>().map(ResultPattern::List);
        }
        if let Some(pairs) = node.pairs() {
            let pairs = pairs.iter().map(|pair| Some((pair.key.text.to_string(), Self::read(&pair.value, compiler)?)));
            return pairs.collect::<Option<_>>().map(ResultPattern::Holding);
        }
        match read::data(node, "result", Reading::Core, &mut compiler.problems)? {
            Value::String(text) if text.starts_with("regex:") => {
                let pattern = text.split_at("regex:".len()).1.to_owned();
                PlacedPattern::compile(pattern, node.span, false, compiler).map(ResultPattern::Matching)
            }
            value => Some(ResultPattern::Value(value)),
        }
    }

    /// Whether it expects anything other than a string.
    pub(super) fn is_data(&self) -> bool {
        match self {
            ResultPattern::Value(value) => !value.is_string(),
            ResultPattern::Matching(_) => false,
            ResultPattern::List(_) | ResultPattern::Holding(_) => true,
        }
    }

    /// Whether a whole result matches.
    pub(super) fn fits(&self, result: &Value) -> bool {
        match self.read_from(result) {
            Some(read) => self.fits_value(&read),
            None => self.fits_value(result),
        }
    }

    /// The value that a text is parsed as, if data is expected.
    pub(super) fn read_from(&self, result: &Value) -> Option<Value> {
        let text = result.as_str().filter(|_| self.is_data())?;
        json_in(text).or_else(|| literal(text))
    }

    pub(super) fn fits_value(&self, found: &Value) -> bool {
        match self {
            ResultPattern::Value(value) => same_value(value, found),
            ResultPattern::Matching(pattern) => pattern.is_in(&compact(found)),
            ResultPattern::List(wanted) => structured(found).is_some_and(|(found, _)| {
                found.as_array().is_some_and(|found| {
                    let mut pairs = wanted.iter().zip(found);
                    found.len() == wanted.len() && pairs.all(|(wanted, found)| wanted.fits_value(found))
                })
            }),
            ResultPattern::Holding(wanted) => structured(found).is_some_and(|(found, _)| {
                wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| wanted.fits_value(found)))
            }),
        }
    }
}
