//! Why something cannot be evaluated on a stored run.

use agentci_verdict::{Cause, Finding};

use crate::evidence::EvidenceError;

/// Why a check cannot be evaluated on a stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The check has variables.
    Variables,
    /// Values of the stored run were redacted.
    Redacted,
    /// A remote embedder would have to be asked.
    Embedder,
    /// The embedder of the run differs from the one of the suite, or is unknown.
    OtherEmbedder,
    /// Another agent would have to be asked.
    Judge,
}

impl Obstacle {
    /// Whether the stored result still applies if the check itself is unchanged.
    pub(crate) fn keeps_result(self) -> bool {
        self != Obstacle::OtherEmbedder
    }

    /// The reason, for a list.
    pub(super) fn reason(self) -> &'static str {
        self.words().0
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Obstacle::Variables => (
                "the values of its variables were not stored",
                "run the agent again; only variables with a fixed value in the suite are known",
            ),
            Obstacle::Redacted => (
                "the stored run contains `[REDACTED]` instead of a secret",
                "run the agent again, or keep the secret out of what the agent sends and gets",
            ),
            Obstacle::Embedder => (
                "the embedder of the run would have to be asked again",
                "run the agent again, or set `embedder: builtin` in the suite",
            ),
            Obstacle::OtherEmbedder => {
                ("the run compared answers with another embedder than the suite sets now", "run the agent again")
            }
            Obstacle::Judge => ("the judging agent would have to be asked again", "run the agent again"),
        }
    }
}

impl From<Obstacle> for EvidenceError {
    fn from(obstacle: Obstacle) -> Self {
        let (reason, help) = obstacle.words();
        not_rechecked(reason).help(help).into()
    }
}

/// The name of findings about a whole case.
pub(super) const CASE: &str = "case";
/// How messages begin.
pub(super) const PREFIX: &str = "not rechecked: ";

/// The finding for something that could not be evaluated again.
pub(super) fn not_rechecked(reason: impl std::fmt::Display) -> Finding {
    Finding::new(Cause::NotRechecked, format!("{PREFIX}{reason}"))
}
