//! The conditions of a rule of a scripted model.

use agentci_source::Spanned;

/// The conditions that a request must meet; an absent condition is met by any request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelCondition {
    /// The model it names.
    pub model: Option<String>,
    /// The system prompt.
    pub system: Option<WantedWords>,
    /// The last text of the user.
    pub user: Option<WantedWords>,
    /// One of its messages, except system prompts; tool results count.
    pub messages: Option<WantedWords>,
    pub tools: Option<WantedOffer>,
    /// Whether it contains tool results.
    pub tool_result: Option<bool>,
    /// The turn of the conversation: one more than the number of answers that the model has given in it.
    pub turn: Option<u32>,
    /// The number of requests that have met all other conditions, including this one.
    pub nth: Option<u32>,
}

impl ModelCondition {
    /// Whether every request meets it, as far as can be decided without evaluating patterns.
    pub fn is_met_by_all(&self) -> bool {
        let Self { model, system, user, messages, tools, tool_result, turn, nth } = self;
        let any = |words: &Option<WantedWords>| words.as_ref().is_none_or(WantedWords::is_empty);
        let exact = model.is_some() || tools.is_some() || tool_result.is_some() || turn.is_some() || nth.is_some();
        !exact && any(system) && any(user) && any(messages)
    }

    /// Whether it has a condition on the system prompt, the messages or the tools.
    pub fn looks_closer(&self) -> bool {
        self.system.is_some() || self.messages.is_some() || self.tools.is_some()
    }

    /// The conditions on the sender: the model, the system prompt and the tools. They apply to every request of a
    /// conversation, the others only to its first.
    #[must_use]
    pub fn of_asker(&self) -> Self {
        let (model, system, tools) = (self.model.clone(), self.system.clone(), self.tools.clone());
        Self { model, system, tools, ..Self::default() }
    }
}

/// A condition on a text.
#[derive(Debug, Clone, PartialEq)]
pub enum WantedWords {
    Contains(String),
    /// It matches this pattern.
    Matches(Spanned<String>),
}

impl WantedWords {
    /// Whether it searches for the empty string, which every text contains.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Contains(text) if text.is_empty())
    }

    /// The string or pattern, as written.
    pub fn written(&self) -> &str {
        match self {
            Self::Contains(text) => text,
            Self::Matches(pattern) => &pattern.value,
        }
    }
}

/// A condition on the tools that a request offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedOffer {
    /// Tools that must be offered.
    pub names: Vec<String>,
    /// Whether no other tools may be offered.
    pub exactly: bool,
}
