//! The keys of `matrix`.

use agentci_source::shape::{Kind, Shape, UnknownKeys, optional};

pub(in crate::native) static MATRIX: Shape = Shape::new(
    "`matrix`",
    "Axes; each case runs once with every combination of their values.",
    &[
        optional(
            "include",
            Kind::List(&Kind::Map(&Kind::Word)),
            "Additional combinations, each with a value for every axis.",
        ),
        optional(
            "exclude",
            Kind::List(&Kind::Map(&Kind::Word)),
            "Combinations to leave out: all that have these values of one or more axes.",
        ),
    ],
)
.unknown(UnknownKeys::Matching {
    pattern: "^[A-Za-z_][A-Za-z0-9_-]*$",
    about: "An axis: a list of values, each a string, a number or a boolean.",
});

/// Whether a word can be the name of an axis.
pub(super) fn is_axis_name(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && word.len() <= 40 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
