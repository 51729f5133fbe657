//! Options for running a suite.

use std::sync::Arc;
use std::time::Duration;

use agentci_checks::ReadyCase;
use agentci_plan::{Case, Mode};
use agentci_source::Files;
use agentci_trace::Redactor;

use crate::settings::Settings;

/// Identifies the definition of a case with its compiled checks; `None` if it cannot be identified.
pub type DefinitionOf<'o> = dyn Fn(&Case, &ReadyCase) -> Option<Arc<str>> + 'o;

/// Options for running a suite: the caller's settings, the suite's own settings where the caller has none, and the
/// environment of the run.
pub struct RunOptions<'o> {
    /// The file system for recordings and schemas.
    pub files: &'o dyn Files,
    /// Looks up environment variables, for `${ENV.NAME}`.
    pub environment: &'o dyn Fn(&str) -> Option<String>,
    /// Identifies the definition of a case, so that a later run can tell whether it changed; `None` if that is not
    /// needed.
    pub definition: Option<&'o DefinitionOf<'o>>,
    /// Whether tools are replayed, recorded or live.
    pub mode: Mode,
    /// The timeout for all cases together.
    pub suite_timeout: Option<Duration>,
    /// The caller's settings.
    pub settings: &'o Settings,
    /// The secrets of the environment, which are redacted everywhere.
    pub secrets: &'o Redactor,
}
