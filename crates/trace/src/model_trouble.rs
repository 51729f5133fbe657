//! What a scripted model complains of: requests that a provider would refuse, and answers that no model would give to them.

/// A complaint of a scripted model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTrouble {
    /// What kind of complaint.
    pub kind: TroubleKind,
    /// What is wrong.
    pub message: String,
    /// The rule of the script that it is about, by its position in the script; the closest one of a request that none fits.
    pub rule: Option<usize>,
    /// Whether it is only worth a warning.
    pub warning: bool,
}

/// What a scripted model complains of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TroubleKind {
    /// The provider would refuse the request.
    ProviderWouldRefuse,
    /// The script calls a tool that the request does not offer.
    ToolNotOffered,
    /// The script calls a tool with arguments that its schema does not allow.
    ArgumentsDoNotFit,
    /// The script answers with text that is not of the format that the request asks for.
    FormatNotMet,
    /// No rule of the script fits the request.
    ModelMiss,
    /// The request has a key that is not the placeholder.
    ForeignKey,
}

impl TroubleKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl ModelTrouble {
    /// A complaint that fails the case.
    pub fn new(kind: TroubleKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), rule: None, warning: false }
    }

    /// A complaint that is only worth a warning.
    pub fn warning(kind: TroubleKind, message: impl Into<String>) -> Self {
        Self { warning: true, ..Self::new(kind, message) }
    }

    /// The same about a rule of the script.
    #[must_use]
    pub fn of_rule(self, rule: Option<usize>) -> Self {
        Self { rule, ..self }
    }
}
