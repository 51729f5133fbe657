//! The values of `${INPUT.name}` in an answer: an argument of the call, or the client's answer to the question of that
//! name.

use agentci_plan::Data;
use agentci_protocols::jsonrpc::{INTERNAL_ERROR, RpcError};
use serde_json::{Map, Value};

/// The values for the variables of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerVariables<'g> {
    /// The arguments of the call.
    pub(crate) arguments: &'g Map<String, Value>,
    /// The client's answers, by the names of the questions.
    pub(crate) answers: &'g Map<String, Value>,
}

impl AnswerVariables<'_> {
    /// Fills the variables in data.
    pub(crate) fn fill(&self, data: &Data) -> Result<Value, RpcError> {
        data.fill(&|name| self.value(name))
            .map_err(|unset| RpcError::new(INTERNAL_ERROR, format!("the script cannot answer: {unset}")))
    }

    fn value(&self, name: &str) -> Option<String> {
        let mut keys = name.strip_prefix("INPUT.")?.split('.');
        let name = keys.next()?;
        let first = self.answers.get(name).or_else(|| self.arguments.get(name))?;
        let found = keys.try_fold(first, |value, key| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            value => value.get(key),
        })?;
        Some(match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fills_input_variables_as_text_or_json() {
        let arguments = json!({ "id": "A-17", "lines": [{ "sku": 1 }, { "sku": 2 }] });
        let answers = json!({ "who": { "content": { "name": "Ann" } } });
        let given =
            AnswerVariables { arguments: arguments.as_object().unwrap(), answers: answers.as_object().unwrap() };
        let filled = |text: &str| given.fill(&Data::parse(&text.into())).map_err(|error| error.message);
        assert_eq!(filled("${INPUT.id} for ${INPUT.who.content.name}"), Ok("A-17 for Ann".into()));
        assert_eq!(filled("${INPUT.lines.1.sku} of ${INPUT.lines}"), Ok(r#"2 of [{"sku":1},{"sku":2}]"#.into()));
        assert_eq!(filled("${INPUT.none:-nothing}"), Ok("nothing".into()));
        assert_eq!(
            filled("${INPUT.none}"),
            Err("the script cannot answer: the variable `INPUT.none` has no value".into())
        );
    }
}
