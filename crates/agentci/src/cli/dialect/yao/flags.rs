//! Flags of the yao format.

use std::path::PathBuf;

use agentci::formats::YaoOptions;
use clap::Args;

/// The variable that names the folder of the application where no flag does.
const APP_VARIABLE: &str = "YAO_ROOT";

/// Flags about suites of the yao format.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct YaoFlags {
    /// A file of tests of the yao format, or a message to an assistant
    #[arg(short, long, value_name = "FILE|MESSAGE", help_heading = "Assistants")]
    pub(crate) input: Option<String>,
    /// The connector of the assistant [default: its own]
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(crate) connector: Option<String>,
    /// The user who asks an assistant [default: `test-user`]
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(crate) user: Option<String>,
    /// The team of that user [default: `test-team`]
    #[arg(short, long, value_name = "ID", help_heading = "Assistants")]
    pub(crate) team: Option<String>,
    /// The folder of the assistants' application [default: found from the tests]
    #[arg(short, long, value_name = "DIR", help_heading = "Assistants")]
    pub(crate) app: Option<PathBuf>,
    /// A file of environment variables for connectors and prompts
    #[arg(short, long, value_name = "FILE", help_heading = "Assistants")]
    pub(crate) env: Option<PathBuf>,
}

impl YaoFlags {
    /// The flags that were given and mean nothing to suites of other formats, each by its name.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let flags = [
            ("--connector", self.connector.is_some()),
            ("--user", self.user.is_some()),
            ("--team", self.team.is_some()),
            ("--app", self.app.is_some()),
            ("--env", self.env.is_some()),
        ];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// What they say to whoever reads the suites.
    pub(crate) fn options(&self) -> YaoOptions {
        YaoOptions {
            input: self.input.clone(),
            connector: self.connector.clone(),
            user: self.user.clone(),
            team: self.team.clone(),
            app: self.app.clone().or_else(|| agentci::environment(APP_VARIABLE).map(PathBuf::from)),
            env: self.env.clone(),
            environment: Some(agentci::environment),
            ..YaoOptions::default()
        }
    }
}
