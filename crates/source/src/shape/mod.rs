//! The shape of a mapping, declared once: readers open mappings with it, and schemas for editors are generated from it.
//!
//! A [`Shape`] is next to the reader that uses it. The reader opens a mapping with [`Shape::open`] and reads its keys
//! one by one. In debug builds it panics if it reads a key that the shape does not declare, or finishes without having
//! read one that it does. So neither can change without the other.
//!
//! ```
//! # use agentci_source::{read, shape::{Kind, Shape, optional, required}, Diagnostics, Node, Sources, Span};
//! static SUITE: Shape = Shape::new("a suite", "Cases and what they share.", &[
//!     required("name", Kind::Name, "What reports call it."),
//!     optional("runs", Kind::Count(1), "How often each case is run."),
//! ]);
//! # let mut sources = Sources::default();
//! # let file = sources.add("x.yaml".as_ref(), "");
//! # let span = Span { file, line: 1, column: 1, width: 1 };
//! let node = Node::map(span, [("name", Node::text("refunds", span))]);
//! let mut problems = Diagnostics::default();
//! let mut fields = SUITE.open(&node, &mut problems).unwrap();
//! let name = fields.required("name", &mut problems).and_then(|node| read::text(node, "name", &mut problems));
//! let runs = fields.optional("runs");
//! fields.finish(&mut problems);
//! assert_eq!((name.as_deref(), runs), (Some("refunds"), None));
//! assert!(problems.is_empty());
//! ```

mod kind;

pub use kind::{CheckShape, Kind, Tagged, words};

/// A mapping: its keys, and the rules about them.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Its name in messages: `the case`, `` `world` ``.
    pub what: &'static str,
    /// What it is for, one sentence.
    pub about: &'static str,
    /// How keys that it does not declare are treated.
    pub unknown: UnknownKeys,
    /// Rules about several keys.
    pub rules: &'static [KeyRule],
    own: &'static [Field],
    shared: &'static [&'static [Field]],
}

/// A key of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub key: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether it may be omitted.
    pub need: Need,
    /// What it is for, one sentence.
    pub about: &'static str,
}

/// Whether a key may be omitted. A key that may be omitted may also have no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    /// It may be omitted.
    Optional,
    /// It may be omitted, but must have a value if it is written.
    Filled,
    /// It depends on other keys; rules say how, if they can.
    Depends,
}

/// How keys that a shape does not declare are treated.
#[derive(Debug, Clone, Copy)]
pub enum UnknownKeys {
    /// As errors.
    Refused,
    /// As warnings.
    Warned,
    /// They are ignored.
    Ignored,
    /// Keys that match this pattern are accepted, others are errors.
    Matching {
        /// A regular expression.
        pattern: &'static str,
        /// What such keys are for.
        about: &'static str,
    },
}

/// A rule about several keys of a mapping. A key without a value counts as absent, unless the rule says otherwise.
#[derive(Debug, Clone, Copy)]
pub enum KeyRule {
    /// Exactly one of them is present; a key that [`UnknownKeys::Matching`] accepts counts too.
    One(&'static [&'static str]),
    /// Exactly one of them is written, with or without a value.
    OneWritten(&'static [&'static str]),
    /// At least one of them is present.
    Some(&'static [&'static str]),
    /// At most one of them is present.
    NotBoth(&'static [&'static str]),
    /// The first, if written, needs the second.
    Needs(&'static str, &'static str),
    /// If the key has one of these words as its value, other keys are required or not allowed.
    When {
        key: &'static str,
        /// The words.
        is: &'static [&'static str],
        /// The keys that are then required.
        needs: &'static [&'static str],
        /// The keys that are then not allowed.
        excludes: &'static [&'static str],
    },
    /// There is exactly one key.
    OneKey,
}

pub const fn required(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Required, about }
}

/// A key that may be omitted.
pub const fn optional(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Optional, about }
}

/// A key that may be omitted, but must have a value if it is written.
pub const fn filled(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Filled, about }
}

/// A key whose presence depends on other keys.
pub const fn depends(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Depends, about }
}

impl Shape {
    /// A mapping with these keys and no others.
    pub const fn new(what: &'static str, about: &'static str, own: &'static [Field]) -> Self {
        Self { what, about, unknown: UnknownKeys::Refused, rules: &[], own, shared: &[] }
    }

    /// Adds keys that several mappings share.
    #[must_use]
    pub const fn with(self, shared: &'static [&'static [Field]]) -> Self {
        Self { shared, ..self }
    }

    /// Changes how keys that are not declared are treated.
    #[must_use]
    pub const fn unknown(self, unknown: UnknownKeys) -> Self {
        Self { unknown, ..self }
    }

    /// Sets the rules about several keys.
    #[must_use]
    pub const fn rules(self, rules: &'static [KeyRule]) -> Self {
        Self { rules, ..self }
    }

    /// The keys, in the order they are read.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.own.iter().chain(self.shared.iter().copied().flatten())
    }

    pub fn declares(&self, key: &str) -> bool {
        self.fields().any(|field| field.key == key)
    }

    /// The names of the keys.
    pub fn keys(&self) -> Vec<&'static str> {
        self.fields().map(|field| field.key).collect()
    }
}
