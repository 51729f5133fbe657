//! A text that part of a request to a model must have: contained, equal, or matching a pattern.

use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Node, Span, Spanned, read};
use serde_json::Value;

use crate::compiler::{Compiler, spanned};
use crate::contains::without_line_end;
use crate::pattern::PlacedPattern;
use agentci_text::shorten;

/// How much of a text a message shows.
const SHOWN: usize = 120;

/// What may stand for it.
pub(crate) const WANTED: Kind = Kind::Either(&[Kind::Text, Kind::Shape(&TEXT)]);

static TEXT: Shape = Shape::new(
    "a text",
    "A text that something is, or a pattern that it matches.",
    &[
        optional("equals", Kind::Text, "The whole text."),
        optional("matches", Kind::Text, "A pattern that is found in the text."),
    ],
)
.rules(&[KeyRule::One(&["equals", "matches"])]);

/// A text that is asked for.
#[derive(Debug)]
pub(crate) enum WantedText {
    Contains(Spanned<String>),
    Equals(Spanned<String>),
    Matches(PlacedPattern),
}

impl WantedText {
    /// A text that must be contained, or a mapping.
    pub(crate) fn contained(node: &Node, name: &str, compiler: &mut Compiler<'_>) -> Option<Self> {
        let text = |text| Self::Contains(without_line_end(text));
        Self::read(node, name, text, compiler)
    }

    /// A text that must be equal, or a mapping.
    pub(crate) fn equal(node: &Node, name: &str, compiler: &mut Compiler<'_>) -> Option<Self> {
        Self::read(node, name, Self::Equals, compiler)
    }

    fn read(
        node: &Node,
        name: &str,
        plain: impl FnOnce(Spanned<String>) -> Self,
        compiler: &mut Compiler<'_>,
    ) -> Option<Self> {
        if node.pairs().is_none() {
            return spanned(read::text)(node, name, &mut compiler.problems).map(plain);
        }
        let mut arguments = compiler.open(&TEXT, node)?;
        let equals = arguments.optional("equals", spanned(read::text)).map(Self::Equals);
        let pattern = |node, compiler: &mut Compiler<'_>| PlacedPattern::read(node, "matches", compiler);
        let matches = arguments.optional_with("matches", pattern).map(Self::Matches);
        arguments.finish()?;
        if let (Some(only), None) | (None, Some(only)) = (equals, matches) {
            return Some(only);
        }
        let message = format!("`{name}` needs either `equals` or `matches`");
        let help = format!("write `{name}: {{ matches: PATTERN }}`, or a text: `{name}: TEXT`");
        compiler.refuse(node.span, message, "expected one of them", &help)
    }

    pub(crate) fn is_met(&self, text: &str) -> bool {
        match self {
            Self::Contains(wanted) => text.contains(&wanted.value),
            Self::Equals(wanted) => text == wanted.value,
            Self::Matches(pattern) => pattern.is_in(text),
        }
    }

    /// Where it was asked for.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Contains(wanted) | Self::Equals(wanted) => wanted.span,
            Self::Matches(pattern) => pattern.span,
        }
    }

    /// What is asked, after the name of the thing: `that contains ..`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Contains(wanted) => format!("that contains {}", quoted(&wanted.value)),
            Self::Equals(wanted) if wanted.value.is_empty() => "that is empty".into(),
            Self::Equals(wanted) => format!("that is {}", quoted(&wanted.value)),
            Self::Matches(pattern) => format!("that matches {}", pattern.shown()),
        }
    }

    /// What there is instead in a text that does not meet it. `what` names the text.
    pub(crate) fn seen(&self, what: &str, text: &str) -> String {
        let missing = match self {
            Self::Contains(wanted) if wanted.value.contains('\n') => {
                wanted.value.lines().find(|line| !text.contains(line)).map(|line| format!("lacks {}", quoted(line)))
            }
            Self::Equals(wanted) => Some(difference(&wanted.value, text)),
            Self::Contains(_) | Self::Matches(_) => None,
        };
        match missing {
            Some(missing) => format!("{what} {missing}"),
            None if text.chars().nth(SHOWN).is_some() => format!("{what} begins {}", quoted(text)),
            None => format!("{what} is {}", quoted(text)),
        }
    }

    /// What is asked, for programs.
    pub(crate) fn expected(&self) -> Value {
        match self {
            Self::Contains(wanted) | Self::Equals(wanted) => wanted.value.as_str().into(),
            Self::Matches(pattern) => pattern.written().into(),
        }
    }

    /// About how many steps it takes for each byte of a text.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Self::Contains(_) | Self::Equals(_) => 1,
            Self::Matches(pattern) => pattern.weight(),
        }
    }
}

/// A text in a message, of one line and not too long.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shorten(text, SHOWN).replace('\n', "\\n"))
}

/// The first line in which a text differs from what it must be.
fn difference(wanted: &str, text: &str) -> String {
    let (mut expected, mut seen) = (wanted.split('\n'), text.split('\n'));
    let mut number = 0;
    loop {
        number += 1;
        return match (expected.next(), seen.next()) {
            (Some(expected), Some(seen)) if expected == seen => continue,
            (Some(expected), Some(seen)) if number == 1 && !wanted.contains('\n') => {
                format!("is {}, not {}", quoted(seen), quoted(expected))
            }
            (Some(expected), Some(seen)) => format!("has line {number} {}, not {}", quoted(seen), quoted(expected)),
            (Some(""), None) => "ends without a line end; write `|-` for a block without one".into(),
            (Some(expected), None) => format!("lacks line {number}: {}", quoted(expected)),
            (None, seen) => format!("goes on in line {number}: {}", quoted(seen.unwrap_or_default())),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_told() {
        for (wanted, text, told) in [
            ("a", "b", "is `b`, not `a`"),
            ("a\nb", "a\nc", "has line 2 `c`, not `b`"),
            ("a\nb", "a", "lacks line 2: `b`"),
            ("a\n", "a", "ends without a line end; write `|-` for a block without one"),
            ("a", "a\nb", "goes on in line 2: `b`"),
        ] {
            assert_eq!(difference(wanted, text), told);
        }
    }
}
