//! Finds warnings about cases that are not selected, which are not shown.

use std::collections::HashMap;

use agentci::plan::{CaseFiles, case_count};
use agentci::source::{Diagnostic, FileId};
use agentci::{LoadedSuite, Suites};

/// The positions of cases, for suites of which only some cases are selected.
pub(super) struct UnselectedCases<'s> {
    suites: Vec<(&'s LoadedSuite, HashMap<FileId, Vec<CaseBounds>>)>,
}

/// The first line of a case, and the line after its end, if known.
struct CaseBounds {
    line: u32,
    end: Option<u32>,
    selected: bool,
}

impl<'s> UnselectedCases<'s> {
    pub(super) fn new(suites: &'s Suites) -> Self {
        let in_part = suites.loaded().iter().filter(|loaded| loaded.selected.len() < case_count(&loaded.suite.cases));
        let placed = in_part.map(|loaded| {
            let mut lines: HashMap<FileId, Vec<&str>> = HashMap::new();
            let mut begun: HashMap<FileId, Vec<CaseBounds>> = HashMap::new();
            for (index, case) in loaded.suite.cases.iter().enumerate() {
                let file = case.span.file;
                let lines = lines.entry(file).or_insert_with(|| suites.sources().text(file).lines().collect());
                let line = first_line(lines, case.span.line);
                let (end, selected) = (end_of_item(lines, line), is_selected(loaded, index));
                begun.entry(file).or_default().push(CaseBounds { line, end, selected });
            }
            (loaded, begun)
        });
        Self { suites: placed.collect() }
    }

    /// Whether a warning is about a case that is not selected. False if it is unknown which case it is about.
    pub(super) fn has(&self, warning: &Diagnostic) -> bool {
        for (loaded, files) in &self.suites {
            let mut cases = loaded.ready.cases.iter();
            if let Some(index) = cases.position(|case| case.problems.iter().any(|own| own == warning)) {
                return !is_selected(loaded, index);
            }
            let Some(here) = files.get(&warning.span.file) else { continue };
            let before = here.iter().map(|case| case.line).filter(|line| *line <= warning.span.line).max();
            let is_last = !here.iter().any(|case| case.line > warning.span.line);
            let over = |case: &CaseBounds| case.end.is_none_or(|end| end <= warning.span.line);
            let behind = is_last && here.iter().any(|case| Some(case.line) == before && over(case));
            // A warning before the first case or after the last may be about the suite, if both are in one file.
            let within = loaded.suite.conventions.case_files == CaseFiles::WithSettings;
            if within && (before.is_none() || behind) {
                return false;
            }
            // Several cases may be on one line.
            return !here.iter().any(|case| case.selected && before.is_none_or(|before| case.line == before));
        }
        false
    }
}

fn is_selected(loaded: &LoadedSuite, index: usize) -> bool {
    loaded.selected.binary_search_by_key(&index, |position| position.case as usize).is_ok()
}

/// The first line of the case whose id is on this line: the id need not come first in its list item.
fn first_line(lines: &[&str], id: u32) -> u32 {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_item = |line: &str| line.trim_start().starts_with('-');
    let at = usize::try_from(id).expect("lines are counted in 32 bits").saturating_sub(1);
    let Some(own) = lines.get(at).filter(|line| !is_item(line)) else { return id };
    let above = lines[..at].iter().rposition(|line| is_item(line) && indent(line) < indent(own));
    above.and_then(|above| u32::try_from(above + 1).ok()).unwrap_or(id)
}

/// The line after the list item that starts on this line; `None` if the list is in brackets.
fn end_of_item(lines: &[&str], first: u32) -> Option<u32> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let at = usize::try_from(first).ok()?.checked_sub(1)?;
    let own = lines.get(at).filter(|line| line.trim_start().starts_with('-'))?;
    let is_other = |line: &&str| !line.trim().is_empty() && indent(line) <= indent(own);
    let behind = lines[at + 1..].iter().position(is_other).map_or(lines.len(), |more| at + 1 + more);
    u32::try_from(behind + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_first_and_last_line_of_each_case() {
        let text = "tests:\n- tags:\n  - x\n  name: a\n- name: b\n  - not: this\n  -\n    name: c\n{\"id\": \"d\"}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!([4, 5, 8, 9, 99].map(|id| first_line(&lines, id)), [2, 5, 7, 9, 99]);
        assert_eq!([2, 5, 7, 9, 99].map(|first| end_of_item(&lines, first)), [Some(5), Some(9), Some(9), None, None]);
    }
}
