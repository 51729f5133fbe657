//! What may stand as a value.

use super::Shape;

/// What may stand as a value. Data, and what is nothing else than data to the reader, may be anything.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A text; a number or a truth value has to be quoted to be one.
    Text,
    /// A text that is not blank.
    Name,
    /// A text that matches this regular expression.
    Like(&'static str),
    /// An address of a web server, or a text with a variable in it.
    Address,
    /// Any word, number or truth value, taken as it is spelt.
    Word,
    /// True or false; `yes`, `no`, `on` and `off` count.
    Truth,
    /// A whole number of at least this.
    Count(u32),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A number without a fraction, in whatever form.
    Unbroken,
    /// A number.
    Number,
    /// A number from the first to the second.
    Range(f64, f64),
    /// A number above zero.
    Positive,
    /// A number of at least zero that may be written as a text, and is at most this.
    Spelt(f64),
    /// A whole number of at least zero that may be written as a text.
    SpeltCount,
    /// A time with its unit.
    Duration,
    /// The same, which may have a `-` before it.
    SignedDuration,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, of which numbers need no quotes.
    Version(&'static [&'static str]),
    /// The truth value false.
    False,
    /// Nothing.
    Nothing,
    /// Nothing, or `true`.
    Asked,
    /// A list.
    List(&'static Kind),
    /// A list that is not empty.
    Filled(&'static Kind),
    /// One, or a list of such.
    OneOrMore(&'static Kind),
    /// A mapping from any names.
    Map(&'static Kind),
    /// A mapping from any names that is not empty.
    FilledMap(&'static Kind),
    /// A mapping with declared keys.
    Shape(&'static Shape),
    /// A mapping whose keys depend on one of them.
    Tagged(&'static Tagged),
    /// A mapping that is of the first shape if it has this key, and of the second if not.
    Having(&'static str, &'static Shape, &'static Shape),
    /// One of several kinds.
    Either(&'static [Kind]),
    /// Any mapping.
    Object,
    /// Anything.
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
    /// The word that counts where there is none.
    pub usual: Option<&'static str>,
}

/// What a check is given, as the check itself declares it.
#[derive(Debug, Clone, Copy)]
pub struct CheckShape {
    /// The check's name.
    pub name: &'static str,
    /// What it checks, one sentence.
    pub about: &'static str,
    /// What stands after its name.
    pub arguments: Kind,
}

/// The words of a table that a reader chooses from.
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
    /// Whether nothing may stand for it.
    pub fn allows_nothing(&self) -> bool {
        match self {
            Kind::Nothing | Kind::Asked | Kind::Data => true,
            Kind::Either(kinds) => kinds.iter().any(Kind::allows_nothing),
            _ => false,
        }
    }

    /// The shapes that stand in it, however deep in lists and the like, but not those within shapes.
    pub fn shapes(&self) -> Vec<&'static Shape> {
        match self {
            Kind::Shape(shape) => vec![shape],
            Kind::Having(_, with, without) => vec![with, without],
            Kind::Tagged(tagged) => tagged.variants.iter().map(|(_, shape)| *shape).collect(),
            Kind::Either(kinds) => kinds.iter().flat_map(Kind::shapes).collect(),
            other => other.items().map(Kind::shapes).unwrap_or_default(),
        }
    }

    /// What a list or a mapping from any names is of.
    pub(crate) fn items(&self) -> Option<&'static Kind> {
        match self {
            Kind::List(kind) | Kind::Filled(kind) | Kind::OneOrMore(kind) | Kind::Map(kind) | Kind::FilledMap(kind) => {
                Some(kind)
            }
            _ => None,
        }
    }

    /// What it is, in words for a table.
    pub fn words(&self) -> String {
        let quoted = |words: &[&str]| crate::read::quoted_list(words);
        match self {
            Kind::Text | Kind::Like(_) => "text".into(),
            Kind::Name => "text, not blank".into(),
            Kind::Address => "address".into(),
            Kind::Word => "word".into(),
            Kind::Truth => "true or false".into(),
            Kind::Count(0) | Kind::SpeltCount | Kind::Unbroken => "whole number".into(),
            Kind::Count(least) => format!("whole number, {least} or more"),
            Kind::Whole(least, i64::MAX) => format!("whole number, {least} or more"),
            Kind::Whole(least, most) => format!("whole number from {least} to {most}"),
            Kind::Number => "number".into(),
            Kind::Range(least, most) => format!("number from {least} to {most}"),
            Kind::Spelt(most) if most.is_finite() => format!("number from 0 to {most}"),
            Kind::Spelt(_) => "number, 0 or more".into(),
            Kind::Positive => "number above 0".into(),
            Kind::Duration | Kind::SignedDuration => "duration".into(),
            Kind::Choice([word]) => format!("`{word}`"),
            Kind::Choice(words) | Kind::Version(words) => format!("one of {}", quoted(words)),
            Kind::False => "`false`".into(),
            Kind::Nothing | Kind::Asked => "nothing".into(),
            Kind::List(kind) | Kind::Filled(kind) => format!("list: {}", kind.words()),
            Kind::OneOrMore(kind) => format!("{}, or a list", kind.words()),
            Kind::Map(kind) | Kind::FilledMap(kind) => format!("mapping of names: {}", kind.words()),
            Kind::Shape(shape) | Kind::Having(_, shape, _) => shape.what.trim_matches('`').into(),
            Kind::Tagged(tagged) => tagged.variants.first().map_or("", |(_, shape)| shape.what).into(),
            Kind::Either(kinds) => kinds.iter().map(Kind::words).collect::<Vec<_>>().join(", or "),
            Kind::Object => "mapping".into(),
            Kind::Data => "anything".into(),
            Kind::Check => "check".into(),
            Kind::Arguments(name) => format!("as the check `{name}` takes it"),
        }
    }
}
