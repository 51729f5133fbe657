//! A test case.

use agentci_formats::aumai::{self, Test};
use agentci_source::{Diagnostics, Node, Severity, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::InvalidModelError;
use super::assertions::{nowhere, ready};

/// A message, in the format of model APIs.
pub type Message = Map<String, Value>;

/// A test: the messages to the model, and the expected behaviour of its answer.
///
/// ```
/// use agentci::AgentTestCase;
/// use serde_json::json;
///
/// let test: AgentTestCase = serde_json::from_value(json!({
///     "name": "greets",
///     "expected_behavior": { "contains_text": "hello" },
/// }))?;
/// assert_eq!(test.name(), "greets");
/// let wrong = AgentTestCase::new("greets").and_then(|test| test.expecting(json!({ "tone": "friendly" })));
/// assert!(wrong.unwrap_err().to_string().starts_with("unknown key `tone` in `expected_behavior`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct AgentTestCase {
    name: String,
    description: String,
    input_messages: Vec<Message>,
    expected_behavior: Map<String, Value>,
    tags: Vec<String>,
}

impl TryFrom<Value> for AgentTestCase {
    type Error = InvalidModelError;

    fn try_from(value: Value) -> Result<Self, InvalidModelError> {
        let mut problems = Diagnostics::default();
        let test = aumai::read(&Node::from_value(&value, nowhere()), &mut problems);
        Self::checked(test.ok_or_else(|| reasons(problems))?)
    }
}

impl AgentTestCase {
    /// Creates a test without messages and expectations. The name must not be empty.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidModelError> {
        Self::try_from(json!({ "name": name.into() }))
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Adds a message.
    #[must_use]
    pub fn message(mut self, role: &str, content: &str) -> Self {
        self.input_messages.push(Map::from_iter([("role".into(), role.into()), ("content".into(), content.into())]));
        self
    }

    /// Sets the messages, which may contain any fields.
    #[must_use]
    pub fn with_messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.input_messages = messages.into_iter().collect();
        self
    }

    /// Sets the expected behaviour: an object with the keys that [`expected_behavior`](Self::expected_behavior) lists.
    /// Unknown keys, values of the wrong type and invalid schemas are refused.
    pub fn expecting(mut self, expected: Value) -> Result<Self, InvalidModelError> {
        let name = Value::from(self.name.as_str());
        let written = Map::from_iter([("name".into(), name), ("expected_behavior".into(), expected)]);
        self.expected_behavior = Self::try_from(Value::Object(written))?.expected_behavior;
        Ok(self)
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// The name of the test.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The description of the test.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The messages to the model.
    pub fn input_messages(&self) -> &[Message] {
        &self.input_messages
    }

    /// The expected behaviour: `contains_text`, `calls_tools`, `max_tokens`, `max_latency_ms`, `no_pii`, `valid_json`,
    /// `matches_schema`.
    pub fn expected_behavior(&self) -> &Map<String, Value> {
        &self.expected_behavior
    }

    /// The tags of the test.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Creates a test whose checks compile.
    pub(super) fn checked(test: Test) -> Result<Self, InvalidModelError> {
        for check in &test.checks {
            ready(check.clone()).map_err(reasons)?;
        }
        let Test { name, description, input_messages, expected_behavior, tags, .. } = test;
        Ok(Self { name: name.value.to_string(), description, input_messages, expected_behavior, tags })
    }

    /// The checks for its expectations.
    pub(super) fn checks(&self, span: Span) -> Vec<agentci_plan::Check> {
        let expected = Node::from_value(&Value::Object(self.expected_behavior.clone()), span);
        aumai::checks(&expected, &mut Diagnostics::default())
    }
}

/// The errors, each with its remedy.
fn reasons(problems: Diagnostics) -> InvalidModelError {
    let wrong = problems.into_iter().filter(|problem| problem.severity == Severity::Error);
    InvalidModelError::Test(
        wrong
            .map(|problem| match problem.help {
                Some(help) => format!("{} ({help})", problem.message),
                None => problem.message,
            })
            .collect(),
    )
}
