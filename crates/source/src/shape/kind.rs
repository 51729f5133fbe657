//! The kinds of values.

use super::Shape;

/// The kind of a value. Data without declared keys may be anything.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string; a number or a boolean must be quoted to be one.
    Text,
    /// A string that is not blank.
    Name,
    /// A string that matches this regular expression.
    Like(&'static str),
    /// A URL, or a string with a variable.
    Address,
    /// Any string, number or boolean, taken as written.
    Word,
    /// A boolean; `yes`, `no`, `on` and `off` are accepted.
    Truth,
    /// An integer of at least this.
    Count(u32),
    /// An integer from the first to the second.
    Whole(i64, i64),
    /// A number without a fractional part, in any notation.
    Unbroken,
    Number,
    /// A number from the first to the second.
    Range(f64, f64),
    /// A number greater than zero.
    Positive,
    /// A number from zero to this that may be written as a string.
    Spelt(f64),
    /// An integer of at least zero that may be written as a string.
    SpeltCount,
    /// A number with a unit.
    Duration,
    /// The same, with an optional `-` in front.
    SignedDuration,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words; those that are numbers need no quotes.
    Version(&'static [&'static str]),
    /// The boolean `false`.
    False,
    /// No value.
    Nothing,
    /// No value, or `true`.
    Asked,
    List(&'static Kind),
    /// A list that is not empty.
    Filled(&'static Kind),
    /// A value, or a list of such values.
    OneOrMore(&'static Kind),
    /// A mapping with arbitrary keys.
    Map(&'static Kind),
    /// A mapping with arbitrary keys that is not empty.
    FilledMap(&'static Kind),
    /// A mapping with declared keys.
    Shape(&'static Shape),
    /// A mapping whose keys depend on one of them.
    Tagged(&'static Tagged),
    /// A mapping of the first shape if it has this key, else of the second.
    Having(&'static str, &'static Shape, &'static Shape),
    /// One of several kinds.
    Either(&'static [Kind]),
    /// Any mapping.
    Object,
    Data,
    /// A check of the native dialect.
    Check,
    /// The arguments of the check with this name.
    Arguments(&'static str),
}

/// A mapping whose keys depend on the word under one of them.
#[derive(Debug, Clone, Copy)]
pub struct Tagged {
    /// The key that decides.
    pub tag: &'static str,
    /// A shape for each word; all declare the key that decides.
    pub variants: &'static [(&'static str, &'static Shape)],
    /// The default word.
    pub usual: Option<&'static str>,
}

/// The arguments of a check, as the check itself declares them.
#[derive(Debug, Clone, Copy)]
pub struct CheckShape {
    /// The check's name.
    pub name: &'static str,
    /// What it checks, one sentence.
    pub about: &'static str,
    pub arguments: Kind,
}

/// The words of a table of choices.
pub const fn words<T: Copy, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        words[index] = table[index].0;
        index += 1;
    }
    words
}

impl Kind {
    /// Whether it may have no value.
    pub fn allows_nothing(&self) -> bool {
        match self {
            Kind::Nothing | Kind::Asked | Kind::Data => true,
            Kind::Either(kinds) => kinds.iter().any(Kind::allows_nothing),
            _ => false,
        }
    }

    /// The shapes in it, at any depth of lists and similar kinds, except for those inside other shapes.
    pub fn shapes(&self) -> Vec<&'static Shape> {
        match self {
            Kind::Shape(shape) => vec![shape],
            Kind::Having(_, with, without) => vec![with, without],
            Kind::Tagged(tagged) => tagged.variants.iter().map(|(_, shape)| *shape).collect(),
            Kind::Either(kinds) => kinds.iter().flat_map(Kind::shapes).collect(),
            other => other.items().map(Kind::shapes).unwrap_or_default(),
        }
    }

    /// The kind of the items of a list, or of the values of a mapping with arbitrary keys.
    pub(crate) fn items(&self) -> Option<&'static Kind> {
        match self {
            Kind::List(kind) | Kind::Filled(kind) | Kind::OneOrMore(kind) | Kind::Map(kind) | Kind::FilledMap(kind) => {
                Some(kind)
            }
            _ => None,
        }
    }

    /// A description for tables.
    pub fn words(&self) -> String {
        let quoted = |words: &[&str]| crate::read::quoted_list(words);
        match self {
            Kind::Text | Kind::Like(_) => "string".into(),
            Kind::Name => "string, not blank".into(),
            Kind::Address => "URL".into(),
            Kind::Word => "string, number or boolean".into(),
            Kind::Truth => "boolean".into(),
            Kind::Count(0) | Kind::SpeltCount | Kind::Unbroken => "integer".into(),
            Kind::Count(least) => format!("integer, {least} or more"),
            Kind::Whole(least, i64::MAX) => format!("integer, {least} or more"),
            Kind::Whole(least, most) => format!("integer from {least} to {most}"),
            Kind::Number => "number".into(),
            Kind::Range(least, most) => format!("number from {least} to {most}"),
            Kind::Spelt(most) if most.is_finite() => format!("number from 0 to {most}"),
            Kind::Spelt(_) => "number, 0 or more".into(),
            Kind::Positive => "number greater than 0".into(),
            Kind::Duration | Kind::SignedDuration => "duration".into(),
            Kind::Choice([word]) => format!("`{word}`"),
            Kind::Choice(words) | Kind::Version(words) => format!("one of {}", quoted(words)),
            Kind::False => "`false`".into(),
            Kind::Nothing | Kind::Asked => "nothing".into(),
            Kind::List(kind) | Kind::Filled(kind) => format!("list: {}", kind.words()),
            Kind::OneOrMore(kind) => format!("{}, or a list", kind.words()),
            Kind::Map(kind) | Kind::FilledMap(kind) => format!("mapping, each value: {}", kind.words()),
            Kind::Shape(shape) | Kind::Having(_, shape, _) => shape.what.trim_matches('`').into(),
            Kind::Tagged(tagged) => tagged.variants.first().map_or("", |(_, shape)| shape.what).into(),
            Kind::Either(kinds) => kinds.iter().map(Kind::words).collect::<Vec<_>>().join(", or "),
            Kind::Object => "mapping".into(),
            Kind::Data => "any value".into(),
            Kind::Check => "check".into(),
            Kind::Arguments(name) => format!("arguments of the check `{name}`"),
        }
    }
}
