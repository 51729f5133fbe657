//! Makes the targets of tests: a shared one, and separate ones for tests with their own options.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{ChatTarget, Target};
use agentci_source::Diagnostic;
use serde_json::Value;

use super::app::App;
use super::assistant::{AssistantPackage, drop_shared_prompts};
use super::connector;
use super::record::Record;
use super::resolve::TestedAssistant;
use crate::YaoOptions;
use crate::chat_context::set_metadata;
use crate::document::Loading;
use crate::suggestion::meant_or_known;

/// The metadata key that selects a prompt preset.
const PRESET: &str = "__prompt_preset";

pub(super) struct Targets<'a> {
    app: &'a App<'a>,
    options: &'a YaoOptions,
    folder: PathBuf,
    assistant: Option<&'a AssistantPackage>,
    /// The target of tests without their own options.
    usual: Arc<Target>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(app: &'a App<'a>, agent: &'a TestedAssistant) -> Self {
        let options = app.options;
        match agent {
            TestedAssistant::Target(_, target) => {
                Self { app, options, folder: app.root.clone(), assistant: None, usual: Arc::clone(target) }
            }
            TestedAssistant::Assistant(assistant) => {
                let mut usual = assistant.target.clone();
                who(&mut usual, options, None, None);
                usual.timeout = options.timeout.unwrap_or(super::DEFAULT_TIMEOUT);
                let usual = Arc::new(Target::Chat(Box::new(usual)));
                Self { app, options, folder: assistant.folder.clone(), assistant: Some(assistant), usual }
            }
        }
    }

    pub(super) fn usual(&self) -> Arc<Target> {
        Arc::clone(&self.usual)
    }

    /// The target of a test.
    pub(super) fn of(&self, record: &Record<'_>, timeout: Duration, loading: &mut Loading<'_>) -> Arc<Target> {
        let (Some(_), Target::Chat(usual)) = (self.assistant, &*self.usual) else { return self.usual() };
        let mut own = ChatTarget::clone(usual);
        who(&mut own, self.options, record.user.as_ref(), record.team.as_ref());
        own.timeout = timeout;
        let options = &record.options;
        if let Some(wanted) = options.connector.as_ref().filter(|_| self.options.connector.is_none())
            && let Some(connector) = connector::open(self.app, wanted, &self.folder, loading)
        {
            own.connector = connector;
        }
        if options.disable_global_prompts {
            drop_shared_prompts(&mut own);
        }
        set_metadata(&mut own.context, options.metadata.clone());
        if let Some(Value::String(name)) = options.metadata.get(PRESET) {
            match own.assistant.presets.iter().find(|(known, _)| known == name) {
                Some((_, prompts)) => own.prompts = Arc::clone(prompts),
                None => loading.problems.push(no_preset(name, &own, record)),
            }
        }
        if own == **usual { self.usual() } else { Arc::new(Target::Chat(Box::new(own))) }
    }
}

/// Sets the user and the team; flags take precedence over the test.
fn who(target: &mut ChatTarget, options: &YaoOptions, user: Option<&String>, team: Option<&String>) {
    let chosen = [("user", options.user.as_ref().or(user)), ("team", options.team.as_ref().or(team))];
    let chosen = chosen.into_iter().filter_map(|(key, word)| Some((key.to_owned(), word?.as_str().into())));
    target.context.extend(chosen);
}

fn no_preset(name: &str, target: &ChatTarget, record: &Record<'_>) -> Diagnostic {
    let known: Vec<&str> = target.assistant.presets.iter().map(|(name, _)| name.as_str()).collect();
    let help = if known.is_empty() {
        "a preset is a file in the assistant's folder `prompts`".to_owned()
    } else {
        meant_or_known(name, &known, "known presets")
    };
    let message = format!("the assistant `{}` has no prompt preset `{}`", target.agent, name.escape_debug());
    Diagnostic::warning(record.id.span, message).label("set here; the default prompts are used instead").help(help)
}
