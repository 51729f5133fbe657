//! Formats untrusted text as Markdown code that it cannot escape from.

use crate::{one_line, printable};

/// Inline code: its backtick fence is longer than any run of backticks in the text.
pub(crate) fn span(text: &str) -> String {
    let text = one_line(text);
    let mark = "`".repeat(longest_run(&text) + 1);
    // Markdown strips one blank at both ends; it separates backticks of the text from the fence, and preserves blanks.
    let padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    match text.trim().is_empty() {
        // Inline code cannot be empty.
        true => format!("{mark} {mark}"),
        false if padded => format!("{mark} {text} {mark}"),
        false => format!("{mark}{text}{mark}"),
    }
}

/// Inline code in a table cell, where a `|` ends the cell even in code.
pub(crate) fn cell(text: &str) -> String {
    span(text).replace('|', "\\|")
}

/// A code block.
pub(crate) fn block(text: &str) -> String {
    fenced("text", text)
}

/// A code block in a language.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let text = printable(text.trim_end());
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().expect("a split has at least one part")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_close_its_code_block() {
        assert_eq!(span("a``b`"), "``` a``b` ```");
        assert_eq!(span("a\n# b\u{1b}"), "`a\\n# b\\u{1b}`");
        assert_eq!(span(""), "` `");
        assert_eq!(cell("a|b`"), "`` a\\|b` ``");
        assert_eq!(block("x\n````\ny\n"), "`````text\nx\n````\ny\n`````\n");
    }
}
