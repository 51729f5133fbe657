//! Recognises tool results whose text says that a tool was not run or failed.

use std::borrow::Cow;

use agentci_plan::{Case, Speech, Suite, Target, Verdicts};
use agentci_trace::{Observer, ToolResult, failure_form, refusal_form};
use regex::Regex;
use serde_json::Value;

/// The forms by which results of a case are recognised.
pub(crate) struct RecognisedForms<'c> {
    strict: bool,
    target: &'c Target,
    /// The suite's own patterns. They were already compiled when the suite was read, so all of them are valid.
    refusals: Vec<Regex>,
}

impl<'c> RecognisedForms<'c> {
    pub(crate) fn of(suite: &Suite, case: &'c Case) -> Self {
        let strict = suite.conventions.verdicts == Verdicts::Strict;
        let refusals = case.world.refusals.iter().filter_map(|pattern| Regex::new(&pattern.value).ok()).collect();
        Self { strict, target: &case.target, refusals }
    }

    /// Marks a result as refused or failed if the agent's text says so. Results that agentci itself answered are left
    /// unchanged.
    pub(crate) fn recognise(&self, result: &mut ToolResult) {
        let written = match result.observer {
            Observer::ModelWire => true,
            Observer::Protocol => writes_results(self.target),
            Observer::Stub | Observer::Provider => false,
        };
        if !self.strict {
            result.refused = None;
        }
        if !written || !self.strict {
            return;
        }
        if result.refused.is_none() {
            let form = refusal_form(&result.result, result.error.as_deref());
            result.refused = form.map(agentci_trace::ResultForm::told).or_else(|| self.own_form(result));
        }
        if result.ok
            && result.refused.is_none()
            && let Some(form) = failure_form(&result.result)
        {
            result.ok = false;
            result.recognised = Some(form.told());
            if let Value::String(words) = &*result.result {
                result.error = Some(words.clone());
                result.result = Value::Null.into();
            }
        }
    }

    /// The pattern of the suite that a result matches.
    fn own_form(&self, result: &ToolResult) -> Option<String> {
        if self.refusals.is_empty() {
            return None;
        }
        let text = match (&result.error, &*result.result) {
            (Some(error), _) => Cow::Borrowed(error.as_str()),
            (None, Value::String(text)) => Cow::Borrowed(text.as_str()),
            (None, other) => Cow::Owned(other.to_string()),
        };
        let fitting = self.refusals.iter().find(|pattern| pattern.is_match(&text))?;
        Some(format!("`world.tools.refusals`: \"{fitting}\""))
    }
}

/// Whether results that the protocol reports are written by the agent rather than answered by agentci.
fn writes_results(target: &Target) -> bool {
    match target {
        Target::Process(process) => process.speaks == Speech::Text,
        Target::Http(_) | Target::Agui(_) | Target::A2a(_) => true,
        Target::Mock(_) | Target::Mcp(_) | Target::Chat(_) => false,
    }
}
