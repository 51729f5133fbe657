//! What aliases stand for, within a budget.
//!
//! An alias is expanded by copying, and copies of copies grow without bound: nine lines can ask for billions of nodes. So
//! copies are counted before they are made. Keeping an anchored node costs a copy as well, which matters where large anchored
//! nodes are nested; those beyond the budget are not kept, and only an alias that asks for one is an error.

use std::collections::HashMap;

use agentci_plan::Node;

/// The most nodes that all aliases of a file may add up to.
pub(super) const COPY_LIMIT: usize = 100_000;

/// The most nodes that are kept for aliases to come.
const KEEP_LIMIT: usize = 10 * COPY_LIMIT;

/// A finished node with its size, which is known while it is built.
pub(super) struct Sized {
    pub(super) node: Node,
    /// How many nodes it has, itself included.
    pub(super) nodes: usize,
    /// How many levels it has, itself included.
    pub(super) height: usize,
}

/// Why an alias can not be expanded.
pub(super) enum AliasError {
    /// It stands within the node it refers to.
    Unfinished,
    /// The copies of the file come to too much.
    TooMuch,
}

/// The anchored nodes of a file.
#[derive(Default)]
pub(super) struct Anchors {
    /// `None` for a node that is too large to be kept.
    kept: HashMap<usize, Option<Sized>>,
    kept_nodes: usize,
    copied_nodes: usize,
}

impl Anchors {
    /// Keeps a node under the parser's number for its anchor; 0 means it has none.
    pub(super) fn keep(&mut self, anchor: usize, sized: &Sized) {
        if anchor == 0 {
            return;
        }
        self.kept_nodes = self.kept_nodes.saturating_add(sized.nodes);
        let fits = sized.nodes <= COPY_LIMIT && self.kept_nodes <= KEEP_LIMIT;
        let copy = fits.then(|| Sized { node: sized.node.clone(), nodes: sized.nodes, height: sized.height });
        self.kept.insert(anchor, copy);
    }

    /// A copy of the node an alias refers to.
    pub(super) fn copy(&mut self, anchor: usize) -> Result<Sized, AliasError> {
        let kept = self.kept.get(&anchor).ok_or(AliasError::Unfinished)?;
        let kept = kept.as_ref().ok_or(AliasError::TooMuch)?;
        self.copied_nodes = self.copied_nodes.saturating_add(kept.nodes);
        if self.copied_nodes > COPY_LIMIT {
            return Err(AliasError::TooMuch);
        }
        Ok(Sized { node: kept.node.clone(), nodes: kept.nodes, height: kept.height })
    }
}
