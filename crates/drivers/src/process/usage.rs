//! What an agent used up: as the wire between it and its model tells, or else as the agent says itself.

use agentci_trace::{EventKind, Usage};

/// Keeps both from being counted.
#[derive(Debug, Default)]
pub(super) struct UsageCount {
    /// Whether the wire may tell.
    wire_tells: bool,
    /// Whether it did.
    told: bool,
    /// What the agent said that it used, which counts if the wire tells nothing until the turn is over: the agent may be quicker.
    own: Option<Usage>,
}

impl UsageCount {
    pub(super) fn new(wire_tells: bool) -> Self {
        Self { wire_tells, ..Self::default() }
    }

    /// The agent says what it used; gives what counts at once.
    pub(super) fn said(&mut self, usage: Usage) -> Option<Usage> {
        if !self.wire_tells {
            return Some(usage);
        }
        if !self.told {
            self.own = Some(self.own.unwrap_or_default().plus(usage));
        }
        None
    }

    /// Something was seen on the wire.
    pub(super) fn seen(&mut self, kind: &EventKind) {
        if matches!(kind, EventKind::Usage(_)) {
            self.told = true;
            self.own = None;
        }
    }

    /// What the agent said and the wire did not tell, once the turn is over.
    pub(super) fn rest(&mut self) -> Option<Usage> {
        self.own.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE: Usage = Usage { tokens_in: Some(5), tokens_out: None, cost_usd: None };

    #[test]
    fn the_wire_counts_once_whoever_is_quicker() {
        let wire = EventKind::Usage(FIVE);
        let mut first = UsageCount::new(true);
        first.seen(&wire);
        assert_eq!((first.said(FIVE), first.rest()), (None, None));
        let mut last = UsageCount::new(true);
        assert_eq!(last.said(FIVE), None);
        last.seen(&wire);
        assert_eq!((last.said(FIVE), last.rest()), (None, None));
    }

    #[test]
    fn what_only_the_agent_knows_counts() {
        assert_eq!(UsageCount::new(false).said(FIVE), Some(FIVE));
        let mut used = UsageCount::new(true);
        used.seen(&EventKind::TurnEnd);
        assert_eq!((used.said(FIVE), used.said(FIVE)), (None, None));
        assert_eq!(used.rest().and_then(|usage| usage.tokens_in), Some(10));
        assert_eq!(used.rest(), None);
    }
}
