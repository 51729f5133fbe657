//! Keeps the ids of cases from data apart from all other ids of the suite, and their files apart from each other.

use agentci_plan::{CaseData, changes_as_file_name};
use agentci_source::{Diagnostic, Diagnostics, Sources, Span};

use super::file_names::is_per_case;
use super::settings::WorldSettings;
use crate::ids::{TakenIds, first_used};

/// Reports ids that both a row and another case have. Rows of one dataset were compared when they were read.
pub(super) fn refuse_taken_ids<'d>(
    datasets: impl Iterator<Item = &'d CaseData>,
    ids: &TakenIds,
    sources: &Sources,
    problems: &mut Diagnostics,
) {
    let datasets: Vec<&CaseData> = datasets.collect();
    let id = |(set, row): &(u32, u32)| datasets[*set as usize].dataset.index.id(*row as usize);
    let span = |(set, row): &(u32, u32)| datasets[*set as usize].dataset.span(*row as usize);
    let mut told = |again: Span, first: Span, id: &str| {
        let message = format!("the case id `{}` is used twice", id.escape_debug());
        let help = "change `id` of one of the cases from data: `id: \"questions-{id}\"`";
        problems.push(Diagnostic::error(again, message).label(first_used(first, again, sources)).help(help));
    };
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let each = datasets.iter().enumerate();
    let rows = each.flat_map(|(set, data)| (0..narrow(data.dataset.index.len())).map(move |row| (narrow(set), row)));
    let mut rows: Vec<(u32, u32)> = rows.collect();
    let written = rows.iter().find_map(|row| Some((row, ids.place(id(row))?)));
    if let Some((row, first)) = written {
        told(span(row).unwrap_or(first), first, id(row));
        return;
    }
    if datasets.len() < 2 {
        return;
    }
    rows.sort_by(|a, b| id(a).cmp(id(b)).then(a.cmp(b)));
    let twice = rows.windows(2).find(|pair| pair[0].0 != pair[1].0 && id(&pair[0]) == id(&pair[1]));
    if let Some([first, again]) = twice
        && let (Some(first_span), Some(again_span)) = (span(first), span(again))
    {
        told(again_span, first_span, id(again));
    }
}

/// Refuses paths that several rows would share, with `None`.
pub(super) fn own_paths(
    data: &CaseData,
    own: &WorldSettings,
    common: &WorldSettings,
    span: Span,
    problems: &mut Diagnostics,
) -> Option<()> {
    if own.scripts(common).any(is_per_case) {
        let message = "`{case}` in the path of a script is not supported for cases from data";
        let help = "use columns inside of the script's conditions, or a recording for each case";
        problems.error(span, message, "has one case for each row").help(help);
        return None;
    }
    if !own.paths(common).any(is_per_case) {
        return Some(());
    }
    let index = &data.dataset.index;
    let Some(id) = index.ids().find(|id| changes_as_file_name(id)) else { return Some(()) };
    let message = format!("the id `{}` cannot be part of a file name", id.escape_debug());
    let help = "`{case}` in a path needs ids without `/`, `\\` and control characters";
    problems.error(span, message, "has paths with `{case}`").help(help);
    None
}
