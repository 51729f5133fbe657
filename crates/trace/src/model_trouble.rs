//! Problems that a scripted model reports: requests that a provider would reject, and answers that no model would give
//! to them.

/// A problem that a scripted model reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTrouble {
    /// The kind of problem.
    pub kind: TroubleKind,
    pub message: String,
    /// The position of the rule in the script that it is about; for a miss, the closest rule.
    pub rule: Option<usize>,
    /// Whether it is only a warning.
    pub warning: bool,
}

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TroubleKind {
    /// The provider would reject the request.
    ProviderWouldRefuse,
    /// The script calls a tool that the request does not offer.
    ToolNotOffered,
    /// The script calls a tool with arguments that its schema does not allow.
    ArgumentsDoNotFit,
    /// The script answers with text that does not have the requested format.
    FormatNotMet,
    /// No rule of the script matches the request.
    ModelMiss,
    /// The request contains an API key that is not the placeholder.
    ForeignKey,
}

impl TroubleKind {
    /// All kinds.
    pub const ALL: [TroubleKind; 6] = [
        TroubleKind::ProviderWouldRefuse,
        TroubleKind::ToolNotOffered,
        TroubleKind::ArgumentsDoNotFit,
        TroubleKind::FormatNotMet,
        TroubleKind::ModelMiss,
        TroubleKind::ForeignKey,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind with this name.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

impl ModelTrouble {
    /// A problem that fails the case.
    pub fn new(kind: TroubleKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), rule: None, warning: false }
    }

    /// A problem that is only a warning.
    pub fn warning(kind: TroubleKind, message: impl Into<String>) -> Self {
        Self { warning: true, ..Self::new(kind, message) }
    }

    /// Sets the rule that it is about.
    #[must_use]
    pub fn of_rule(self, rule: Option<usize>) -> Self {
        Self { rule, ..self }
    }
}
