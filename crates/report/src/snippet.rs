//! Renders a problem with the source line that it is about.
//!
//! ```text
//! error: unknown check `tool_caled`
//!   --> suites/refunds.yaml:14:9
//!    |
//! 14 |       - tool_caled: refund_order
//!    |         ^^^^^^^^^^ not a check in this format
//!    = checks are named by one key
//! help: did you mean `tool_called`?
//! ```
//!
//! The same format is used for invalid suites and failed checks, on terminals, in `JUnit` files and elsewhere.

use agentci_source::{Diagnostic, Place, Severity, Sources};
use agentci_verdict::NotLoaded;

use crate::{Paint, Tone, one_line, printable};

/// The maximum width of a source line that is shown, in columns.
const WIDTH: usize = 120;
/// The number of columns of a truncated line before the marked text.
const LEAD: usize = 40;
const CUT: &str = "...";
const TAB: &str = "    ";

/// The first word of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// `error:`, for an invalid suite.
    Error,
    /// `warning:`, for a suite that is probably wrong.
    Warning,
    /// `FAIL`, for a case that failed.
    Fail,
    /// `ERROR`, for a case that ended with an error.
    Broken,
}

impl Heading {
    fn paint(self, paint: Paint) -> String {
        match self {
            Heading::Error => paint.apply(Tone::Error, "error") + ":",
            Heading::Warning => paint.apply(Tone::Warning, "warning") + ":",
            Heading::Fail => paint.apply(Tone::Fail, "FAIL"),
            Heading::Broken => paint.apply(Tone::Broken, "ERROR"),
        }
    }
}

/// A problem to be rendered. Untrusted text need not be escaped.
#[derive(Debug, Clone, Copy)]
pub struct Snippet<'s> {
    /// The first word.
    pub heading: Heading,
    pub message: &'s str,
    /// The place, if it is known.
    pub place: Option<&'s Place>,
    /// The label next to the marked text.
    pub label: &'s str,
    pub notes: &'s [String],
    pub help: Option<&'s str>,
}

/// Renders something that could not be loaded.
pub fn not_loaded(problem: &NotLoaded, paint: Paint) -> String {
    let NotLoaded { message, place, help } = problem;
    let snippet =
        Snippet { heading: Heading::Error, message, place: Some(place), label: "", notes: &[], help: help.as_deref() };
    snippet.render(paint)
}

impl Snippet<'_> {
    /// The rendered text, with a line end.
    pub fn render(&self, paint: Paint) -> String {
        let digits = self.place.filter(|place| place.line > 0).map_or(0, |place| place.line.to_string().len());
        let margin = " ".repeat(digits.max(2));
        let bar = paint.apply(Tone::Gutter, "|");
        let marked = self.place.and_then(mark);
        let mut lines = vec![format!("{} {}", self.heading.paint(paint), one_line(self.message))];
        if let Some(place) = self.place {
            lines.push(format!("{margin}{} {}", paint.apply(Tone::Gutter, "-->"), position(place)));
        }
        if let (Some(place), Some(marked)) = (self.place, &marked) {
            let number = paint.apply(Tone::Gutter, &format!("{:>width$} |", place.line, width = margin.len()));
            let carets = paint.apply(Tone::Error, &"^".repeat(marked.width));
            let indent = " ".repeat(marked.offset);
            lines.push(format!("{margin} {bar}"));
            lines.push(format!("{number} {}", marked.line));
            lines.push(format!("{margin} {bar} {indent}{carets} {}", one_line(self.label)));
        }
        // Without a source line, the label becomes a note.
        let label = (marked.is_none() && !self.label.is_empty()).then_some(self.label);
        let sign = paint.apply(Tone::Gutter, "=");
        for note in label.into_iter().chain(self.notes.iter().map(String::as_str)) {
            lines.extend(hanging(&format!("{margin} {sign} "), margin.len() + 3, note));
        }
        if let Some(help) = self.help {
            lines.extend(hanging(&(paint.apply(Tone::Help, "help") + ": "), "help: ".len(), help));
        }
        lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
    }
}

/// Renders a problem of a suite.
pub fn diagnostic(diagnostic: &Diagnostic, sources: &Sources, paint: Paint) -> String {
    let heading = match diagnostic.severity {
        Severity::Error => Heading::Error,
        Severity::Warning => Heading::Warning,
    };
    let (message, rest) = diagnostic.message.split_once('\n').unwrap_or((&diagnostic.message, ""));
    let notes: Vec<String> = rest.lines().map(str::to_owned).collect();
    Snippet {
        heading,
        message: message.trim_end(),
        place: Some(&diagnostic.place(sources)),
        label: &diagnostic.label,
        notes: &notes,
        help: diagnostic.help.as_deref(),
    }
    .render(paint)
}

/// `path:line:column`, or the path alone for a file as a whole.
pub(crate) fn position(place: &Place) -> String {
    let path = one_line(&place.path);
    if place.line == 0 { path.into_owned() } else { format!("{path}:{}:{}", place.line, place.column) }
}

/// Text after a lead-in; further lines are indented below the first.
fn hanging(lead: &str, indent: usize, text: &str) -> Vec<String> {
    let indent = " ".repeat(indent);
    let leads = std::iter::once(lead).chain(std::iter::repeat(indent.as_str()));
    leads.zip(text.trim_end_matches('\n').lines()).map(|(lead, line)| format!("{lead}{}", printable(line))).collect()
}

/// A source line as shown, and the marked columns.
struct MarkedLine {
    line: String,
    offset: usize,
    width: usize,
}

/// `None` if the place has no line, or its line is unknown or ends before the place.
fn mark(place: &Place) -> Option<MarkedLine> {
    if place.line == 0 || place.text.trim().is_empty() {
        return None;
    }
    // How each character of the source is shown; a tab or a control character takes several columns.
    let cells: Vec<String> = place.text.chars().map(cell).collect();
    let first = usize::try_from(place.column).ok()?.checked_sub(1)?;
    // One past the end marks something that is missing.
    if first > cells.len() {
        return None;
    }
    let last = first.saturating_add(place.width as usize).clamp(first, cells.len());
    let columns = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).sum::<usize>();
    let offset = columns(&cells[..first]);
    let width = columns(&cells[first..last]).max(1);
    Some(cut(&cells.concat(), offset, width))
}

fn cell(character: char) -> String {
    if character == '\t' { TAB.to_owned() } else { printable(character.encode_utf8(&mut [0; 4])).into_owned() }
}

/// Keeps the part of a long line around the marked text.
fn cut(line: &str, offset: usize, width: usize) -> MarkedLine {
    let line = line.trim_end();
    let length = line.chars().count();
    if length <= WIDTH {
        return MarkedLine { line: line.to_owned(), offset, width };
    }
    let start = if offset + width <= WIDTH - CUT.len() { 0 } else { offset.saturating_sub(LEAD) };
    let before = if start > 0 { CUT } else { "" };
    let room = WIDTH - before.len() - CUT.len();
    let after = if start + room < length { CUT } else { "" };
    let kept: String = line.chars().skip(start).take(room).collect();
    let shown = kept.chars().count();
    let offset_kept = offset - start;
    MarkedLine {
        line: format!("{before}{kept}{after}"),
        offset: before.len() + offset_kept,
        width: width.min(shown.saturating_sub(offset_kept)).max(1),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Span;

    use super::*;

    fn place(line: u32, column: u32, width: u32, text: &str) -> Place {
        Place { path: "suites/refunds.yaml".into(), line, column, width, text: text.to_owned() }
    }

    fn render(place: &Place, label: &str) -> String {
        let snippet =
            Snippet { heading: Heading::Error, message: "wrong", place: Some(place), label, notes: &[], help: None };
        snippet.render(Paint::new(false))
    }

    #[test]
    fn shows_suite_error() {
        let mut sources = Sources::default();
        let file =
            sources.add(Path::new("suites/refunds.yaml"), "\n".repeat(13) + "      - tool_caled: refund_order\n");
        let problem = Diagnostic::error(Span { file, line: 14, column: 9, width: 10 }, "unknown check `tool_caled`")
            .label("not a check in this format")
            .help("did you mean `tool_called`?");
        insta::assert_snapshot!(diagnostic(&problem, &sources, Paint::new(false)), @r"
        error: unknown check `tool_caled`
          --> suites/refunds.yaml:14:9
           |
        14 |       - tool_caled: refund_order
           |         ^^^^^^^^^^ not a check in this format
        help: did you mean `tool_called`?
        ");
    }

    #[test]
    fn shows_a_failed_check() {
        let text = "      - tool_called: { name: refund_order, args: { amount: 20 } }";
        let snippet = Snippet {
            heading: Heading::Fail,
            message: "refunds/partial: `tool_called` failed",
            place: Some(&place(14, 60, 2, text)),
            label: "the agent sent 200",
            notes: &["turn 2, call 1 of 1: refund_order(order=\"A-17\", amount=200)".to_owned()],
            help: None,
        };
        insta::assert_snapshot!(snippet.render(Paint::new(false)), @r#"
        FAIL refunds/partial: `tool_called` failed
          --> suites/refunds.yaml:14:60
           |
        14 |       - tool_called: { name: refund_order, args: { amount: 20 } }
           |                                                            ^^ the agent sent 200
           = turn 2, call 1 of 1: refund_order(order="A-17", amount=200)
        "#);
    }

    #[test]
    fn gutter_fits_the_line_number() {
        insta::assert_snapshot!(render(&place(12345, 1, 1, "x: 1"), ""), @r"
        error: wrong
             --> suites/refunds.yaml:12345:1
              |
        12345 | x: 1
              | ^
        ");
    }

    #[test]
    fn problem_with_whole_file_shows_no_line() {
        insta::assert_snapshot!(render(&place(0, 0, 0, ""), "empty"), @r"
        error: wrong
          --> suites/refunds.yaml
           = empty
        ");
    }

    #[test]
    fn carets_align_with_escaped_text() {
        insta::assert_snapshot!(render(&place(9, 3, 2, "\té\u{1b}x"), "here"), @r"
        error: wrong
          --> suites/refunds.yaml:9:3
           |
         9 |     é\u{1b}x
           |      ^^^^^^^ here
        ");
    }

    #[test]
    fn truncates_long_line_around_the_mark() {
        let long = format!("{}MARK{}", "a".repeat(200), "b".repeat(190));
        let text = render(&place(9, 201, 4, &long), "here");
        insta::assert_snapshot!(text, @r"
        error: wrong
          --> suites/refunds.yaml:9:201
           |
         9 | ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaMARKbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...
           |                                            ^^^^ here
        ");
        for column in 1..=400 {
            for line in render(&place(9, column, 300, &long), "").lines() {
                assert!(line.chars().count() <= WIDTH + 5, "{line}");
            }
        }
    }

    #[test]
    fn escapes_control_characters_in_every_field() {
        let snippet = Snippet {
            heading: Heading::Broken,
            message: "demo/a\nPASS b: gone",
            place: None,
            label: "",
            notes: &["one\r\ntwo\u{1b}[2J".to_owned()],
            help: Some("first\nsecond"),
        };
        insta::assert_snapshot!(snippet.render(Paint::new(false)), @r"
        ERROR demo/a\nPASS b: gone
           = one
             two\u{1b}[2J
        help: first
              second
        ");
    }
}
