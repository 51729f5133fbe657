//! The flag of the aumai format.

use std::path::PathBuf;

use agentci::formats::MockSource;
use agentci::plan::Dialect;
use clap::Args;

use super::format_flag::FormatFlag;

/// The format for tests of model answers, which `agentci init` can write.
pub(crate) const OF_ANSWERS: Dialect = Dialect::Aumai;

/// Flags about suites of the aumai format.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct AumaiFlags {
    /// Scripted model for tests in the aumai format [default: `mock_config.yaml` next to the tests]
    #[arg(long, value_name = "FILE", help_heading = "Suite formats")]
    mock_config: Option<PathBuf>,
}

impl AumaiFlags {
    /// Where the scripted model comes from.
    pub(super) fn mock(&self) -> MockSource {
        self.mock_config.clone().map_or(MockSource::Beside, MockSource::File)
    }

    pub(super) fn flags(&self) -> [FormatFlag; 1] {
        let help = "leave it out; a native suite has its script in `target: { mock: {..} }`";
        [FormatFlag { name: "--mock-config", given: self.mock_config.is_some(), formats: &[Dialect::Aumai], help }]
    }
}
