//! How to run a suite.

use std::time::Duration;

use agentci_plan::Mode;
use agentci_source::Files;
use agentci_trace::Redactor;

use crate::settings::Settings;

/// How to run a suite: what the caller decides, what the suite decides where the caller does not, and the world around the run.
pub struct RunOptions<'o> {
    /// Where recordings and schemas are read from.
    pub files: &'o dyn Files,
    /// The environment, for `${ENV.NAME}`.
    pub environment: &'o dyn Fn(&str) -> Option<String>,
    /// Whether tools are replayed, recorded or live.
    pub mode: Mode,
    /// How long all cases together may take.
    pub suite_timeout: Option<Duration>,
    /// What the caller decides.
    pub settings: &'o Settings,
    /// What must not leave the run: the environment's secrets.
    pub secrets: &'o Redactor,
}
