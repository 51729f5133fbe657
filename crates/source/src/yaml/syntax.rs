//! What the parser can not read, said so that the writer of the file knows what to do.

use crate::Diagnostic;
use granit_parser::{ErrorKind, ScanError};

use super::spans::SpanMaker;

/// The parser's error as a diagnostic.
pub(super) fn diagnose(error: &ScanError, places: SpanMaker<'_>) -> Diagnostic {
    let mut span = places.point(*error.marker());
    let (message, help) = explain(error.kind());
    // The parser stops behind the tab, or, where it could have gone on with a text, at the end of the line before.
    let from = error.marker().line().saturating_sub(1);
    let mut lines = places.text().lines().skip(from).take(2).map(tab_in_indentation);
    let (tab, next) = (lines.next().flatten(), lines.next().flatten().filter(|_| help == Some(TAB)));
    let help = help.or(tab.map(|_| TAB));
    if let (Some(TAB), Some(column)) = (help, tab.or(next)) {
        span.column = column;
        span.line += u32::from(tab.is_none());
    }
    let diagnostic = match message {
        Some(message) => Diagnostic::error(span, message),
        None => Diagnostic::error(span, format!("not well-formed YAML: {}", error.info().to_lowercase())),
    };
    let diagnostic = diagnostic.label("can not be read from here on");
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

const TAB: &str = "YAML indents with spaces: put them in the place of the tab";
const QUOTE: &str = "close the quote; within single quotes write `''` for one, within double quotes `\\\"`";

/// The column of the first tab before the text of a line.
fn tab_in_indentation(line: &str) -> Option<u32> {
    let index =
        line.chars().take_while(|character| character.is_whitespace()).position(|character| character == '\t')?;
    u32::try_from(index + 1).ok()
}

/// Our own words for the mistakes people make, and their remedy.
fn explain(kind: &ErrorKind) -> (Option<String>, Option<&'static str>) {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab can not stand here", TAB),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a second `: ` on one line, or a line that is indented too far",
            "put a text that holds `: ` in quotes, or line the key up with its neighbours",
        ),
        ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::UnclosedQuotedScalar
        | ErrorKind::DocumentIndicatorInQuotedScalar => ("a quoted text is not closed before this place", QUOTE),
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("something follows a closing quote", QUOTE)
        }
        ErrorKind::SimpleKeyExpected
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedDocumentStart
        | ErrorKind::ExpectedBlockSequenceEntry => (
            "this line does not fit the lines before it",
            "a key needs `: ` after it, and keys or items that belong together begin in the same column",
        ),
        ErrorKind::BlockSequenceEntryNotAllowed => {
            ("a list can not begin here", "begin the list on a line of its own, or write it as `[one, two]`")
        }
        ErrorKind::UnknownQuotedScalarEscape => (
            "an unknown escape in a double-quoted text",
            "write `\\\\` for a backslash, or use single quotes, which know no escapes",
        ),
        ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofFlowSequence => {
            ("a `,` or a closing bracket is missing", "close the bracket, or put a text with `,` or brackets in quotes")
        }
        ErrorKind::RecursionLimitExceeded => return (Some("nested too deep".into()), None),
        ErrorKind::UnknownAnchor => {
            ("no anchor of that name stands above", "write `&name` before the value it repeats")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            return (Some(format!("`{open}` is never closed")), Some("add the closing bracket"));
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return (Some(format!("`{open}` is closed by `{close}`")), Some("use the bracket that fits"));
        }
        ErrorKind::UnexpectedCharacter { character } => {
            return (
                Some(format!("a text can not begin with `{}`", character.escape_debug())),
                Some("put the text in quotes"),
            );
        }
        _ => return (None, None),
    };
    (Some(message.to_owned()), Some(help))
}
