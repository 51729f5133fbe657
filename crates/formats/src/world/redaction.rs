//! `redact: { keys: [patient_name], patterns: ['P-\d+'] }`

use agentci_plan::Redaction;
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, read};

use super::check_pattern;
use crate::printer::Printer;

pub(crate) static REDACTION: Shape = Shape::new(
    "`redact`",
    "What to redact, in addition to what looks like a secret.",
    &[
        optional("keys", Kind::OneOrMore(&Kind::Text), "Keys whose values are removed."),
        optional("patterns", Kind::OneOrMore(&Kind::Text), "Patterns whose matches are removed."),
    ],
);

pub(crate) fn read_redaction(node: &Node, problems: &mut Diagnostics) -> Redaction {
    let Some(mut fields) = REDACTION.reader(node, problems) else { return Redaction::default() };
    let keys = fields.texts("keys");
    let patterns = fields.optional("patterns", read::one_or_more_texts).unwrap_or_default();
    fields.finish();
    for written in &patterns {
        check_pattern(written, problems);
    }
    Redaction { keys, patterns: patterns.into_iter().map(|pattern| pattern.value).collect() }
}

impl Printer<'_> {
    pub(crate) fn redaction(&self, redaction: &Redaction) -> Option<Node> {
        self.filled_map([("keys", self.texts(&redaction.keys)), ("patterns", self.texts(&redaction.patterns))])
    }
}
