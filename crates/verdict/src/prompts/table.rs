//! The prompts of a whole run, with each system prompt and each tool stored once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::request_record::{KeptPrompt, PromptParameters, PromptTool, SystemPrompt};
use crate::{CaseRow, Rows};

/// The version of the rule by which prompts are recorded; prompts of different versions are not compared.
pub const PROMPTS_RULE: u64 = 1;

/// The prompts of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Prompts {
    /// The version of the rule by which they were recorded.
    pub rule: u64,
    /// All prompts by id. Cases refer to them in `asked`.
    #[serde(default)]
    pub requests: BTreeMap<String, PromptRequest>,
    /// The system prompts, by id.
    #[serde(default)]
    pub systems: BTreeMap<String, SystemPrompt>,
    /// The tools, by id.
    #[serde(default)]
    pub tools: BTreeMap<String, PromptTool>,
}

/// A prompt of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptRequest {
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The parameters.
    pub parameters: PromptParameters,
    /// The id of the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The ids of the offered tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl Prompts {
    /// The prompts of all cases; `None` if no case's requests could be observed.
    pub fn of(rows: &Rows) -> Option<Self> {
        Self::of_rows(rows.iter(), false)
    }

    /// The prompts of some cases. `asked` means that requests of other cases could be observed, too, and that these cases
    /// contain all their prompts.
    pub fn of_rows<'r>(rows: impl Iterator<Item = &'r CaseRow>, asked: bool) -> Option<Self> {
        let mut observed = asked;
        let mut all = Self { rule: PROMPTS_RULE, ..Self::default() };
        for end in rows.flat_map(|row| &row.attempts) {
            observed |= end.asked.is_some();
            end.prompts.iter().for_each(|prompt| all.add(prompt));
        }
        observed.then_some(all)
    }

    pub(super) fn add(&mut self, prompt: &KeptPrompt) {
        let KeptPrompt { id, model, parameters, system, tools } = prompt;
        if self.requests.contains_key(id) {
            return;
        }
        for tool in tools {
            let known = self.tools.entry(tool.id.clone());
            known.or_insert_with(|| PromptTool { id: String::new(), ..tool.clone() });
        }
        if let Some(system) = system {
            let known = self.systems.entry(system.id.clone());
            known.or_insert_with(|| SystemPrompt { id: String::new(), ..system.clone() });
        }
        let request = PromptRequest {
            model: model.clone(),
            parameters: parameters.clone(),
            system: system.as_ref().map(|system| system.id.clone()),
            tools: tools.iter().map(|tool| tool.id.clone()).collect(),
        };
        self.requests.insert(id.clone(), request);
    }

    /// A prompt with everything that it refers to; `None` if parts of it were not kept.
    pub(super) fn get(&self, id: &str) -> Option<KeptPrompt> {
        let PromptRequest { model, parameters, system, tools } = self.requests.get(id)?;
        let system = match system {
            Some(id) => Some(SystemPrompt { id: id.clone(), ..self.systems.get(id)?.clone() }),
            None => None,
        };
        let tool = |id: &String| Some(PromptTool { id: id.clone(), ..self.tools.get(id)?.clone() });
        let tools = tools.iter().map(tool).collect::<Option<Vec<_>>>()?;
        Some(KeptPrompt { id: id.to_owned(), model: model.clone(), parameters: parameters.clone(), system, tools })
    }
}
