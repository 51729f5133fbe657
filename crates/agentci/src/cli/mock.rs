//! `--mock-config`: which scripted model answers tests of the `aumai` format.

use std::path::PathBuf;

use agentci::Suites;
use agentci::formats::MockSource;
use agentci::plan::Dialect;
use clap::Args;

use super::context::Context;

/// Flags about scripted models.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MockFlags {
    /// The scripted model that answers tests of the aumai format; `mock_config.yaml` beside the tests without it
    #[arg(long, value_name = "FILE")]
    mock_config: Option<PathBuf>,
}

impl MockFlags {
    /// Where the script comes from.
    pub(crate) fn source(&self) -> MockSource {
        self.mock_config.clone().map_or(MockSource::Beside, MockSource::File)
    }

    /// Whether there is a suite that has a use for the flag; says so if not.
    pub(crate) fn fit(&self, suites: &Suites, context: &Context) -> bool {
        let loaded = &suites.plan().suites;
        let used = loaded.iter().any(|suite| suite.dialect == Dialect::Aumai);
        // A suite that was refused is told of by its own problems.
        let refused = loaded.is_empty() && suites.problems().has_errors();
        if self.mock_config.is_none() || used || refused {
            return true;
        }
        let help = "leave it out; a native suite has its script under `target: { mock: {..} }`";
        context.complain("`--mock-config` is for suites of the aumai format, and there is none", Some(help));
        false
    }
}
