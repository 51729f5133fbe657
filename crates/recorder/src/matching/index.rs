//! The exchanges of a recording by their fingerprints.

use std::collections::HashMap;

use super::fingerprints::RequestPrint;
use super::folders::RootPairs;
use super::options::MatchRules;
use super::place::split;
use super::request_view::RequestView;
use crate::Recording;

/// Positions of exchanges, in order.
#[derive(Debug, Default)]
pub(super) struct ExchangeIndex(HashMap<RequestPrint, Vec<usize>>);

impl ExchangeIndex {
    /// Indexes a request to a folder at its path, and at the path with a mark for the folder.
    pub(super) fn of(recording: &Recording, rules: &MatchRules, roots: &RootPairs) -> Self {
        let mut index = Self::default();
        for (position, exchange) in recording.exchanges.iter().enumerate() {
            let request = &exchange.request;
            index.0.entry(RequestPrint::equal(request)).or_default().push(position);
            let view = || RequestView::of(request, rules, &recording.holes);
            index.add(position, &view());
            if let Some(path) = roots.masked(split(&request.path).0, |pair| &pair.recorded) {
                index.add(position, &view().at(path));
            }
        }
        index
    }

    fn add(&mut self, position: usize, view: &RequestView<'_>) {
        for print in [RequestPrint::exact, RequestPrint::shape, RequestPrint::likely, RequestPrint::place] {
            self.0.entry(print(view)).or_default().push(position);
        }
    }

    /// The exchanges with this fingerprint.
    pub(super) fn having(&self, print: RequestPrint) -> &[usize] {
        self.0.get(&print).map_or(&[], Vec::as_slice)
    }
}
