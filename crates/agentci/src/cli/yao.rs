//! Flags of the yao format.

use std::path::PathBuf;

use agentci::formats::YaoOptions;
use clap::Args;

/// Flags about suites of the yao format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct YaoFlags {
    /// A file of tests of the yao format, or a message to an assistant
    #[arg(short, long, value_name = "FILE|MESSAGE")]
    pub(crate) input: Option<String>,
    /// The connector of all assistants; their own without it
    #[arg(short, long, value_name = "ID")]
    pub(crate) connector: Option<String>,
    /// The user who asks an assistant; `test-user` without it
    #[arg(short, long, value_name = "ID")]
    pub(crate) user: Option<String>,
    /// The team of that user; `test-team` without it
    #[arg(short, long, value_name = "ID")]
    pub(crate) team: Option<String>,
    /// The folder of the assistants' application; found from the tests without it
    #[arg(short, long, value_name = "DIR")]
    pub(crate) app: Option<PathBuf>,
    /// A file of environment variables for connectors and prompts
    #[arg(short, long, value_name = "FILE")]
    pub(crate) env: Option<PathBuf>,
}

impl YaoFlags {
    /// What they say to whoever reads the suites.
    pub(crate) fn options(&self) -> YaoOptions {
        YaoOptions {
            input: self.input.clone(),
            connector: self.connector.clone(),
            user: self.user.clone(),
            team: self.team.clone(),
            app: self.app.clone(),
            env: self.env.clone(),
        }
    }
}
