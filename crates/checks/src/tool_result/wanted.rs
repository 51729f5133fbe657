//! What a result must be like.

use agentci_plan::{Node, Reading, read};
use serde_json::Value;

use crate::compiler::Compiler;
use crate::equality::same;
use crate::output::{json_in, structured};
use crate::pattern::Pattern;
use crate::python::literal;
use crate::spelling::compact;

/// What a result, or a part of it, must be like.
#[derive(Debug)]
pub(super) enum Wanted {
    Value(Value),
    Matching(Pattern),
    List(Vec<Wanted>),
    Holding(Vec<(String, Wanted)>),
}

impl Wanted {
    pub(super) fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        if let Some(items) = node.items() {
            return items.iter().map(|item| Self::read(item, compiler)).collect::<Option<_>>().map(Wanted::List);
        }
        if let Some(pairs) = node.pairs() {
            let pairs = pairs.iter().map(|pair| Some((pair.key.text.to_string(), Self::read(&pair.value, compiler)?)));
            return pairs.collect::<Option<_>>().map(Wanted::Holding);
        }
        match read::data(node, "result", Reading::Core, &mut compiler.problems)? {
            Value::String(text) if text.starts_with("regex:") => {
                let pattern = text.split_at("regex:".len()).1.to_owned();
                Pattern::compile(pattern, node.span, false, compiler).map(Wanted::Matching)
            }
            value => Some(Wanted::Value(value)),
        }
    }

    /// Whether it asks for anything but a text.
    pub(super) fn is_data(&self) -> bool {
        match self {
            Wanted::Value(value) => !value.is_string(),
            Wanted::Matching(_) => false,
            Wanted::List(_) | Wanted::Holding(_) => true,
        }
    }

    /// Whether a whole result is like this.
    pub(super) fn fits(&self, result: &Value) -> bool {
        match self.read_from(result) {
            Some(read) => self.fits_value(&read),
            None => self.fits_value(result),
        }
    }

    /// What a text is read as, where data is asked for.
    pub(super) fn read_from(&self, result: &Value) -> Option<Value> {
        let text = result.as_str().filter(|_| self.is_data())?;
        json_in(text).or_else(|| literal(text))
    }

    fn fits_value(&self, found: &Value) -> bool {
        match self {
            Wanted::Value(value) => same(value, found),
            Wanted::Matching(pattern) => pattern.is_in(&compact(found)),
            Wanted::List(wanted) => structured(found).is_some_and(|(found, _)| {
                found.as_array().is_some_and(|found| {
                    let mut pairs = wanted.iter().zip(found);
                    found.len() == wanted.len() && pairs.all(|(wanted, found)| wanted.fits_value(found))
                })
            }),
            Wanted::Holding(wanted) => structured(found).is_some_and(|(found, _)| {
                wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| wanted.fits_value(found)))
            }),
        }
    }

    /// Whether a text says this in other words: every value that can be looked for stands in it. An agent may put what its tool
    /// gave into a sentence before its model reads it.
    pub(super) fn is_said_in(&self, text: &str) -> Said {
        match self {
            Wanted::Value(Value::String(wanted)) if !wanted.is_empty() => Said::of(text.contains(wanted.as_str())),
            Wanted::Value(Value::Number(wanted)) => {
                Said::of(numbers(text).any(|number| same(&wanted.clone().into(), &number)))
            }
            Wanted::Value(_) => Said::Unknown,
            Wanted::Matching(pattern) => Said::of(pattern.is_in(text) || words(text).any(|word| pattern.is_in(word))),
            Wanted::List(wanted) => Said::all(wanted.iter(), text),
            Wanted::Holding(wanted) => Said::all(wanted.iter().map(|(_, wanted)| wanted), text),
        }
    }
}

/// Whether a text says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Said {
    No,
    /// There is nothing to look for, as in `true`.
    Unknown,
    Yes,
}

impl Said {
    fn of(is_said: bool) -> Self {
        if is_said { Said::Yes } else { Said::No }
    }

    fn all<'w>(wanted: impl Iterator<Item = &'w Wanted>, text: &str) -> Self {
        let mut all = Said::Unknown;
        for wanted in wanted {
            match wanted.is_said_in(text) {
                Said::No => return Said::No,
                Said::Unknown => {}
                Said::Yes => all = Said::Yes,
            }
        }
        all
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '-' | '_' | '.'))
        .filter(|word| !word.is_empty())
}

/// The numbers in a text: `20` and `1.5` in `20 EUR, 1.5 %.`
fn numbers(text: &str) -> impl Iterator<Item = Value> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '-' | '.'));
    let bare = runs.map(|run| run.trim_end_matches(['.', '-']).trim_start_matches('.'));
    bare.filter_map(|run| {
        let read = |run: &str| serde_json::from_str::<Value>(run).ok().filter(Value::is_number);
        read(run).or_else(|| read(run.trim_start_matches('-')))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_in_other_words() {
        let holding = |pairs: &[(&str, Value)]| {
            Wanted::Holding(
                pairs.iter().map(|(key, value)| ((*key).to_owned(), Wanted::Value(value.clone()))).collect(),
            )
        };
        let paid = holding(&[("order", json!("A-17")), ("refunded", json!(20))]);
        for (text, said) in [
            ("Refunded 20.00 EUR for A-17.", Said::Yes),
            ("A-17: 20.", Said::Yes),
            ("Refunded 200 EUR for A-17.", Said::No),
            ("Refunded 20 EUR.", Said::No),
            ("done", Said::No),
            ("", Said::No),
        ] {
            assert_eq!(paid.is_said_in(text), said, "{text}");
        }
        assert_eq!(holding(&[("balance", json!(-3))]).is_said_in("balance is -3."), Said::Yes);
        assert_eq!(holding(&[("balance", json!(3))]).is_said_in("balance is -3."), Said::No);
        assert_eq!(holding(&[("balance", json!(3))]).is_said_in("items 1-3"), Said::No);
        assert_eq!(holding(&[("paid", json!(true))]).is_said_in("paid"), Said::Unknown);
        assert_eq!(holding(&[("paid", json!(true)), ("id", json!("A"))]).is_said_in("order A is paid"), Said::Yes);
    }
}
