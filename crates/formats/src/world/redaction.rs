//! `redact: { keys: [patient_name], patterns: ['P-\d+'] }`

use agentci_plan::Redaction;
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, read};

use super::check_pattern;
use crate::printer::Printer;

/// What is removed.
pub(crate) static REDACTION: Shape = Shape::new(
    "`redact`",
    "What must not be stored or shown, beyond what looks like a secret.",
    &[
        optional("keys", Kind::OneOrMore(&Kind::Text), "Keys whose values are removed."),
        optional("patterns", Kind::OneOrMore(&Kind::Text), "Patterns whose matches are removed."),
    ],
);

pub(crate) fn read_redaction(node: &Node, problems: &mut Diagnostics) -> Redaction {
    let Some(mut fields) = REDACTION.open(node, problems) else { return Redaction::default() };
    let mut list = |key: &'static str| {
        let found = fields.optional(key).and_then(|node| read::one_or_more_texts(node, key, problems));
        found.unwrap_or_default()
    };
    let (keys, patterns) = (list("keys"), list("patterns"));
    fields.finish(problems);
    for written in &patterns {
        check_pattern(written, problems);
    }
    let values = |list: Vec<agentci_source::Spanned<String>>| list.into_iter().map(|text| text.value).collect();
    Redaction { keys: values(keys), patterns: values(patterns) }
}

impl Printer<'_> {
    pub(crate) fn redaction(&self, redaction: &Redaction) -> Option<Node> {
        self.filled_map([("keys", self.texts(&redaction.keys)), ("patterns", self.texts(&redaction.patterns))])
    }
}
