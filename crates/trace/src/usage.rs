//! What the agent says it used up.

use serde::{Deserialize, Serialize};

/// Tokens and cost, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens the model read.
    pub tokens_in: Option<u64>,
    /// Tokens the model wrote.
    pub tokens_out: Option<u64>,
    /// Cost in US dollars.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Both together; what neither knows stays unknown.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        fn sum<T: std::ops::Add<Output = T>>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            }
        }
        Usage {
            tokens_in: sum(self.tokens_in, other.tokens_in),
            tokens_out: sum(self.tokens_out, other.tokens_out),
            cost_usd: sum(self.cost_usd, other.cost_usd),
        }
    }
}
