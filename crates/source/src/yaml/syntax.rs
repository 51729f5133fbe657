//! Explains syntax errors so that the author of the file can fix them.

use crate::Diagnostic;
use granit_parser::{ErrorKind, ScanError};

use super::spans::SpanMaker;

/// Converts the parser's error to a diagnostic.
pub(super) fn diagnose(error: &ScanError, places: SpanMaker<'_>) -> Diagnostic {
    let mut span = places.point(*error.marker());
    let (message, help) = explain(error.kind());
    // The parser stops after the tab, or, if the tab could have continued a string, at the end of the line before.
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
        None => Diagnostic::error(span, format!("invalid YAML: {}", error.info().to_lowercase())),
    };
    let diagnostic = diagnostic.label("cannot be parsed from here on");
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

const TAB: &str = "YAML indents with spaces: replace the tab with spaces";
const QUOTE: &str = "close the quote; inside single quotes write `''` for a quote, inside double quotes `\\\"`";

/// The column of the first tab in the indentation of a line.
fn tab_in_indentation(line: &str) -> Option<u32> {
    let index =
        line.chars().take_while(|character| character.is_whitespace()).position(|character| character == '\t')?;
    u32::try_from(index + 1).ok()
}

/// The message and help text for common mistakes.
fn explain(kind: &ErrorKind) -> (Option<String>, Option<&'static str>) {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab is not allowed here", TAB),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a second `: ` on one line, or a line that is indented too far",
            "put a string that contains `: ` in quotes, or line the key up with its neighbours",
        ),
        ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::UnclosedQuotedScalar
        | ErrorKind::DocumentIndicatorInQuotedScalar => ("a quoted string is not closed before this point", QUOTE),
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("unexpected text after a closing quote", QUOTE)
        }
        ErrorKind::SimpleKeyExpected
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedDocumentStart
        | ErrorKind::ExpectedBlockSequenceEntry => (
            "this line does not match the lines before it",
            "a key needs `: ` after it, and keys or items of one level start in the same column",
        ),
        ErrorKind::BlockSequenceEntryNotAllowed => {
            ("a list cannot start here", "start the list on a line of its own, or write it as `[one, two]`")
        }
        ErrorKind::UnknownQuotedScalarEscape => (
            "unknown escape in a double-quoted string",
            "write `\\\\` for a backslash, or use single quotes, which have no escapes",
        ),
        ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofFlowSequence => (
            "a `,` or a closing bracket is missing",
            "close the bracket, or put a string with `,` or brackets in quotes",
        ),
        ErrorKind::RecursionLimitExceeded => return (Some("nested too deep".into()), None),
        ErrorKind::UnknownAnchor => {
            ("no anchor with this name is defined above", "write `&name` before the value it repeats")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            return (Some(format!("`{open}` is never closed")), Some("add the closing bracket"));
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return (Some(format!("`{open}` is closed by `{close}`")), Some("use the matching bracket"));
        }
        ErrorKind::UnexpectedCharacter { character } => {
            return (
                Some(format!("a string cannot start with `{}` without quotes", character.escape_debug())),
                Some("put the string in quotes"),
            );
        }
        _ => return (None, None),
    };
    (Some(message.to_owned()), Some(help))
}
