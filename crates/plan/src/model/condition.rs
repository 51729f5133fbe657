//! What a request must be like for a rule to answer it.

use agentci_source::Spanned;

/// What a request must be like; what is absent holds for any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelCondition {
    /// The model it names.
    pub model: Option<String>,
    /// The system prompt.
    pub system: Option<WantedWords>,
    /// The last text of the user.
    pub user: Option<WantedWords>,
    /// One of its messages, system prompts aside; results of tools count.
    pub messages: Option<WantedWords>,
    /// The tools it offers.
    pub tools: Option<WantedOffer>,
    /// Whether it brings results of tools.
    pub tool_result: Option<bool>,
    /// How many answers the model has given in this conversation, and one more.
    pub turn: Option<u32>,
    /// How many requests have met all of the other conditions, this one included.
    pub nth: Option<u32>,
}

impl ModelCondition {
    /// Whether it is met by every request, as far as that shows without reading a pattern.
    pub fn is_met_by_all(&self) -> bool {
        let Self { model, system, user, messages, tools, tool_result, turn, nth } = self;
        let any = |words: &Option<WantedWords>| words.as_ref().is_none_or(WantedWords::is_empty);
        let exact = model.is_some() || tools.is_some() || tool_result.is_some() || turn.is_some() || nth.is_some();
        !exact && any(system) && any(user) && any(messages)
    }

    /// Whether it looks at more than the model, the user's last text, results of tools and the turn.
    pub fn looks_closer(&self) -> bool {
        self.system.is_some() || self.messages.is_some() || self.tools.is_some()
    }

    /// The part that tells who asks: these hold for every request of a conversation, the others for its first.
    #[must_use]
    pub fn of_asker(&self) -> Self {
        let (model, system, tools) = (self.model.clone(), self.system.clone(), self.tools.clone());
        Self { model, system, tools, ..Self::default() }
    }
}

/// What is asked of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum WantedWords {
    /// It contains this.
    Contains(String),
    /// It matches this pattern.
    Matches(Spanned<String>),
}

impl WantedWords {
    /// Whether it asks for the empty text, which every text contains.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Contains(text) if text.is_empty())
    }

    /// What is looked for, as it is written.
    pub fn written(&self) -> &str {
        match self {
            Self::Contains(text) => text,
            Self::Matches(pattern) => &pattern.value,
        }
    }
}

/// What is asked of the tools that a request offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedOffer {
    /// Tools that are offered.
    pub names: Vec<String>,
    /// Whether no others are.
    pub exactly: bool,
}
