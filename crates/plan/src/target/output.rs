//! Whether an agent has to put something out.

/// What it means that an agent put out neither words nor data and called no tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputRule {
    /// The agent failed: an answer was expected.
    #[default]
    Required,
    /// Nothing: it acts without saying so, or its suite comes from a tool that never asked.
    Optional,
}

impl OutputRule {
    /// The words for them.
    pub const NAMES: [(&'static str, OutputRule); 2] =
        [("required", OutputRule::Required), ("none", OutputRule::Optional)];
    /// What the key is for.
    pub const ABOUT: &'static str =
        "`none` if the agent may put out nothing. By default an agent without words, data or tool calls has failed.";
}
