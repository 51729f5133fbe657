//! The status of a case and its causes.

use serde::{Deserialize, Serialize};

/// The status of a case, as in `summary.json`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// All checks passed.
    #[default]
    Pass,
    /// The case was not run.
    Skipped,
    /// The agent did not do what the case expects.
    Fail,
    /// The case could not be judged: the agent crashed, or the suite is invalid.
    Error,
}

impl CaseStatus {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a case failed or could not be judged, failures first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A check failed.
    #[default]
    Check,
    /// The case exceeded a limit.
    Limit,
    /// The recording does not contain the request.
    ReplayMiss,
    /// No stub answers the request.
    StubMiss,
    /// The agent called a tool that is not allowed.
    ToolNotAllowed,
    /// A provider would reject the agent's model request.
    ProviderWouldRefuse,
    /// The scripted model calls a tool that the agent does not offer.
    ToolNotOffered,
    /// The scripted model calls a tool with arguments that do not match its schema.
    ArgumentsDoNotFit,
    /// The scripted model does not answer in the format that the agent requests.
    FormatNotMet,
    /// The scripted model has no answer.
    ModelMiss,
    /// The agent never called its model.
    ModelNeverAsked,
    /// The agent or the suite timed out.
    Timeout,
    /// The agent violated the protocol.
    Protocol,
    /// The agent exited without a result.
    AgentExited,
    /// The agent reported an error.
    AgentError,
    /// The agent could not be started or reached.
    Unreachable,
    /// The embedder failed.
    Embedding,
    /// A check could not be evaluated within its limits.
    CheckTimeout,
    /// A hook failed.
    Hook,
    /// The case or something it needs is invalid.
    Config,
    /// The user or a ceiling stopped the run.
    Interrupted,
    /// The stored run lacks what a recheck of it needs.
    NotRechecked,
}

impl Cause {
    /// The status that this cause results in: a failure up to [`Cause::ModelNeverAsked`], an error beyond that.
    pub fn status(self) -> CaseStatus {
        if self <= Cause::ModelNeverAsked { CaseStatus::Fail } else { CaseStatus::Error }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
