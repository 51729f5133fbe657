//! Elicitation: questions of a server to the user, and the prepared answers.

use serde_json::{Map, Value, json};

/// A prepared answer to a question of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ElicitationAnswer {
    /// The action of the user.
    pub action: ElicitationAction,
    /// The values of the form. Default for `accept`: the defaults of the form, as if the user only confirmed it.
    pub content: Option<Value>,
}

/// The action of the user on a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ElicitationAction {
    /// Submits the form.
    Accept,
    /// Declines.
    Decline,
    /// Dismisses the question.
    Cancel,
}

impl ElicitationAction {
    /// The name in the protocol.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A question that was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredQuestion {
    pub question: ElicitationQuestion,
    /// The answer in the protocol's format.
    pub answer: Value,
}

/// A question of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ElicitationQuestion {
    /// The text of the question.
    pub message: String,
    /// The schema of the answer; `None` if the user is sent to a URL.
    pub schema: Option<Value>,
    /// The URL that the user is sent to.
    pub url: Option<String>,
}

impl ElicitationQuestion {
    /// Reads the parameters of `elicitation/create`.
    pub fn read(params: &Value) -> Self {
        let text = |name: &str| params[name].as_str().map(str::to_owned);
        let by_address = params["mode"] == "url";
        Self {
            message: text("message").unwrap_or_default(),
            schema: params.get("requestedSchema").filter(|_| !by_address).cloned(),
            url: text("url").filter(|_| by_address),
        }
    }

    /// The result for an answer.
    pub fn answered(&self, answer: &ElicitationAnswer) -> Value {
        let mut result = Map::new();
        result.insert("action".into(), answer.action.as_str().into());
        if let Some(content) = &answer.content {
            result.insert("content".into(), content.clone());
        } else if answer.action == ElicitationAction::Accept && self.url.is_none() {
            result.insert("content".into(), self.defaults());
        }
        Value::Object(result)
    }

    fn defaults(&self) -> Value {
        let properties = self.schema.as_ref().and_then(|schema| schema["properties"].as_object());
        let mut content = json!({});
        for (name, property) in properties.into_iter().flatten() {
            if let Some(default) = property.get("default") {
                content[name] = default.clone();
            }
        }
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> ElicitationQuestion {
        ElicitationQuestion::read(&json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": {
            "name": { "type": "string", "default": "Ann" }, "age": { "type": "integer" } } } }))
    }

    #[test]
    fn accept_without_content_sends_the_defaults() {
        let accept = ElicitationAnswer { action: ElicitationAction::Accept, content: None };
        assert_eq!(form().answered(&accept), json!({ "action": "accept", "content": { "name": "Ann" } }));
        let given = ElicitationAnswer { action: ElicitationAction::Accept, content: Some(json!({ "age": 3 })) };
        assert_eq!(form().answered(&given), json!({ "action": "accept", "content": { "age": 3 } }));
        let decline = ElicitationAnswer { action: ElicitationAction::Decline, content: None };
        assert_eq!(form().answered(&decline), json!({ "action": "decline" }));
    }

    #[test]
    fn url_elicitation_sends_no_content() {
        let question = ElicitationQuestion::read(
            &json!({ "mode": "url", "url": "https://example.com", "message": "Go", "requestedSchema": {} }),
        );
        assert_eq!(question.schema, None);
        let accept = ElicitationAnswer { action: ElicitationAction::Accept, content: None };
        assert_eq!(question.answered(&accept), json!({ "action": "accept" }));
    }
}
