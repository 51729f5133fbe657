//! The differences as Markdown, for a comment on a pull request: every case is folded, and its first divergence is
//! visible.
//!
//! ````text
//! ## `shop`: 2 of 15 cases differ
//!
//! - in 14 cases `search_docs` now gets `limit: 5`
//!
//! <details><summary><b>CHANGED</b> <code>partial-refund</code> <code>pass -> fail (check)</code><br>
//! <code>step 3 refund(amount=200): arguments /amount: 20 -> 200</code></summary>
//!
//! ```diff
//!   2  find(order="A-17")
//! ! 3  refund(amount=200)  <- first divergence
//! -      arguments /amount: 20
//! +      arguments /amount: 200
//! ```
//! </details>
//! ````

use std::fmt::Write as _;

use agentci_trajectory::{CaseDiff, DiffRow};

use super::{DiffDocument, words};
use crate::markdown::code;
use crate::{count_of, cut, html_text, one_line};

/// The size in bytes beyond which cases are left out: a comment on GitHub has at most 65,536 characters.
const LIMIT: usize = 60_000;
/// The size of a case in bytes.
const CASE_LIMIT: usize = 12_000;
/// The maximum number of groups.
const GROUPS: usize = 20;
/// The maximum length of names and sentences.
const SENTENCE: usize = 300;

/// The differences as Markdown.
pub fn diff_markdown(document: &DiffDocument<'_>) -> String {
    let mark = if document.differs() { "⚠️" } else { "✅" };
    let suite = code::span(&cut::name(document.diff.suites[1], SENTENCE));
    let mut text = format!("## {mark} {suite}: {}\n\n", words::total(document));
    let [old, new] = [&document.old, &document.new].map(|origin| code::span(&cut::name(&origin.path, SENTENCE)));
    let _ = writeln!(text, "A is {old}, B is {new}.\n");
    let groups = &document.diff.repeated;
    let told = groups.iter().take(GROUPS).map(words::repeated).chain(document.prompts.iter().map(words::prompt));
    let told: Vec<String> = told.map(|line| format!("- {}\n", code::span(&cut::name(&line, SENTENCE)))).collect();
    if !told.is_empty() {
        let _ = writeln!(text, "{}", told.concat());
    }
    if groups.len() > GROUPS {
        let _ = writeln!(text, "{} left out.\n", count_of(groups.len() - GROUPS, "more repeated change"));
    }
    let notes: Vec<String> = words::notes(document).iter().map(|note| format!("- {}\n", code::span(note))).collect();
    let notes = notes.concat();
    let mut left_out = 0;
    for case in document.diff.cases.iter().filter(|case| case.differs()) {
        // After the first omitted case all others are omitted, so that the list has no gaps.
        let section = if left_out == 0 { of_case(case) } else { String::new() };
        if left_out > 0 || text.len() + section.len() + notes.len() > LIMIT {
            left_out += 1;
        } else {
            text += &section;
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "**{} that differ left out** to limit the size.\n", count_of(left_out, "case"));
    }
    text + &notes
}

fn of_case(case: &CaseDiff<'_>) -> String {
    let inline = |text: &str| format!("<code>{}</code>", html_text(&one_line(&cut::name(text, SENTENCE))));
    let mut text = format!("<details><summary><b>{}</b> {}", words::word(case), inline(case.id));
    let _ = write!(text, " {}", inline(&words::headline(case)));
    if let Some(first) = words::first(case) {
        let _ = write!(text, "<br>{}", inline(&first));
    }
    text.push_str("</summary>\n\n");
    for line in words::shapes(case).into_iter().chain(words::attempts(case)) {
        let _ = writeln!(text, "{}\n", code::span(&cut::name(&line, 2 * SENTENCE)));
    }
    if case.first.is_some() {
        let rows = rows(case);
        let (shown, missing) = cut::head(&rows, CASE_LIMIT);
        text += &code::fenced("diff", shown);
        if missing {
            let _ = writeln!(text, "\nCut after {} KB of {}.", CASE_LIMIT / 1000, rows.len().div_ceil(1000));
        }
    }
    text + "\n</details>\n\n"
}

fn rows(case: &CaseDiff<'_>) -> String {
    let mut text = String::new();
    for row in words::rows_to_show(case) {
        match row {
            Err(count) => {
                let _ = writeln!(text, "    ... {}", count_of(count, "equal step"));
            }
            Ok(row) => one_row(case, row, &mut text),
        }
    }
    text
}

fn one_row(case: &CaseDiff<'_>, row: &DiffRow<'_>, text: &mut String) {
    let Some(step) = row.step() else { return };
    // GitHub colours lines that begin with these signs.
    let sign = if words::sign(row) == '~' { '!' } else { words::sign(row) };
    let number = row.new_number.or(row.old_number).expect("a step has a number");
    let line = format!("{sign} {number:>2}  {}  {}", words::title(step), words::role(case, row));
    let _ = writeln!(text, "{}", line.trim_end());
    for change in row.changes.iter().take(words::CHANGES) {
        let (old, new) = words::sides(change);
        let _ = writeln!(text, "-       {old}\n+       {new}");
    }
    if row.changes.len() > words::CHANGES {
        let _ = writeln!(text, "!       ... and {}", count_of(row.changes.len() - words::CHANGES, "more change"));
    }
    if row.old.is_none() || row.new.is_none() {
        for line in words::content(step) {
            let _ = writeln!(text, "{sign}       {line}");
        }
    }
}
