//! Rows in two columns: the old run on the left, the new one on the right.

use std::fmt::Write as _;

use agentci_trajectory::{CaseDiff, DiffRow, TrajectoryStep};

use super::terminal::tone;
use super::words;
use crate::{Paint, count_of, cut};

/// The number of columns from which two fit next to each other.
pub(super) const WIDE_ENOUGH: usize = 120;
/// The columns before and between the two.
const MARGIN: usize = 7;

/// ```text
///   ~  2  refund(amount=20)                  |  2  refund(amount=200)  <- first divergence
///         arguments /amount: 20              |     arguments /amount: 200
/// ```
pub(super) fn columns(case: &CaseDiff<'_>, row: &DiffRow<'_>, width: usize, paint: Paint, text: &mut String) {
    let each = (width - MARGIN) / 2;
    let title = |step: Option<&TrajectoryStep>, number: Option<usize>| {
        step.map(|step| format!("{:>2}  {}", number.expect("a step has a number"), words::title(step)))
    };
    let mut left: Vec<String> = title(row.old, row.old_number).into_iter().collect();
    let mut right: Vec<String> = title(row.new, row.new_number).into_iter().collect();
    let role = words::role(case, row);
    if !role.is_empty() {
        let side = if row.new.is_some() { &mut right } else { &mut left };
        side.push(format!("    {role}"));
        // Changes begin on the same line on both sides.
        if row.old.is_some() && row.new.is_some() {
            left.push(String::new());
        }
    }
    for change in row.changes.iter().take(words::CHANGES) {
        let (old, new) = words::sides(change);
        let (old, new) = (wrapped(&old, each), wrapped(&new, each));
        let lines = old.len().max(new.len());
        left.extend(old.into_iter().chain(std::iter::repeat(String::new())).take(lines));
        right.extend(new.into_iter().chain(std::iter::repeat(String::new())).take(lines));
    }
    if row.changes.len() > words::CHANGES {
        let more = count_of(row.changes.len() - words::CHANGES, "more change");
        right.push(format!("    ... and {more}; `--json` has all"));
    }
    if row.old.is_none() || row.new.is_none() {
        let own = if row.new.is_some() { &mut right } else { &mut left };
        for line in row.step().map(words::content).unwrap_or_default() {
            own.extend(wrapped(&line, each));
        }
    }
    for at in 0..left.len().max(right.len()) {
        let (one, other) = (left.get(at).map_or("", String::as_str), right.get(at).map_or("", String::as_str));
        let sign = if at == 0 { words::sign(row) } else { ' ' };
        let bar = if row.differs() { '|' } else { ' ' };
        let line = format!("  {sign} {:each$} {bar} {}", cut::fit(one, each), cut::fit(other, each));
        let line = line.trim_end();
        let painted = tone(row).filter(|_| at == 0).map_or_else(|| line.to_owned(), |tone| paint.apply(tone, line));
        let _ = writeln!(text, "{painted}");
    }
}

/// A text in lines of this width, indented.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(6).max(10);
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(room).map(|line| format!("      {}", line.iter().collect::<String>())).collect()
}
