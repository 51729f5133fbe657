//! Reads scalars, lists and mappings, each with the function for its type.

use std::time::Duration;

use serde_json::Value;

use crate::{Diagnostic, Diagnostics, Node, Pair, Reading, Spanned, did_you_mean, parse_duration};

/// Names as a message lists them: quoted, separated by commas.
pub fn quoted_list<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn wrong(node: &Node, name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(node.span, format!("`{name}` must be {wanted}, found {}", node.describe()))
        .label(format!("expected {wanted}"))
}

/// The value that was found; reports the problem if there is none.
fn or_report<T>(found: Option<T>, problems: &mut Diagnostics, problem: impl FnOnce() -> Diagnostic) -> Option<T> {
    if found.is_none() {
        problems.push(problem());
    }
    found
}

/// A string. Numbers and booleans are rejected unless they were inserted: an id that looks like a number must be quoted.
pub fn text(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<String> {
    text_of(node, format_args!("`{name}`"), problems)
}

fn text_of(node: &Node, what: std::fmt::Arguments<'_>, problems: &mut Diagnostics) -> Option<String> {
    let inserted = node.scalar().filter(|scalar| scalar.inserted && !scalar.is_null());
    let text = node.as_text().or_else(|| inserted.map(|scalar| scalar.text.to_string()));
    or_report(text, problems, || {
        let message = format!("{what} must be a string, found {}", node.describe());
        let written = node.scalar().filter(|scalar| !scalar.is_null());
        let help = written.map(|scalar| format!("put it in quotes: \"{}\"", scalar.text));
        Diagnostic { help, ..Diagnostic::error(node.span, message).label("expected a string") }
    })
}

/// A string that is not blank, with its place.
pub fn name(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let text = text(node, name, problems)?;
    if text.trim().is_empty() {
        problems.error(node.span, format!("`{name}` must not be empty"), "a name is missing here");
        return None;
    }
    Some(Spanned::new(text, node.span))
}

/// A boolean; the field is known to be one, so YAML 1.1's `yes`, `no`, `on` and `off` are accepted.
pub fn truth(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<bool> {
    let truth = node.scalar().and_then(crate::Scalar::truth);
    or_report(truth, problems, || wrong(node, name, "a boolean"))
}

/// The argument of a check without arguments: nothing, or `true`.
pub fn asked(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<()> {
    let asked = node.is_null() || node.scalar().and_then(crate::Scalar::truth) == Some(true);
    or_report(asked.then_some(()), problems, || {
        let diagnostic = Diagnostic::error(node.span, format!("`{name}` takes no argument, found {}", node.describe()));
        diagnostic.label("not needed").help(format!("write `- {name}`, or `- not: {name}`"))
    })
}

pub fn integer(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<i64> {
    let integer = node.scalar().and_then(|scalar| scalar.value(Reading::Core)?.as_i64());
    or_report(integer, problems, || wrong(node, name, "an integer"))
}

/// An integer of at least `least`.
pub fn count(node: &Node, name: &str, least: u32, problems: &mut Diagnostics) -> Option<u32> {
    let integer = integer(node, name, problems)?;
    let count = u32::try_from(integer).ok().filter(|count| *count >= least);
    or_report(count, problems, || {
        Diagnostic::error(node.span, format!("`{name}` must be {least} or more, found {integer}"))
            .label(format!("at least {least}"))
    })
}

pub fn number(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let number = node.scalar().and_then(|scalar| scalar.value(Reading::Core)?.as_f64());
    or_report(number, problems, || wrong(node, name, "a number"))
}

/// A duration with a unit.
pub fn duration(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let duration =
        node.scalar().filter(|scalar| !scalar.is_null()).and_then(|scalar| parse_duration(&scalar.text).ok());
    or_report(duration, problems, || {
        wrong(node, name, "a duration").help("write a number and a unit: `300ms`, `20s`, `1m30s`")
    })
}

/// A list; its items are not read.
pub fn list<'n>(node: &'n Node, name: &str, problems: &mut Diagnostics) -> Option<&'n [Node]> {
    or_report(node.items(), problems, || wrong(node, name, "a list").help(as_list(node)))
}

/// The help text that shows the value as a list.
fn as_list(node: &Node) -> String {
    match node.scalar().map(|scalar| scalar.text.split_whitespace().collect::<Vec<_>>()) {
        Some(words) if (1..=8).contains(&words.len()) => format!("write it as a list: `[{}]`", words.join(", ")),
        _ => "start each item with `- ` on its own line".into(),
    }
}

/// Reads each item of a list; an invalid one does not discard the others.
pub fn each<T>(
    node: &Node,
    name: &str,
    problems: &mut Diagnostics,
    mut read: impl FnMut(&Node, &mut Diagnostics) -> Option<T>,
) -> Vec<T> {
    let items = list(node, name, problems).unwrap_or_default();
    items.iter().filter_map(|item| read(item, problems)).collect()
}

/// The pairs of a mapping with arbitrary keys. For messages, `what` names the mapping and `lines` its expected lines.
pub fn pairs<'n>(node: &'n Node, what: &str, lines: &str, problems: &mut Diagnostics) -> &'n [Pair] {
    node.pairs().unwrap_or_else(|| {
        problems.mismatch(node, format_args!("{what} must be a mapping"), format!("expected {lines} lines"));
        &[]
    })
}

/// A list of strings, each with its place; an invalid one does not discard the others.
pub fn texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    let items = list(node, name, problems)?;
    let text = |item: &Node| {
        let text = text_of(item, format_args!("an item of `{name}`"), problems)?;
        Some(Spanned::new(text, item.span))
    };
    Some(items.iter().filter_map(text).collect())
}

/// A string or a list of strings.
pub fn one_or_more_texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    if node.items().is_some() {
        return texts(node, name, problems);
    }
    if node.pairs().is_some() {
        problems.push(wrong(node, name, "a string or a list of strings"));
        return None;
    }
    Some(vec![Spanned::new(text(node, name, problems)?, node.span)])
}

/// Any data, as JSON.
pub fn data(node: &Node, name: &str, reading: Reading, problems: &mut Diagnostics) -> Option<Value> {
    let wrong = |span| {
        let help = "put it in quotes to make it a string";
        problems
            .error(span, format!("`{name}` contains a number that JSON cannot represent"), "infinite, or not a number")
            .help(help);
    };
    node.value(reading).map_err(wrong).ok()
}

/// Data that must be a mapping, as JSON.
pub fn object(node: &Node, name: &str, reading: Reading, problems: &mut Diagnostics) -> Option<Value> {
    or_report(node.pairs(), problems, || wrong(node, name, "a mapping"))?;
    data(node, name, reading, problems)
}

/// One of several words.
pub fn choice<T: Copy>(node: &Node, name: &str, choices: &[(&str, T)], problems: &mut Diagnostics) -> Option<T> {
    let word = node.scalar().map(|scalar| &*scalar.text);
    let found = choices.iter().find(|(choice, _)| Some(*choice) == word).map(|(_, value)| *value);
    or_report(found, problems, || {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let meant = word.and_then(|word| did_you_mean(word, words.iter().copied()));
        let help = meant.map(|meant| format!("did you mean `{meant}`?"));
        let diagnostic = wrong(node, name, &format!("one of {}", quoted_list(&words))).label("unknown value");
        Diagnostic { help, ..diagnostic }
    })
}
