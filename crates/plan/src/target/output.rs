//! Whether an agent must produce output.

/// What it means if an agent produces neither text nor data and calls no tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputRule {
    /// The agent failed: an answer was expected.
    #[default]
    Required,
    /// Nothing: it acts without output, or its suite is of a format that does not require any.
    Optional,
}

impl OutputRule {
    /// All rules by name.
    pub const NAMES: [(&'static str, OutputRule); 2] =
        [("required", OutputRule::Required), ("none", OutputRule::Optional)];
    /// The description of the key in schemas and reference tables.
    pub const ABOUT: &'static str =
        "Whether the agent must produce output: text, data or tool calls. Default: `required`.";
}
