//! The limits of a case.

use std::sync::{Arc, LazyLock};

use agentci_source::Span;

/// The maximum of something, and the line that sets it. Zero and negative values are allowed: then any use exceeds the
/// limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The key that sets it, as the suite spells it: `tool_calls`, or `max_tool_calls` in `RunLedger` suites.
    pub key: &'static str,
    /// The maximum.
    pub most: f64,
    /// Where the suite sets it.
    pub span: Span,
}

/// The limits of a case; exceeding one is a failure of its own kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Milliseconds from the start of the agent to its final output.
    pub wall_ms: Option<Limit>,
    /// Tool calls, including refused ones.
    pub tool_calls: Option<Limit>,
    /// Tool calls answered with an error.
    pub tool_errors: Option<Limit>,
    /// Requests to a model; retries of a request are not counted.
    pub model_calls: Option<Limit>,
    /// Tokens sent to the model, as the agent reports them.
    pub tokens_in: Option<Limit>,
    /// Tokens the model wrote, as the agent reports them.
    pub tokens_out: Option<Limit>,
    /// Cost in US dollars, as the agent reports it.
    pub cost_usd: Option<Limit>,
}

impl Limits {
    /// No limits, as one shared value.
    pub fn none() -> Arc<Limits> {
        static NONE: LazyLock<Arc<Limits>> = LazyLock::new(Arc::default);
        Arc::clone(&NONE)
    }

    /// Wraps the limits for sharing.
    #[must_use]
    pub fn shared(self) -> Arc<Limits> {
        if self == Limits::default() { Limits::none() } else { Arc::new(self) }
    }

    /// These limits, with unset ones taken from `below`.
    #[must_use]
    pub fn over(&self, below: &Limits) -> Limits {
        Limits {
            wall_ms: self.wall_ms.or(below.wall_ms),
            tool_calls: self.tool_calls.or(below.tool_calls),
            tool_errors: self.tool_errors.or(below.tool_errors),
            model_calls: self.model_calls.or(below.model_calls),
            tokens_in: self.tokens_in.or(below.tokens_in),
            tokens_out: self.tokens_out.or(below.tokens_out),
            cost_usd: self.cost_usd.or(below.cost_usd),
        }
    }

    /// Every limit with its name in summaries and messages, set or not, in a fixed order.
    pub fn named(&self) -> [(&'static str, Option<Limit>); 7] {
        [
            ("max_wall_ms", self.wall_ms),
            ("max_tool_calls", self.tool_calls),
            ("max_tool_errors", self.tool_errors),
            ("max_model_calls", self.model_calls),
            ("max_tokens_in", self.tokens_in),
            ("max_tokens_out", self.tokens_out),
            ("max_cost_usd", self.cost_usd),
        ]
    }
}
