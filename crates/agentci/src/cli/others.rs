//! Warnings about cases that were not selected: whoever runs one case is not told what is odd about the others.

use agentci::plan::{Case, CaseFiles};
use agentci::source::Diagnostic;
use agentci::{LoadedSuite, Suites};

/// Whether a warning is about a case that is not selected. Where it cannot be told whose it is, it is shown.
pub(super) fn is_of_others(warning: &Diagnostic, suites: &Suites) -> bool {
    for LoadedSuite { suite, ready, selected, .. } in suites.loaded() {
        if selected.len() == suite.cases.len() {
            continue;
        }
        let is_selected = |index: usize| selected.binary_search(&index).is_ok();
        if let Some(index) = ready.cases.iter().position(|case| case.problems.iter().any(|own| own == warning)) {
            return !is_selected(index);
        }
        let in_file = |case: &Case| case.span.file == warning.span.file;
        let here: Vec<(usize, u32)> = suite
            .cases
            .iter()
            .enumerate()
            .filter(|(_, case)| in_file(case))
            .map(|(index, case)| (index, case.span.line))
            .collect();
        if here.is_empty() {
            continue;
        }
        // The place of a case is that of its id, which need not be its first line: a line between two ids may be of either.
        let after = here.iter().find(|(_, line)| *line > warning.span.line);
        let before = here.iter().rev().find(|(_, line)| *line <= warning.span.line);
        let within = suite.habits.case_files == CaseFiles::WithSettings;
        // What is before the first case or behind the last may be the suite's own, where both are in one file.
        let neighbours = if within { before.zip(after).map(|(before, after)| vec![before, after]) } else { None };
        let neighbours = match neighbours {
            Some(neighbours) => neighbours,
            None if within => return false,
            None => before.into_iter().chain(after).collect(),
        };
        return !neighbours.into_iter().any(|(index, _)| is_selected(*index));
    }
    false
}
