//! Keeps the ids of a suite's cases unique.

use std::collections::{HashMap, HashSet};

use agentci_source::{Diagnostics, Name, Node, Reading, Sources, Span, Spanned};
use serde_json::Value;

/// The ids in use, and where each was first used.
#[derive(Default)]
pub(crate) struct TakenIds {
    taken: HashMap<Name, Span>,
    /// Names in the files, which are never generated for other cases.
    written: HashSet<Name>,
}

impl TakenIds {
    /// Claims the id of a case; a duplicate is an error that names both locations.
    pub(crate) fn claim(&mut self, id: &Spanned<Name>, sources: &Sources, problems: &mut Diagnostics) {
        let Some(first) = self.taken.get(id.value.as_str()) else {
            self.taken.insert(id.value.clone(), id.span);
            return;
        };
        let message = format!("the case id `{}` is used twice", id.value.escape_debug());
        let help = "give each case of a suite a unique id";
        problems.error(id.span, message, first_used(*first, id.span, sources)).help(help);
    }

    /// Where an id was first used.
    pub(crate) fn place(&self, id: &str) -> Option<Span> {
        self.taken.get(id).copied()
    }

    /// Reserves names, so that they are not generated for other cases.
    pub(crate) fn reserve(&mut self, names: impl IntoIterator<Item = Name>) {
        self.written.extend(names);
    }

    /// Claims the name of a test. A duplicate is a warning, and the test gets another name that includes its file name,
    /// so that the results stay separate.
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
            format!("give each test of a project a unique name; until then this one is called `{}`", id.escape_debug());
        problems.warning(name.span, message, first_used(first, name.span, sources)).help(help);
        id
    }

    /// Generates an id for a case without one: `wish`, with a number appended if it is in use.
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

/// The id under `key`, if it is readable; reports nothing.
pub(crate) fn readable(case: &Node, key: &str) -> Option<Spanned<Name>> {
    let node = case.get(key)?;
    match node.scalar()?.value(Reading::Core)? {
        Value::String(id) if !id.trim().is_empty() => Some(Spanned::new(id.into(), node.span)),
        _ => None,
    }
}
