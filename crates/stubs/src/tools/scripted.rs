//! Tools with scripted answers.

use agentci_plan::{ScriptedTool, UnsetVariableError};
use serde_json::Value;

/// The answers of scripted tools, and how many have been used.
#[derive(Debug, Default)]
pub struct ScriptedTools {
    tools: Vec<Queue>,
}

#[derive(Debug)]
struct Queue {
    name: String,
    answers: Vec<Result<Value, String>>,
    given: usize,
}

impl ScriptedTools {
    /// Fills in the variables of all answers.
    pub fn new(tools: &[ScriptedTool], lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, UnsetVariableError> {
        let mut filled = Vec::with_capacity(tools.len());
        for tool in tools {
            let mut answers = Vec::with_capacity(tool.answers.len());
            for answer in &tool.answers {
                let data = answer.data.fill(lookup)?;
                answers.push(match data {
                    data if answer.ok => Ok(data),
                    Value::String(words) => Err(words),
                    other => Err(other.to_string()),
                });
            }
            filled.push(Queue { name: tool.name.value.clone(), answers, given: 0 });
        }
        Ok(Self { tools: filled })
    }

    /// The next answer of a tool; the last one is repeated. `None` if the tool is not scripted.
    pub fn answer(&mut self, tool: &str) -> Option<Result<Value, String>> {
        let queue = self.tools.iter_mut().find(|queue| queue.name == tool)?;
        let answer = queue.answers.get(queue.given).or(queue.answers.last())?.clone();
        queue.given += 1;
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_plan::{Data, ScriptedAnswer};
    use agentci_source::{Sources, Span, Spanned};
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_returned_in_order_and_last_repeats() {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let answer = |ok, value| ScriptedAnswer { ok, data: Data::parse(&value) };
        let answers = vec![answer(false, json!("busy, ${WHO}")), answer(true, json!({"to": "${WHO}"}))];
        let tools = [ScriptedTool { name: Spanned::new("ask".into(), span), answers }];
        let mut scripted = ScriptedTools::new(&tools, &|_| Some("Ann".into())).unwrap();
        assert_eq!(scripted.answer("ask"), Some(Err("busy, Ann".into())));
        assert_eq!(scripted.answer("ask"), Some(Ok(json!({"to": "Ann"}))));
        assert_eq!(scripted.answer("ask"), Some(Ok(json!({"to": "Ann"}))));
        assert_eq!(scripted.answer("other"), None);
        assert_eq!(ScriptedTools::new(&tools, &|_| None).unwrap_err(), UnsetVariableError("WHO".into()));
    }
}
