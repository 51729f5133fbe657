//! Text from outside as code, from which it can not get out.

use crate::{one_line, printable};

/// Code within a line: the marks around it are longer than any within.
pub(crate) fn span(text: &str) -> String {
    let text = one_line(text);
    let mark = "`".repeat(longest_run(&text) + 1);
    // One blank at both ends is taken away again; it keeps backticks of the text from the marks, and blanks from being lost.
    let padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    match text.trim().is_empty() {
        // Empty code is no code.
        true => format!("{mark} {mark}"),
        false if padded => format!("{mark} {text} {mark}"),
        false => format!("{mark}{text}{mark}"),
    }
}

/// The same in the cell of a table, which a bar would end even in code.
pub(crate) fn cell(text: &str) -> String {
    span(text).replace('|', "\\|")
}

/// Code of several lines.
pub(crate) fn block(text: &str) -> String {
    let text = printable(text.trim_end());
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{fence}text\n{text}\n{fence}\n")
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_code() {
        assert_eq!(span("a``b`"), "``` a``b` ```");
        assert_eq!(span("a\n# b\u{1b}"), "`a\\n# b\\u{1b}`");
        assert_eq!(span(""), "` `");
        assert_eq!(cell("a|b`"), "`` a\\|b` ``");
        assert_eq!(block("x\n````\ny\n"), "`````text\nx\n````\ny\n`````\n");
    }
}
