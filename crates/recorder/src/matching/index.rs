//! The exchanges of a recording by their prints.

use std::collections::HashMap;

use super::answered::MatchRules;
use super::place::split;
use super::prints;
use super::roots::RootPairs;
use super::view::View;
use crate::Recording;

/// Positions of exchanges, in their order.
#[derive(Debug, Default)]
pub(super) struct Index {
    exact: HashMap<u64, Vec<usize>>,
    shape: HashMap<u64, Vec<usize>>,
    likely: HashMap<u64, Vec<usize>>,
    place: HashMap<u64, Vec<usize>>,
}

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
        self.exact.entry(prints::exact(view)).or_default().push(position);
        self.shape.entry(prints::shape(view)).or_default().push(position);
        self.likely.entry(prints::likely(view)).or_default().push(position);
        self.place.entry(prints::place(view)).or_default().push(position);
    }

    pub(super) fn exact(&self, view: &View<'_>) -> &[usize] {
        self.exact.get(&prints::exact(view)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn shape(&self, view: &View<'_>) -> &[usize] {
        self.shape.get(&prints::shape(view)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn likely(&self, view: &View<'_>) -> &[usize] {
        self.likely.get(&prints::likely(view)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn place(&self, view: &View<'_>) -> &[usize] {
        self.place.get(&prints::place(view)).map_or(&[], Vec::as_slice)
    }
}
