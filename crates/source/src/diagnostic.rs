//! Diagnostics: what is wrong with a suite, where, and how to fix it.

use std::fmt::Display;

use crate::{Node, Sources, Span, source::Place};

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The suite or the case cannot run.
    Error,
    /// It can run, but probably does not do what was intended.
    Warning,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The severity of a problem.
    pub severity: Severity,
    /// What is wrong: one sentence in lower case.
    pub message: String,
    /// The place of the problem.
    pub span: Span,
    /// A short phrase next to the marked text.
    pub label: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A problem that keeps the suite or case from running.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span, label: String::new(), help: None }
    }

    /// A problem that does not keep the suite or case from running.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Sets the phrase next to the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place, usable without the sources.
    pub fn place(&self, sources: &Sources) -> Place {
        sources.place(self.span)
    }
}

/// A problem that was just added to a list.
pub struct AddedProblem<'d>(&'d mut Diagnostic);

impl AddedProblem<'_> {
    /// Sets the help text.
    pub fn help(self, help: impl Into<String>) {
        self.0.help = Some(help.into());
    }
}

/// All problems found so far, in the order they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds an error, with a phrase next to the marked text.
    pub fn error(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) -> AddedProblem<'_> {
        self.add(Diagnostic::error(span, message).label(label))
    }

    /// Adds a warning, with a phrase next to the marked text.
    pub fn warning(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) -> AddedProblem<'_> {
        self.add(Diagnostic::warning(span, message).label(label))
    }

    /// Adds an error about a value of the wrong kind: the rule, followed by what was found.
    pub fn mismatch(&mut self, node: &Node, rule: impl Display, label: impl Into<String>) -> AddedProblem<'_> {
        self.error(node.span, format!("{rule}, found {}", node.describe()), label)
    }

    fn add(&mut self, diagnostic: Diagnostic) -> AddedProblem<'_> {
        self.list.push(diagnostic);
        AddedProblem(self.list.last_mut().expect("one was just added"))
    }

    /// Adds all problems of another list.
    pub fn append(&mut self, other: Diagnostics) {
        self.list.extend(other);
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// The number of problems with this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// All problems, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Sorts the problems by file and line.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|diagnostic| diagnostic.span);
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The candidate closest to a misspelled word, if one is close enough.
pub fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count().min(word.chars().count()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_similar_names() {
        let known = ["suite_name", "mode", "cases_path"];
        assert_eq!(did_you_mean("suit_name", known), Some("suite_name"));
        assert_eq!(did_you_mean("MODE", known), Some("mode"));
        assert_eq!(did_you_mean("timeout", known), None);
    }
}
