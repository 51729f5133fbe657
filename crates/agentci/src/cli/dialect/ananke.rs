//! The flag of the ananke format.

use std::path::PathBuf;

use agentci::plan::Dialect;
use clap::Args;

use super::format_flag::FormatFlag;

/// Flags about suites of the ananke format.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct AnankeFlags {
    /// Config file for tests in the ananke format [default: the nearest `ananke.config.yaml` in a parent directory]
    #[arg(long, value_name = "FILE", help_heading = "Suite formats")]
    pub(super) config: Option<PathBuf>,
}

impl AnankeFlags {
    pub(super) fn flags(&self) -> [FormatFlag; 1] {
        let help = "leave it out, or select tests with `turns:`";
        [FormatFlag { name: "--config", given: self.config.is_some(), formats: &[Dialect::Ananke], help }]
    }
}
