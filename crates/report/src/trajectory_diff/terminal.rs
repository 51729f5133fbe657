//! The differences in a terminal: side by side if it is wide enough, else one below the other.

use std::fmt::Write as _;

use agentci_trajectory::{CaseDiff, DiffRow, RowRole};

use super::side_by_side::{WIDE_ENOUGH, columns};
use super::{DiffDocument, words};
use crate::{Paint, Tone, count_of, one_line};

/// The maximum number of groups that are shown.
const GROUPS: usize = 20;

/// The differences for a terminal with this many columns; 0 without a terminal.
pub fn diff_table(document: &DiffDocument<'_>, width: usize, paint: Paint) -> String {
    let mut text = String::new();
    for (name, origin) in [("A", &document.old), ("B", &document.new)] {
        let _ = writeln!(text, "{name}: {}", one_line(&origin.path));
    }
    text.push('\n');
    let groups = &document.diff.repeated;
    let told = groups.iter().take(GROUPS).map(words::repeated).chain(document.prompts.iter().map(words::prompt));
    let told: Vec<String> = told.collect();
    for line in &told {
        let _ = writeln!(text, "{line}");
    }
    if groups.len() > GROUPS {
        let _ = writeln!(text, "... and {}", count_of(groups.len() - GROUPS, "more repeated change"));
    }
    if !told.is_empty() {
        text.push('\n');
    }
    for case in document.diff.cases.iter().filter(|case| case.differs()) {
        of_case(case, width, paint, &mut text);
        text.push('\n');
    }
    for note in words::notes(document) {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text, "{}", words::total(document));
    text
}

fn of_case(case: &CaseDiff<'_>, width: usize, paint: Paint, text: &mut String) {
    let word = paint.apply(if case.new.is_none() { Tone::Fail } else { Tone::Warning }, words::word(case));
    let _ = writeln!(text, "{word} {}: {}", one_line(case.id), words::headline(case));
    for line in words::shapes(case).into_iter().chain(words::attempts(case)) {
        let _ = writeln!(text, "  {line}");
    }
    if case.first.is_none() {
        if case.old.is_some() && case.new.is_some() && !case.unknown_steps {
            text.push_str("  the steps are the same\n");
        }
        return;
    }
    for row in words::rows_to_show(case) {
        match row {
            Err(count) => {
                let _ = writeln!(text, "     ... {}", count_of(count, "equal step"));
            }
            Ok(row) if width >= WIDE_ENOUGH => columns(case, row, width, paint, text),
            Ok(row) => unified(case, row, paint, text),
        }
    }
}

pub(super) fn tone(row: &DiffRow<'_>) -> Option<Tone> {
    match row.role {
        RowRole::Same => None,
        RowRole::First => Some(Tone::Error),
        RowRole::Follows(_) => Some(Tone::Gutter),
        RowRole::After => Some(Tone::Warning),
    }
}

/// ```text
///   ~ 2  refund(amount=200)  <- first divergence
///          arguments /amount: 20 -> 200
/// ```
fn unified(case: &CaseDiff<'_>, row: &DiffRow<'_>, paint: Paint, text: &mut String) {
    let Some(step) = row.step() else { return };
    let number = row.new_number.or(row.old_number).expect("a step has a number");
    let line = format!("  {} {number:>2}  {}  {}", words::sign(row), words::title(step), words::role(case, row));
    let line = line.trim_end();
    let _ = writeln!(text, "{}", tone(row).map_or_else(|| line.to_owned(), |tone| paint.apply(tone, line)));
    for detail in details(row) {
        let _ = writeln!(text, "         {detail}");
    }
}

/// The changes of a row, or the content of a step that only one run has.
fn details(row: &DiffRow<'_>) -> Vec<String> {
    if row.old.is_some() && row.new.is_some() {
        let mut lines: Vec<String> = row.changes.iter().take(words::CHANGES).map(words::change).collect();
        if row.changes.len() > words::CHANGES {
            let more = count_of(row.changes.len() - words::CHANGES, "more change");
            lines.push(format!("... and {more}; `--json` has all"));
        }
        return lines;
    }
    row.step().map(words::content).unwrap_or_default()
}
