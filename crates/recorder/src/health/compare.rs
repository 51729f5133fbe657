//! Compares shapes: what is gone, what is new, and what has another type.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agentci_text::{ValueType, excerpt, one_line};
use serde_json::Value;

use super::optional_values::{SOMETIMES, is_known_kind};
use super::shape::{ObjectKeys, ObservedShape};

/// Maximum number of characters of a path in a message.
const SHOWN: usize = 120;

/// A difference between the recorded and the current shape of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeChange {
    /// The status is of another class.
    Status {
        /// The recorded status.
        was: u16,
        /// The current status.
        now: u16,
    },
    /// The content type changed.
    ContentType {
        /// The recorded content type.
        was: String,
        /// The current content type.
        now: String,
    },
    /// The answer was JSON, or events with JSON, and no longer is.
    NotJson,
    /// A key that was always present is gone: a JSON pointer in which `*` stands for any index.
    Gone(String),
    /// A key is present that never was.
    New(String),
    /// A value has another type.
    Type {
        /// Its JSON pointer.
        at: String,
        /// The recorded types.
        was: String,
        /// The current types.
        now: String,
    },
    /// There is a new kind of event, or of object with a `type`.
    NewKind {
        /// The JSON pointer of the objects; empty for events.
        at: String,
        /// The new kind.
        kind: String,
    },
    /// A kind is gone, and another one is new.
    GoneKind {
        /// The JSON pointer of the objects; empty for events.
        at: String,
        /// The kind that is gone.
        kind: String,
    },
}

impl fmt::Display for ShapeChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |text: &str| one_line(&excerpt(text, SHOWN)).into_owned();
        let place = |at: &str| if at.is_empty() { "events of".to_owned() } else { format!("{} of", cut(at)) };
        let root = |at: &str| if at.is_empty() { "the answer".to_owned() } else { cut(at) };
        match self {
            ShapeChange::Status { was, now } => write!(out, "the status is {now}, was {was}"),
            ShapeChange::ContentType { was, now } => {
                write!(out, "the content type is `{}`, was `{}`", cut(now), cut(was))
            }
            ShapeChange::NotJson => write!(out, "the answer is no longer JSON"),
            ShapeChange::Gone(at) => write!(out, "{} is gone", cut(at)),
            ShapeChange::New(at) => write!(out, "{} is new", cut(at)),
            ShapeChange::Type { at, was, now } => write!(out, "{} is {now}, was {was}", root(at)),
            ShapeChange::NewKind { at, kind } => write!(out, "{} type `{}` are new", place(at), cut(kind)),
            ShapeChange::GoneKind { at, kind } => write!(out, "{} type `{}` are gone", place(at), cut(kind)),
        }
    }
}

/// The shapes of an answer, by the kind of event.
pub(super) type Shapes = BTreeMap<String, ObservedShape>;

/// Compares the recorded shapes with the current ones. Keys that are only in some of the recorded answers, or that
/// depend on what a model does, may be missing.
pub(super) fn compare(recorded: &Shapes, now: &Shapes, of_model: bool) -> Vec<ShapeChange> {
    let mut comparison = ShapeComparison { of_model, changes: Vec::new(), known: BTreeSet::new() };
    comparison.kinds("", recorded, now);
    for (kind, shape) in recorded {
        if let Some(now) = now.get(kind) {
            let at = if kind.is_empty() { String::new() } else { format!("{kind}: ") };
            comparison.shapes(&at, shape, now);
        }
    }
    comparison.changes
}

struct ShapeComparison {
    of_model: bool,
    changes: Vec<ShapeChange>,
    /// Changes that were already reported, for another event or another kind of object at the same place.
    known: BTreeSet<String>,
}

impl ShapeComparison {
    fn tell(&mut self, change: ShapeChange) {
        if self.known.insert(format!("{change:?}")) {
            self.changes.push(change);
        }
    }

    /// A kind that is only gone is not reported: a model did something else, or a server had less to report.
    fn kinds<S>(&mut self, at: &str, recorded: &BTreeMap<String, S>, now: &BTreeMap<String, S>) {
        let is_known = |kind: &str| kind.is_empty() || (self.of_model && is_known_kind(kind));
        let new: Vec<&String> = now.keys().filter(|kind| !recorded.contains_key(*kind) && !is_known(kind)).collect();
        if new.is_empty() {
            return;
        }
        for kind in recorded.keys().filter(|kind| !kind.is_empty() && !now.contains_key(*kind)) {
            self.tell(ShapeChange::GoneKind { at: at.to_owned(), kind: kind.clone() });
        }
        for kind in new {
            self.tell(ShapeChange::NewKind { at: at.to_owned(), kind: kind.clone() });
        }
    }

    fn shapes(&mut self, at: &str, recorded: &ObservedShape, now: &ObservedShape) {
        let concrete = |shape: &ObservedShape| -> BTreeSet<ValueType> {
            shape.types.iter().copied().filter(|kind| *kind != ValueType::of(&Value::Null)).collect()
        };
        let (was, is) = (concrete(recorded), concrete(now));
        // A value that was always null may become anything, and anything may become null.
        if !was.is_empty() && !is.is_subset(&was) {
            let names = |types: &BTreeSet<ValueType>| {
                types.iter().map(|kind| kind.described()).collect::<Vec<_>>().join(" or ")
            };
            self.tell(ShapeChange::Type { at: at.to_owned(), was: names(&was), now: names(&is) });
        }
        self.objects(at, recorded, now);
        if let (Some(recorded), Some(now)) = (&recorded.items, &now.items) {
            self.shapes(&format!("{at}/*"), recorded, now);
        }
    }

    fn objects(&mut self, at: &str, recorded: &ObservedShape, now: &ObservedShape) {
        let untyped = |shape: &ObservedShape| shape.objects.len() == 1 && shape.objects.contains_key("");
        let typed = |shape: &ObservedShape| !shape.objects.is_empty() && !shape.objects.contains_key("");
        match (recorded, now) {
            _ if untyped(recorded) && typed(now) => return self.tell(ShapeChange::New(format!("{at}/type"))),
            _ if typed(recorded) && untyped(now) => return self.tell(ShapeChange::Gone(format!("{at}/type"))),
            _ => self.kinds(at, &recorded.objects, &now.objects),
        }
        for (kind, keys) in &recorded.objects {
            if let Some(now) = now.objects.get(kind) {
                self.keys(at, keys, now, !kind.is_empty());
            }
        }
    }

    fn keys(&mut self, at: &str, recorded: &ObjectKeys, now: &ObjectKeys, is_typed: bool) {
        if let (Some(recorded), Some(now)) = (&recorded.by_id, &now.by_id) {
            self.shapes(&format!("{at}/*"), recorded, now);
        }
        // If the keys are ids on one side only, it is unknown which of them matter.
        if recorded.by_name.is_empty() && recorded.by_id.is_some() || now.by_name.is_empty() && now.by_id.is_some() {
            return;
        }
        let varies = |name: &str| self.of_model && SOMETIMES.contains(&name);
        let new: Vec<&String> =
            now.by_name.keys().filter(|name| !recorded.by_name.contains_key(*name) && !varies(name)).collect();
        // If a key is gone and another is new, the key may have been renamed.
        let may_go = |name: &str| varies(name) && !is_typed && new.is_empty();
        let gone: Vec<&String> = recorded
            .by_name
            .iter()
            .filter(|(name, (times, _))| {
                *times == recorded.objects && !now.by_name.contains_key(*name) && !may_go(name)
            })
            .map(|(name, _)| name)
            .collect();
        // The content of a piece of a stream is optional; as a new key it is not a change.
        let is_news = |name: &str| !(self.of_model && name == "content");
        let new: Vec<&String> = new.into_iter().filter(|name| is_news(name)).collect();
        for name in gone {
            self.tell(ShapeChange::Gone(below(at, name)));
        }
        for name in new {
            self.tell(ShapeChange::New(below(at, name)));
        }
        for (name, (_, shape)) in &recorded.by_name {
            if let Some((_, now)) = now.by_name.get(name) {
                self.shapes(&below(at, name), shape, now);
            }
        }
    }
}

/// The JSON pointer of a key.
fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}
