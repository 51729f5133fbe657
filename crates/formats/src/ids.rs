//! The ids of a suite's cases: each stands once.

use std::collections::{HashMap, HashSet};

use agentci_source::{Diagnostics, Name, Node, Reading, Sources, Span, Spanned};
use serde_json::Value;

/// The ids that are taken, and where.
#[derive(Default)]
pub(crate) struct TakenIds {
    taken: HashMap<Name, Span>,
    /// Names that were written somewhere, which no other is given.
    written: HashSet<Name>,
}

impl TakenIds {
    /// Takes an id that a case was given; one that is taken already is an error naming both places.
    pub(crate) fn claim(&mut self, id: &Spanned<Name>, sources: &Sources, problems: &mut Diagnostics) {
        let Some(first) = self.taken.get(id.value.as_str()) else {
            self.taken.insert(id.value.clone(), id.span);
            return;
        };
        let message = format!("the case id `{}` is used twice", id.value.escape_debug());
        let help = "give each case of a suite an id of its own";
        problems.error(id.span, message, first_used(*first, id.span, sources)).help(help);
    }

    /// Keeps names that will be taken from being given to others.
    pub(crate) fn reserve(&mut self, names: impl IntoIterator<Item = Name>) {
        self.written.extend(names);
    }

    /// Takes the name of a test. For one that is taken already there is a warning, and another name, made with that of its file,
    /// so that their results are kept apart.
    pub(crate) fn tell_apart(
        &mut self,
        name: &Spanned<Name>,
        file: &str,
        sources: &Sources,
        problems: &mut Diagnostics,
    ) -> Name {
        let Some(first) = self.taken.get(name.value.as_str()).copied() else {
            self.taken.insert(name.value.clone(), name.span);
            return name.value.clone();
        };
        let id = self.free(&format!("{} ({file})", name.value), name.span);
        let message = format!("two tests are called `{}`", name.value.escape_debug());
        let help =
            format!("give each test of a project a name of its own; until then this one is `{}`", id.escape_debug());
        problems.warning(name.span, message, first_used(first, name.span, sources)).help(help);
        id
    }

    /// Takes an id for a case that has none: the wish, or the wish with a number after it.
    pub(crate) fn free(&mut self, wish: &str, span: Span) -> Name {
        let mut id = Name::from(wish);
        let mut number = 1_u32;
        while self.taken.contains_key(id.as_str()) || self.written.contains(id.as_str()) {
            number += 1;
            id = format!("{wish}-{number}").into();
        }
        self.taken.insert(id.clone(), span);
        id
    }
}

pub(crate) fn first_used(first: Span, again: Span, sources: &Sources) -> String {
    if first.file == again.file {
        format!("first used at line {}", first.line)
    } else {
        format!("first used in `{}` at line {}", sources.path(first.file).display(), first.line)
    }
}

/// The id of a case that is otherwise wrong, if it can be made out under its key, without complaint.
pub(crate) fn readable(case: &Node, key: &str) -> Option<Spanned<Name>> {
    let node = case.get(key)?;
    match node.scalar()?.value(Reading::Core)? {
        Value::String(id) if !id.trim().is_empty() => Some(Spanned::new(id.into(), node.span)),
        _ => None,
    }
}
