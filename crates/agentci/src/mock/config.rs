//! The configuration of a test run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{InvalidModelError, MockLlmConfig};

/// How tests are run.
///
/// ```
/// use agentci::AgentTestConfig;
///
/// let config = AgentTestConfig::new("agent-tests").with_timeout_seconds(5.0)?.in_parallel(true);
/// assert!(config.mock_config().is_none());
/// assert!(AgentTestConfig::new("agent-tests").with_timeout_seconds(0.0).is_err());
/// # Ok::<(), agentci::mock::InvalidModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenMockConfig")]
pub struct AgentTestConfig {
    test_dir: PathBuf,
    mock_config: Option<MockLlmConfig>,
    timeout_seconds: f64,
    parallel: bool,
}

#[derive(Deserialize)]
struct WrittenMockConfig {
    test_dir: PathBuf,
    mock_config: Option<MockLlmConfig>,
    timeout_seconds: Option<f64>,
    #[serde(default)]
    parallel: bool,
}

impl TryFrom<WrittenMockConfig> for AgentTestConfig {
    type Error = InvalidModelError;

    fn try_from(written: WrittenMockConfig) -> Result<Self, InvalidModelError> {
        let WrittenMockConfig { test_dir, mock_config, timeout_seconds, parallel } = written;
        let config = Self { mock_config, parallel, ..Self::new(test_dir) };
        timeout_seconds.map_or(Ok(config.clone()), |seconds| config.with_timeout_seconds(seconds))
    }
}

impl AgentTestConfig {
    /// Creates a configuration for the tests of a folder. Defaults: not parallel, a timeout of 30 seconds, and a model
    /// that always gives the same answer.
    pub fn new(test_dir: impl Into<PathBuf>) -> Self {
        Self { test_dir: test_dir.into(), mock_config: None, timeout_seconds: 30.0, parallel: false }
    }

    /// Sets the scripted model.
    #[must_use]
    pub fn with_mock_config(mut self, config: MockLlmConfig) -> Self {
        self.mock_config = Some(config);
        self
    }

    /// Sets the timeout of all tests together, which must be greater than 0.
    pub fn with_timeout_seconds(mut self, seconds: f64) -> Result<Self, InvalidModelError> {
        if seconds.is_nan() || seconds <= 0.0 {
            let wanted = "greater than 0";
            return Err(InvalidModelError::OutOfRange { field: "timeout_seconds", wanted, found: seconds });
        }
        self.timeout_seconds = seconds;
        Ok(self)
    }

    /// Sets whether tests run in parallel. Their verdicts and their order stay the same.
    #[must_use]
    pub fn in_parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// The folder of the tests.
    pub fn test_dir(&self) -> &Path {
        &self.test_dir
    }

    /// The scripted model, if it is set.
    pub fn mock_config(&self) -> Option<&MockLlmConfig> {
        self.mock_config.as_ref()
    }

    /// The timeout of all tests together.
    pub fn timeout_seconds(&self) -> f64 {
        self.timeout_seconds
    }

    /// Whether tests run in parallel.
    pub fn parallel(&self) -> bool {
        self.parallel
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout_seconds).unwrap_or(Duration::MAX)
    }
}
