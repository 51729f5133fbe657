//! Cases that are repeated until it is decided whether they got worse.

use std::time::Duration;

use agentci_source::Span;

/// The maximum number of runs of a case that is repeated until it is decided.
pub const MOST_REPEATS: u32 = 200;

/// How a case is repeated until it is decided; the maximum is the case's number of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// The minimum number of runs.
    pub min: u32,
    /// What the runs of the case may use together.
    pub budget: RepeatBudget,
    /// What all cases of the suite may use together.
    pub total: RepeatBudget,
    /// Where the suite asks for it; `None` if the caller does.
    pub span: Option<Span>,
}

/// What runs may use together. A case that has used it up is not repeated any more, but its minimum number of runs is
/// always run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RepeatBudget {
    /// Cost in US dollars, as agents report it.
    pub cost_usd: Option<f64>,
    /// Time since the first run.
    pub wall: Option<Duration>,
}

impl Repeats {
    /// The usual maximum number of runs.
    pub const MAX: u32 = 20;
}

impl Default for Repeats {
    fn default() -> Self {
        Self { min: 1, budget: RepeatBudget::default(), total: RepeatBudget::default(), span: None }
    }
}
