//! Token usage of an agent: observed between the agent and its model, or else reported by the agent.

use agentci_trace::{EventKind, Usage};

/// Prevents counting both.
#[derive(Debug, Default)]
pub(super) struct UsageCount {
    /// Whether usage may be observed.
    wire_tells: bool,
    /// Whether usage was observed.
    told: bool,
    /// The usage that the agent reported. It counts if none is observed by the end of the turn; the agent may report
    /// first.
    own: Option<Usage>,
}

impl UsageCount {
    pub(super) fn new(wire_tells: bool) -> Self {
        Self { wire_tells, ..Self::default() }
    }

    /// Handles usage that the agent reported; returns what counts immediately.
    pub(super) fn said(&mut self, usage: Usage) -> Option<Usage> {
        if !self.wire_tells {
            return Some(usage);
        }
        if !self.told {
            self.own = Some(self.own.unwrap_or_default().plus(usage));
        }
        None
    }

    /// Handles an observed event.
    pub(super) fn seen(&mut self, kind: &EventKind) {
        if matches!(kind, EventKind::Usage(_)) {
            self.told = true;
            self.own = None;
        }
    }

    /// The reported usage that counts at the end of the turn.
    pub(super) fn rest(&mut self) -> Option<Usage> {
        self.own.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE: Usage = Usage { tokens_in: Some(5), tokens_out: None, cost_usd: None };

    #[test]
    fn counts_observed_usage_once_in_any_order() {
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
    fn counts_usage_reported_only_by_the_agent() {
        assert_eq!(UsageCount::new(false).said(FIVE), Some(FIVE));
        let mut used = UsageCount::new(true);
        used.seen(&EventKind::TurnEnd);
        assert_eq!((used.said(FIVE), used.said(FIVE)), (None, None));
        assert_eq!(used.rest().and_then(|usage| usage.tokens_in), Some(10));
        assert_eq!(used.rest(), None);
    }
}
