//! The ids of a suite's cases: each stands once.

use std::collections::HashMap;

use agentci_plan::{Diagnostic, Diagnostics, Name, Node, Reading, Sources, Span, Spanned};
use serde_json::Value;

/// The ids that are taken, and where.
#[derive(Default)]
pub(crate) struct Ids {
    taken: HashMap<Name, Span>,
}

impl Ids {
    /// Takes an id that a case was given; one that is taken already is an error naming both places.
    pub(crate) fn claim(&mut self, id: &Spanned<Name>, sources: &Sources, problems: &mut Diagnostics) {
        let Some(first) = self.taken.get(id.value.as_str()) else {
            self.taken.insert(id.value.clone(), id.span);
            return;
        };
        let label = if first.file == id.span.file {
            format!("first used at line {}", first.line)
        } else {
            format!("first used in `{}` at line {}", sources.path(first.file).display(), first.line)
        };
        problems.push(
            Diagnostic::error(id.span, format!("the case id `{}` is used twice", id.value.escape_debug()))
                .label(label)
                .help("give each case of a suite an id of its own"),
        );
    }

    /// Takes an id for a case that has none: the wish, or the wish with a number after it.
    pub(crate) fn free(&mut self, wish: &str, span: Span) -> Name {
        let mut id = Name::from(wish);
        let mut number = 1_u32;
        while self.taken.contains_key(id.as_str()) {
            number += 1;
            id = format!("{wish}-{number}").into();
        }
        self.taken.insert(id.clone(), span);
        id
    }
}

/// The id of a case that is otherwise wrong, if it can be made out, without complaint.
pub(crate) fn readable(case: &Node) -> Option<Spanned<Name>> {
    readable_under(case, "id")
}

/// The same, in a dialect that has another word for it.
pub(crate) fn readable_under(case: &Node, key: &str) -> Option<Spanned<Name>> {
    let node = case.get(key)?;
    match node.scalar()?.value(Reading::Core)? {
        Value::String(id) if !id.trim().is_empty() => Some(Spanned::new(id.into(), node.span)),
        _ => None,
    }
}
