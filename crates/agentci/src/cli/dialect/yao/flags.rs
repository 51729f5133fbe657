//! Flags for loading suites in the yao format.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agentci::DiskFiles;
use agentci::formats::{YaoInput, YaoOptions, default_chat_context};
use agentci::plan::{Dialect, Suite, Target};
use clap::Args;
use serde_json::Value;

use super::results;
use crate::cli::dialect::OwnResults;
use crate::cli::dialect::format_flag::FormatFlag;

/// The environment variable for the folder of the application; `--app` takes precedence.
const APP_VARIABLE: &str = "YAO_ROOT";

/// Flags about suites of the yao format.
#[derive(Debug, Clone, Default, Args)]
pub(in super::super) struct YaoFlags {
    /// Test file, or a message to send to the assistant
    #[arg(short, long, value_name = "FILE|MESSAGE", help_heading = "Yao format")]
    pub(in super::super) input: Option<String>,
    /// Connector to use [default: the assistant's own]
    #[arg(short, long, value_name = "ID", help_heading = "Yao format")]
    pub(in super::super) connector: Option<String>,
    /// User ID to test as [default: the test's own, else `test-user`]
    #[arg(short, long, value_name = "ID", help_heading = "Yao format")]
    user: Option<String>,
    /// Team ID to test as [default: the test's own, else `test-team`]
    #[arg(short, long, value_name = "ID", help_heading = "Yao format")]
    team: Option<String>,
    /// Root directory of the application [default: `$YAO_ROOT`, else found from the tests]
    #[arg(short, long, value_name = "DIR", help_heading = "Yao format")]
    app: Option<PathBuf>,
    /// File of environment variables for connectors and prompts [default: the application's `.env`]
    #[arg(short, long, value_name = "FILE", help_heading = "Yao format")]
    env: Option<PathBuf>,
}

impl YaoFlags {
    /// The flags that apply only to suites in this format.
    pub(in super::super) fn flags(&self) -> [FormatFlag; 5] {
        let assistants = "leave it out, or select tests of an assistant with `-i`";
        // Other programs use `-c` for the config.
        let config = "`-c` sets the connector of an assistant; for the config of ananke tests use `--config FILE`";
        let ending = self.connector.as_ref().and_then(|id| id.rsplit_once('.'));
        let is_file = ending.is_some_and(|(_, ending)| matches!(ending, "yaml" | "yml"));
        let flag = |name, given, help| FormatFlag { name, given, formats: &[Dialect::Yao], help };
        [
            flag("--connector", self.connector.is_some(), if is_file { config } else { assistants }),
            flag("--user", self.user.is_some(), assistants),
            flag("--team", self.team.is_some(), assistants),
            flag("--app", self.app.is_some(), assistants),
            flag("--env", self.env.is_some(), assistants),
        ]
    }

    /// The options for loading suites.
    pub(in super::super) fn options(&self) -> YaoOptions {
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

    /// Whether `-i` is a message instead of tests.
    pub(in super::super) fn is_message(&self) -> bool {
        let input = self.input.as_ref().map(|input| YaoInput::of(&DiskFiles, input));
        matches!(input, Some(YaoInput::Message(_)))
    }

    /// The default user context for agents that consist of prompts and a model.
    pub(in super::super) fn asker(&self, suite: &Suite) -> BTreeMap<String, String> {
        if !suite.cases.iter().any(|case| matches!(&*case.target, Target::Chat(_))) {
            return BTreeMap::new();
        }
        let usual = default_chat_context();
        let usual = |key: &str| usual.get(key).and_then(Value::as_str).expect("the context has this text").to_owned();
        let facts = [
            ("user_id", self.user.clone().unwrap_or_else(|| usual("user"))),
            ("team_id", self.team.clone().unwrap_or_else(|| usual("team"))),
            ("locale", usual("locale")),
            ("client_type", usual("client_type")),
            ("client_ip", usual("client_ip")),
            ("referer", usual("referer")),
            ("accept", usual("accept")),
        ];
        facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect()
    }

    /// The results file next to the tests.
    pub(in super::super) fn results(&self, suite: &Suite) -> OwnResults {
        results::beside(suite, self.input.as_ref().map(|input| YaoInput::of(&DiskFiles, input)))
    }
}
