//! Faults to inject on purpose.

use std::time::Duration;

use agentci_source::{Span, Spanned};

/// A fault in answers to tool calls, or in answers of a recorded model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The tool it applies to; any when absent.
    pub tool: Option<Spanned<String>>,
    /// Whether it applies to calls of the model instead of tools.
    pub model: bool,
    /// Which calls it applies to.
    pub when: FaultTime,
    /// What happens.
    pub kind: FaultKind,
    /// Where the suite sets it.
    pub span: Span,
}

/// Which calls a fault applies to, counted per tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultTime {
    /// All calls.
    Always,
    /// The nth call, from 1.
    Call(u32),
    /// About this share of the calls, chosen at random from the seed.
    Rate(f64),
}

impl FaultKind {
    /// Its name in suites and events.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// The tool fails with this message.
    Error(String),
    /// The answer is late.
    Delay(Duration),
    /// The answer is malformed.
    Malformed,
    /// The answer is cut off.
    Truncated,
    /// There is no answer.
    Hang,
}
