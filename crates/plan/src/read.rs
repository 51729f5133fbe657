//! Reading a mapping into plain fields: unknown keys refused with a suggestion, every problem reported, none fatal to the rest.
//!
//! ```
//! # use agentci_plan::{read, Diagnostics, Node, Sources, Span};
//! # let mut sources = Sources::default();
//! # let file = sources.add("x.yaml".as_ref(), "");
//! # let span = Span { file, line: 1, column: 1, width: 1 };
//! let node = Node::map(span, [("name", Node::text("refunds", span))]);
//! let mut problems = Diagnostics::default();
//! let mut fields = read::Fields::open(&node, "a suite", &mut problems).unwrap();
//! let name = fields.required("name", &mut problems).and_then(|node| read::text(node, "name", &mut problems));
//! fields.finish(&mut problems);
//! assert_eq!(name.as_deref(), Some("refunds"));
//! assert!(problems.is_empty());
//! ```

use std::time::Duration;

use serde_json::Value;

use crate::{Diagnostic, Diagnostics, Node, Pair, Reading, Severity, Span, Spanned, did_you_mean, parse_duration};

/// The keys of one mapping, taken one by one.
pub struct Fields<'n> {
    what: &'static str,
    span: Span,
    pairs: &'n [Pair],
    known: Vec<&'static str>,
    /// Keys that are missing, and the written key that may be meant for each.
    mistyped: Vec<(&'static str, &'n str)>,
}

impl<'n> Fields<'n> {
    /// Opens a mapping; anything else is reported as not being `what` (`a case`, `the suite`).
    pub fn open(node: &'n Node, what: &'static str, problems: &mut Diagnostics) -> Option<Self> {
        let Some(pairs) = node.pairs() else {
            problems.push(
                Diagnostic::error(node.span, format!("{what} must be a mapping, found {}", node.describe()))
                    .label("expected `key: value` lines"),
            );
            return None;
        };
        Some(Self { what, span: node.span, pairs, known: Vec::new(), mistyped: Vec::new() })
    }

    /// Where the mapping stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// A key that may be absent; nothing written after it counts as absent too.
    pub fn optional(&mut self, key: &'static str) -> Option<&'n Node> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.pairs.iter().find(|pair| pair.key.text == key).map(|pair| &pair.value).filter(|node| !node.is_null())
    }

    /// A key that must be there.
    pub fn required(&mut self, key: &'static str, problems: &mut Diagnostics) -> Option<&'n Node> {
        let found = self.optional(key);
        if found.is_none() {
            let written = self.pairs.iter().find(|pair| pair.key.text == key);
            let span = written.map_or(self.span, |pair| pair.key.span);
            // A written key that is close is told of as unknown, with this one as the suggestion: once is enough.
            let meant = self.pairs.iter().find(|pair| did_you_mean(&pair.key.text, [key]).is_some());
            match (written, meant) {
                (Some(_), _) => problems
                    .push(Diagnostic::error(span, format!("`{key}` has no value")).label("a value is missing here")),
                (None, Some(meant)) => self.mistyped.push((key, &meant.key.text)),
                (None, None) => problems.push(self.needs(key)),
            }
        }
        found
    }

    fn needs(&self, key: &str) -> Diagnostic {
        Diagnostic::error(self.span, format!("{} needs `{key}`", self.what)).help(format!("add `{key}:` to it"))
    }

    /// Where the key itself stands.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.pairs.iter().find(|pair| pair.key.text == key).map(|pair| pair.key.span)
    }

    /// Every pair that no one asked for, without complaint.
    pub fn rest(&self) -> impl Iterator<Item = &'n Pair> {
        self.pairs.iter().filter(|pair| !self.known.contains(&pair.key.text.as_str()))
    }

    /// Reports every key that no one asked for.
    pub fn finish(self, problems: &mut Diagnostics) {
        self.finish_as(Severity::Error, problems);
    }

    /// Reports every key that no one asked for, as this bad: some formats have always let such keys pass.
    pub fn finish_as(self, severity: Severity, problems: &mut Diagnostics) {
        for (key, written) in &self.mistyped {
            if severity == Severity::Warning || self.known.contains(written) {
                problems.push(self.needs(key));
            }
        }
        for pair in self.rest() {
            let message = format!("unknown key `{}` in {}", pair.key.text.escape_debug(), self.what);
            let diagnostic = Diagnostic::error(pair.key.span, message).label("not known here");
            let mut diagnostic = Diagnostic { severity, ..diagnostic };
            let used: Vec<&str> = self.pairs.iter().map(|pair| pair.key.text.as_str()).collect();
            let free = self.known.iter().copied().filter(|key| !used.contains(key));
            diagnostic = match did_you_mean(&pair.key.text, free) {
                Some(known) => diagnostic.help(format!("did you mean `{known}`?")),
                None => diagnostic.help(format!("known keys are {}", quoted_list(&self.known))),
            };
            problems.push(diagnostic);
        }
    }
}

/// Names as a message lists them.
pub fn quoted_list<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn wrong(node: &Node, name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::error(node.span, format!("`{name}` must be {wanted}, found {}", node.describe()))
        .label(format!("expected {wanted}"))
}

/// A text. Numbers and truth values are refused: an id that looks like a number must be quoted to be text.
pub fn text(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<String> {
    text_of(node, &format!("`{name}`"), problems)
}

fn text_of(node: &Node, what: &str, problems: &mut Diagnostics) -> Option<String> {
    let value = node.scalar().and_then(|scalar| scalar.value(Reading::Core));
    if let Some(Value::String(text)) = value {
        return Some(text);
    }
    let message = format!("{what} must be text, found {}", node.describe());
    let mut diagnostic = Diagnostic::error(node.span, message).label("expected text");
    if let Some(scalar) = node.scalar().filter(|scalar| !scalar.is_null()) {
        diagnostic = diagnostic.help(format!("put it in quotes: \"{}\"", scalar.text));
    }
    problems.push(diagnostic);
    None
}

/// A text that is not empty, with its place.
pub fn name(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let text = text(node, name, problems)?;
    if text.trim().is_empty() {
        problems
            .push(Diagnostic::error(node.span, format!("`{name}` must not be empty")).label("a name is missing here"));
        return None;
    }
    Some(Spanned::new(text, node.span))
}

/// A truth value; YAML 1.1's `yes`, `no`, `on` and `off` count, since the field is one.
pub fn truth(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<bool> {
    let truth = node.scalar().and_then(crate::Scalar::truth);
    if truth.is_none() {
        problems.push(wrong(node, name, "true or false"));
    }
    truth
}

/// The argument of something that is merely asked for: nothing, or `true`.
pub fn asked(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<()> {
    if node.is_null() {
        return Some(());
    }
    if node.scalar().and_then(crate::Scalar::truth) == Some(true) {
        return Some(());
    }
    let diagnostic = Diagnostic::error(node.span, format!("`{name}` takes no argument, found {}", node.describe()));
    problems.push(diagnostic.label("not needed").help(format!("write `- {name}`, or `- not: {name}`")));
    None
}

/// A whole number.
pub fn integer(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<i64> {
    let value = node.scalar().and_then(|scalar| scalar.value(Reading::Core));
    let integer = value.as_ref().and_then(Value::as_i64);
    if integer.is_none() {
        problems.push(wrong(node, name, "a whole number"));
    }
    integer
}

/// A whole number of at least `least`.
pub fn count(node: &Node, name: &str, least: u32, problems: &mut Diagnostics) -> Option<u32> {
    let integer = integer(node, name, problems)?;
    let count = u32::try_from(integer).ok().filter(|count| *count >= least);
    if count.is_none() {
        problems.push(
            Diagnostic::error(node.span, format!("`{name}` must be {least} or more, found {integer}"))
                .label(format!("at least {least}")),
        );
    }
    count
}

/// A number.
pub fn number(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let value = node.scalar().and_then(|scalar| scalar.value(Reading::Core));
    let number = value.as_ref().and_then(Value::as_f64);
    if number.is_none() {
        problems.push(wrong(node, name, "a number"));
    }
    number
}

/// A duration with a unit.
pub fn duration(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let duration =
        node.scalar().filter(|scalar| !scalar.is_null()).and_then(|scalar| parse_duration(&scalar.text).ok());
    if duration.is_none() {
        problems.push(wrong(node, name, "a duration").help("write a number and a unit: `300ms`, `20s`, `1m30s`"));
    }
    duration
}

/// A list; its items are not looked at.
pub fn list<'n>(node: &'n Node, name: &str, problems: &mut Diagnostics) -> Option<&'n [Node]> {
    let items = node.items();
    if items.is_none() {
        problems.push(wrong(node, name, "a list"));
    }
    items
}

/// A list of texts, each with its place; the good ones are kept when one is wrong.
pub fn texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    let items = list(node, name, problems)?;
    let part = format!("an item of `{name}`");
    Some(items.iter().filter_map(|item| Some(Spanned::new(text_of(item, &part, problems)?, item.span))).collect())
}

/// One text or a list of them.
pub fn one_or_more_texts(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<Spanned<String>>> {
    if node.items().is_some() {
        return texts(node, name, problems);
    }
    if node.pairs().is_some() {
        problems.push(wrong(node, name, "a text or a list of texts"));
        return None;
    }
    Some(vec![Spanned::new(text(node, name, problems)?, node.span)])
}

/// Any data, as JSON.
pub fn data(node: &Node, name: &str, reading: Reading, problems: &mut Diagnostics) -> Option<Value> {
    node.value(reading)
        .map_err(|span| {
            problems.push(
                Diagnostic::error(span, format!("`{name}` holds a number that JSON can not say"))
                    .label("infinite, or not a number")
                    .help("put it in quotes to make it text"),
            );
        })
        .ok()
}

/// Data that must be a mapping, as JSON.
pub fn object(node: &Node, name: &str, reading: Reading, problems: &mut Diagnostics) -> Option<Value> {
    if node.pairs().is_none() {
        problems.push(wrong(node, name, "a mapping"));
        return None;
    }
    data(node, name, reading, problems)
}

/// One word of a few.
pub fn choice<T: Copy>(node: &Node, name: &str, choices: &[(&str, T)], problems: &mut Diagnostics) -> Option<T> {
    let word = node.scalar().map(|scalar| scalar.text.as_str());
    let found = choices.iter().find(|(choice, _)| Some(*choice) == word).map(|(_, value)| *value);
    if found.is_none() {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let mut diagnostic = wrong(node, name, &format!("one of {}", quoted_list(&words)));
        diagnostic.label = "not one of them".into();
        if let Some(meant) = word.and_then(|word| did_you_mean(word, words.iter().copied())) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        problems.push(diagnostic);
    }
    found
}
