//! Answers `prompts/get`.

use agentci_protocols::jsonrpc::RpcError;
use serde_json::{Value, json};

use crate::answer::{INVALID_PARAMS, ServerRequest};
use crate::{interaction::StepsEnd, server_state::ServerState, variables::AnswerVariables};

impl ServerState {
    pub(crate) async fn get_prompt(&self, asked: &ServerRequest) -> Result<Value, RpcError> {
        let name = asked.text("name")?;
        let Some(prompt) = self.script.prompts.iter().find(|prompt| prompt.name.value == name) else {
            self.missed(name, format!("unknown prompt `{name}`"));
            return Err(RpcError::new(INVALID_PARAMS, format!("Unknown prompt: {name}")));
        };
        let arguments = asked.arguments()?;
        if let Some(missing) = prompt.required().find(|name| !arguments.contains_key(*name)) {
            return Err(RpcError::new(INVALID_PARAMS, format!("the prompt `{name}` needs the argument `{missing}`")));
        }
        let pause = self.resumed(asked)?.unwrap_or_default();
        let answers = match self.play(&prompt.steps, asked, &arguments, pause).await? {
            StepsEnd::Waits(result) => return Ok(result),
            StepsEnd::Through(answers) => answers,
        };
        let messages = AnswerVariables { arguments: &arguments, answers: &answers }.fill(&prompt.messages)?;
        let mut result = json!({ "messages": messages });
        if let Some(description) = prompt.declared.get("description") {
            result["description"] = description.clone();
        }
        Ok(result)
    }
}
