//! Conditions on the text of a part of a model request: it contains a text, equals it, or matches a pattern.

use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Node, Span, Spanned, read};
use serde_json::Value;

use crate::compiler::{Compiler, spanned};
use crate::contains::without_line_end;
use crate::pattern::PlacedPattern;
use agentci_text::shorten;

/// The longest part of a text that a message shows, in characters.
const SHOWN: usize = 120;

/// How suites write the condition.
pub(crate) const WANTED: Kind = Kind::Either(&[Kind::Text, Kind::Shape(&TEXT)]);

static TEXT: Shape = Shape::new(
    "a text",
    "The whole text, or a pattern that it must match.",
    &[
        optional("equals", Kind::Text, "The whole text."),
        optional("matches", Kind::Text, "A pattern that the text must match."),
    ],
)
.rules(&[KeyRule::One(&["equals", "matches"])]);

/// A condition on a text.
#[derive(Debug)]
pub(crate) enum WantedText {
    Contains(Spanned<String>),
    Equals(Spanned<String>),
    Matches(PlacedPattern),
}

impl WantedText {
    /// Reads a string that must be contained, or a mapping.
    pub(crate) fn contained(node: &Node, name: &str, compiler: &mut Compiler<'_>) -> Option<Self> {
        let text = |text| Self::Contains(without_line_end(text));
        Self::read(node, name, text, compiler)
    }

    /// Reads a string that must be equal, or a mapping.
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
        let help = format!("write `{name}: {{ matches: PATTERN }}`, or a string: `{name}: TEXT`");
        compiler.refuse(node.span, message, "expected one of them", &help)
    }

    pub(crate) fn is_met(&self, text: &str) -> bool {
        match self {
            Self::Contains(wanted) => text.contains(&wanted.value),
            Self::Equals(wanted) => text == wanted.value,
            Self::Matches(pattern) => pattern.is_in(text),
        }
    }

    /// The place of the condition in the suite.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Contains(wanted) | Self::Equals(wanted) => wanted.span,
            Self::Matches(pattern) => pattern.span,
        }
    }

    /// The condition in words, to follow the name of the part: `that contains ..`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Contains(wanted) => format!("that contains {}", quoted(&wanted.value)),
            Self::Equals(wanted) if wanted.value.is_empty() => "that is empty".into(),
            Self::Equals(wanted) => format!("that is {}", quoted(&wanted.value)),
            Self::Matches(pattern) => format!("that matches {}", pattern.shown()),
        }
    }

    /// What was found in a text that does not meet the condition. `what` names the text.
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
            None if text.chars().nth(SHOWN).is_some() => format!("{what} begins with {}", quoted(text)),
            None => format!("{what} is {}", quoted(text)),
        }
    }

    /// The expected value of a detail.
    pub(crate) fn expected(&self) -> Value {
        match self {
            Self::Contains(wanted) | Self::Equals(wanted) => wanted.value.as_str().into(),
            Self::Matches(pattern) => pattern.written().into(),
        }
    }

    /// The approximate number of steps for each byte of a text.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Self::Contains(_) | Self::Equals(_) => 1,
            Self::Matches(pattern) => pattern.weight(),
        }
    }
}

/// A text as messages show it: quoted, on one line, shortened.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shorten(text, SHOWN).replace('\n', "\\n"))
}

/// Describes the first line in which a text differs from the expected one.
fn difference(wanted: &str, text: &str) -> String {
    let (mut expected, mut seen) = (wanted.split('\n'), text.split('\n'));
    let mut number = 0;
    loop {
        number += 1;
        return match (expected.next(), seen.next()) {
            (Some(expected), Some(seen)) if expected == seen => continue,
            (Some(expected), Some(seen)) if number == 1 && !wanted.contains('\n') => {
                format!("is {}, expected {}", quoted(seen), quoted(expected))
            }
            (Some(expected), Some(seen)) => {
                format!("has {} in line {number}, expected {}", quoted(seen), quoted(expected))
            }
            (Some(""), None) => "has no newline at its end; write `|-` for a block without one".into(),
            (Some(expected), None) => format!("lacks line {number}: {}", quoted(expected)),
            (None, seen) => format!("continues in line {number}: {}", quoted(seen.unwrap_or_default())),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_first_difference() {
        for (wanted, text, told) in [
            ("a", "b", "is `b`, expected `a`"),
            ("a\nb", "a\nc", "has `c` in line 2, expected `b`"),
            ("a\nb", "a", "lacks line 2: `b`"),
            ("a\n", "a", "has no newline at its end; write `|-` for a block without one"),
            ("a", "a\nb", "continues in line 2: `b`"),
        ] {
            assert_eq!(difference(wanted, text), told);
        }
    }
}
