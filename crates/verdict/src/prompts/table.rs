//! The prompts of a whole run: each system prompt and each tool once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::request_record::{KeptPrompt, PromptParameters, PromptTool, SystemPrompt};
use crate::Rows;

/// By which rule prompts are made: those of another rule are not compared.
pub const PROMPTS_RULE: u64 = 1;

/// What the agents of a run asked their models with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Prompts {
    /// By which rule they were made.
    pub rule: u64,
    /// Every way in which a model was asked, by id. Cases name them in `asked`.
    #[serde(default)]
    pub requests: BTreeMap<String, PromptRequest>,
    /// The system prompts, by id.
    #[serde(default)]
    pub systems: BTreeMap<String, SystemPrompt>,
    /// The tools, by id.
    #[serde(default)]
    pub tools: BTreeMap<String, PromptTool>,
}

/// One way in which a model was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptRequest {
    /// The model that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What else it asks for.
    pub parameters: PromptParameters,
    /// Its system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The tools that it offers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl Prompts {
    /// Those of all cases; nothing if the requests of no case could be observed.
    pub fn of(rows: &Rows) -> Option<Self> {
        let ends = || rows.iter().flat_map(|row| row.attempts.iter());
        ends().any(|end| end.asked.is_some()).then(|| {
            let mut all = Self { rule: PROMPTS_RULE, ..Self::default() };
            ends().flat_map(|end| end.prompts.iter()).for_each(|prompt| all.add(prompt));
            all
        })
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

    /// A request with all that it refers to; nothing where not all of it was kept.
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
