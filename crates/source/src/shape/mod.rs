//! What a mapping of a suite may hold, declared once: readers open mappings with it, and schemas for editors are made of it.
//!
//! A [`Shape`] stands beside the reader that uses it. The reader opens a mapping with [`Shape::open`] and takes its keys one by
//! one; in debug builds it panics where it asks for a key that the shape does not declare, or finishes without having asked for
//! one that it does. So neither can be changed without the other.
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

/// A mapping: its keys, and what holds for them together.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What messages call it: `the case`, `` `world` ``.
    pub what: &'static str,
    /// What it is for, one sentence.
    pub about: &'static str,
    /// What becomes of keys that it does not declare.
    pub unknown: UnknownKeys,
    /// What holds for several keys together.
    pub rules: &'static [KeyRule],
    own: &'static [Field],
    shared: &'static [&'static [Field]],
}

/// A key of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What may stand below it.
    pub kind: Kind,
    /// Whether it may be left out.
    pub need: Need,
    /// What it is for, one sentence.
    pub about: &'static str,
}

/// Whether a key may be left out. One that may be, may also stand there with nothing after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It must be there.
    Required,
    /// It may be left out.
    Optional,
    /// It may be left out, and has a value once it is written.
    Filled,
    /// It depends on something else, which rules tell of if they can.
    Depends,
}

/// What becomes of keys that a shape does not declare.
#[derive(Debug, Clone, Copy)]
pub enum UnknownKeys {
    /// They are errors.
    Refused,
    /// They are warned about.
    Warned,
    /// They are somebody else's.
    Ignored,
    /// Those that match this pattern are known, others are errors.
    Matching {
        /// A regular expression.
        pattern: &'static str,
        /// What such keys are for.
        about: &'static str,
    },
}

/// What holds for several keys of a mapping. A key with nothing after it counts as absent, unless a rule says otherwise.
#[derive(Debug, Clone, Copy)]
pub enum KeyRule {
    /// Just one of them is there; a key that [`UnknownKeys::Matching`] knows counts as well.
    One(&'static [&'static str]),
    /// Just one of them is written, be it with nothing after it.
    OneWritten(&'static [&'static str]),
    /// At least one of them is there.
    Some(&'static [&'static str]),
    /// At most one of them is there.
    NotBoth(&'static [&'static str]),
    /// The first, once it is written, needs the second.
    Needs(&'static str, &'static str),
    /// Where one of these words stands under the key, others are needed, or have no use.
    When {
        /// The key.
        key: &'static str,
        /// The words.
        is: &'static [&'static str],
        /// What is needed then.
        needs: &'static [&'static str],
        /// What has no use then.
        excludes: &'static [&'static str],
    },
    /// There is one key, whichever.
    OneKey,
}

/// A key that must be there.
pub const fn required(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Required, about }
}

/// A key that may be left out.
pub const fn optional(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Optional, about }
}

/// A key that may be left out, and has a value once it is written.
pub const fn filled(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Filled, about }
}

/// A key that may be left out at times.
pub const fn depends(key: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { key, kind, need: Need::Depends, about }
}

impl Shape {
    /// A mapping with these keys and no others.
    pub const fn new(what: &'static str, about: &'static str, own: &'static [Field]) -> Self {
        Self { what, about, unknown: UnknownKeys::Refused, rules: &[], own, shared: &[] }
    }

    /// The same, with the keys that several mappings share.
    #[must_use]
    pub const fn with(self, shared: &'static [&'static [Field]]) -> Self {
        Self { shared, ..self }
    }

    /// The same, with another fate of keys that are not declared.
    #[must_use]
    pub const fn unknown(self, unknown: UnknownKeys) -> Self {
        Self { unknown, ..self }
    }

    /// The same, with what holds for several keys.
    #[must_use]
    pub const fn rules(self, rules: &'static [KeyRule]) -> Self {
        Self { rules, ..self }
    }

    /// The keys, in the order they are read.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.own.iter().chain(self.shared.iter().copied().flatten())
    }

    /// Whether it declares a key.
    pub fn declares(&self, key: &str) -> bool {
        self.fields().any(|field| field.key == key)
    }

    /// The names of the keys.
    pub fn keys(&self) -> Vec<&'static str> {
        self.fields().map(|field| field.key).collect()
    }
}
