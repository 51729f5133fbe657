//! Things that go wrong on purpose.

use std::time::Duration;

use agentci_source::{Span, Spanned};

/// Something that goes wrong with answers to tool calls, or with answers of a recorded model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The tool it happens to; any when absent.
    pub tool: Option<Spanned<String>>,
    /// Whether it happens to calls of the model, and not to tools.
    pub model: bool,
    /// Which calls it happens to.
    pub when: FaultTime,
    /// What happens.
    pub kind: FaultKind,
    /// Where the suite asks for it.
    pub span: Span,
}

/// Which calls a fault happens to, counted for the tool it names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultTime {
    /// All of them.
    Always,
    /// The nth, from 1.
    Call(u32),
    /// About this share of them, by a draw that the seed decides.
    Rate(f64),
}

impl FaultKind {
    /// Its name in suites and events.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// The tool fails with these words.
    Error(String),
    /// The answer comes late.
    Delay(Duration),
    /// The answer is not in the form that was agreed on.
    Malformed,
    /// The answer breaks off.
    Truncated,
    /// There is no answer.
    Hang,
}
