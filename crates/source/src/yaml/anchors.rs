//! Expands aliases within a budget.
//!
//! An alias is expanded by copying, and copies of copies grow without bound: nine lines can expand to billions of
//! nodes. So copies are counted before they are made. Keeping an anchored node costs a copy as well, which matters if
//! large anchored nodes are nested. Nodes beyond the budget are not kept, and only an alias that needs one is an error.

use std::collections::HashMap;

use crate::{Content, Node};

/// The maximum number of nodes that all aliases of a file may add.
pub(super) const COPY_LIMIT: usize = 100_000;

/// The maximum number of nodes kept for later aliases.
const KEEP_LIMIT: usize = 10 * COPY_LIMIT;

/// The same limits in bytes of text: a few nodes can contain a whole file.
pub(super) const COPY_BYTES: usize = 64 << 20;
const KEEP_BYTES: usize = 2 * COPY_BYTES;

/// A finished node with its size, which is computed while it is built.
pub(super) struct SizedNode {
    pub(super) node: Node,
    /// The number of nodes in it, including itself.
    pub(super) nodes: usize,
    /// The number of levels in it, including itself.
    pub(super) height: usize,
}

/// Why an alias cannot be expanded.
#[derive(Debug, Clone, Copy)]
pub(super) enum AliasError {
    /// It is inside the node it refers to.
    Unfinished,
    /// The copies have too many nodes.
    TooMuch,
    /// The copies have too much text.
    TooLong,
}

/// The anchored nodes of a file.
#[derive(Default)]
pub(super) struct Anchors {
    /// The nodes by anchor, each with the number of bytes of its text.
    kept: HashMap<usize, Result<(SizedNode, usize), AliasError>>,
    kept_nodes: usize,
    kept_bytes: usize,
    copied_nodes: usize,
    copied_bytes: usize,
}

impl Anchors {
    /// Keeps a node under the parser's id of its anchor; 0 means that it has none.
    pub(super) fn keep(&mut self, anchor: usize, sized: &SizedNode) {
        if anchor == 0 {
            return;
        }
        self.kept_nodes = self.kept_nodes.saturating_add(sized.nodes);
        if sized.nodes > COPY_LIMIT || self.kept_nodes > KEEP_LIMIT {
            self.kept.insert(anchor, Err(AliasError::TooMuch));
            return;
        }
        let bytes = text_bytes(&sized.node);
        self.kept_bytes = self.kept_bytes.saturating_add(bytes);
        let copy = || SizedNode { node: sized.node.clone(), nodes: sized.nodes, height: sized.height };
        let fits = self.kept_bytes <= KEEP_BYTES;
        self.kept.insert(anchor, if fits { Ok((copy(), bytes)) } else { Err(AliasError::TooLong) });
    }

    /// A copy of the node an alias refers to.
    pub(super) fn copy(&mut self, anchor: usize) -> Result<SizedNode, AliasError> {
        let kept = self.kept.get(&anchor).ok_or(AliasError::Unfinished)?;
        let (kept, bytes) = kept.as_ref().map_err(|error| *error)?;
        self.copied_nodes = self.copied_nodes.saturating_add(kept.nodes);
        if self.copied_nodes > COPY_LIMIT {
            return Err(AliasError::TooMuch);
        }
        self.copied_bytes = self.copied_bytes.saturating_add(*bytes);
        if self.copied_bytes > COPY_BYTES {
            return Err(AliasError::TooLong);
        }
        Ok(SizedNode { node: kept.node.clone(), nodes: kept.nodes, height: kept.height })
    }
}

/// The number of bytes of text in a node, including keys. The depth of nodes is limited, so recursion is safe.
fn text_bytes(node: &Node) -> usize {
    match &node.content {
        Content::Scalar(scalar) => scalar.text.len(),
        Content::List(items) => items.iter().map(text_bytes).sum(),
        Content::Map(pairs) => pairs.iter().map(|pair| pair.key.text.len() + text_bytes(&pair.value)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Scalar, Sources, Span};

    use super::*;

    fn text(length: usize, nodes: usize) -> SizedNode {
        let span = Span::whole(Sources::default().add(std::path::Path::new("a"), ""));
        let content = Content::Scalar(Scalar::plain("x".repeat(length)));
        SizedNode { node: Node { span, content }, nodes, height: 1 }
    }

    #[test]
    fn alias_copies_are_limited() {
        let mut anchors = Anchors::default();
        for anchor in 1..=11 {
            anchors.keep(anchor, &text(1, COPY_LIMIT));
        }
        assert!(anchors.copy(10).is_ok());
        assert!(matches!(anchors.copy(11), Err(AliasError::TooMuch)));
        let mut anchors = Anchors::default();
        for anchor in 1..=3 {
            anchors.keep(anchor, &text(COPY_BYTES, 1));
        }
        assert!(anchors.copy(2).is_ok());
        assert!(matches!(anchors.copy(3), Err(AliasError::TooLong)));
    }
}
