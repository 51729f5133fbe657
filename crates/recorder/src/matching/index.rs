//! The exchanges of a recording by their prints.

use std::collections::HashMap;

use super::answered::MatchRules;
use super::place::split;
use super::prints::Print;
use super::roots::RootPairs;
use super::view::View;
use crate::Recording;

/// Positions of exchanges, in their order.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<Print, Vec<usize>>);

impl Index {
    /// What goes to a folder is found at its path, and at that with a mark for the folder.
    pub(super) fn of(recording: &Recording, rules: &MatchRules, roots: &RootPairs) -> Self {
        let mut index = Self::default();
        for (position, exchange) in recording.exchanges.iter().enumerate() {
            let request = &exchange.request;
            let view = || View::of(request, rules, &recording.holes);
            index.add(position, &view());
            if let Some(path) = roots.masked_recorded(split(&request.path).0) {
                index.add(position, &view().at(request, &path));
            }
        }
        index
    }

    fn add(&mut self, position: usize, view: &View<'_>) {
        for print in [Print::exact(view), Print::shape(view), Print::likely(view), Print::place(view)] {
            self.0.entry(print).or_default().push(position);
        }
    }

    /// The exchanges that have a print.
    pub(super) fn having(&self, print: Print) -> &[usize] {
        self.0.get(&print).map_or(&[], Vec::as_slice)
    }
}
