//! How a case ended.

use serde::{Deserialize, Serialize};

/// How a case ended, in the words of `summary.json`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// Everything that was asked held.
    #[default]
    Pass,
    /// It was not run.
    Skipped,
    /// The agent did not do what was asked.
    Fail,
    /// It could not be told: the agent broke down, or the suite is wrong.
    Error,
}

impl CaseStatus {
    /// The word for it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a case failed or could not be told, the failures first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A check did not hold.
    #[default]
    Check,
    /// The case used more than it may.
    Limit,
    /// The recording has no such call.
    ReplayMiss,
    /// The stub has no such answer.
    StubMiss,
    /// The agent called a tool it may not call.
    ToolNotAllowed,
    /// A provider would refuse what the agent asked its model.
    ProviderWouldRefuse,
    /// The script of the model calls a tool that the agent does not offer.
    ToolNotOffered,
    /// The script of the model calls a tool with arguments that its schema refuses.
    ArgumentsDoNotFit,
    /// The script of the model does not answer in the format that the agent asks for.
    FormatNotMet,
    /// The script of the model has no answer.
    ModelMiss,
    /// The agent never asked its model.
    ModelNeverAsked,
    /// It took too long.
    Timeout,
    /// The agent did not speak the protocol.
    Protocol,
    /// The agent ended before its result came.
    AgentExited,
    /// The agent itself gave up.
    AgentError,
    /// The agent could not be started or reached.
    Unreachable,
    /// No embedding could be had.
    Embedding,
    /// A check could not be evaluated within its bounds.
    CheckTimeout,
    /// A hook failed.
    Hook,
    /// The case or what it needs is wrong.
    Config,
    /// The user stopped the run.
    Interrupted,
}

impl Cause {
    /// What such a cause makes of the case: up to [`Cause::ModelNeverAsked`] it failed, beyond that nothing could be told.
    pub fn status(self) -> CaseStatus {
        if self <= Cause::ModelNeverAsked { CaseStatus::Fail } else { CaseStatus::Error }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
