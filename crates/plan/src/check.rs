//! A check as data: its kind and its arguments. Only the check's own file in `agentci-checks` gives the arguments
//! types.

use agentci_source::{Name, Node, Span, Spanned};

/// The name of an invalid check in reports, unless it has a label.
const INVALID: &str = "unusable";

/// A check on a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The name of the check in the registry.
    pub kind: Spanned<Name>,
    /// Its arguments, with source positions.
    pub arguments: Node,
    /// Whether the check must not pass.
    pub negate: bool,
    /// Whether strings in the arguments may contain variables.
    pub templated: bool,
    /// Whether the check is invalid. An invalid check never passes, negated or not; its argument is the reason, as a
    /// string at the position of the error.
    pub invalid: bool,
    /// Texts that replace the check's own.
    pub wording: Wording,
}

/// Texts about a check: message, label and subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    message: Option<String>,
    label: Option<&'static str>,
    subject: Option<String>,
}

impl Check {
    /// A check without negation or message.
    pub fn new(kind: impl Into<Name>, kind_span: Span, arguments: Node) -> Self {
        Self {
            kind: Spanned::new(kind.into(), kind_span),
            arguments,
            negate: false,
            templated: false,
            invalid: false,
            wording: Wording::default(),
        }
    }

    /// An invalid check with this reason; `span` is the position of the error.
    pub fn invalid(kind_span: Span, reason: impl Into<String>, span: Span) -> Self {
        Self { invalid: true, ..Self::new(INVALID, kind_span, Node::text(reason.into(), span)) }
    }

    /// Sets the message to show instead of the check's own when it fails.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.wording.message = message;
        self
    }

    /// Sets the name of the check in the suite's own dialect, if it differs from the kind.
    #[must_use]
    pub fn with_label(mut self, label: Option<&'static str>) -> Self {
        self.wording.label = label;
        self
    }

    /// Sets what the check is about (a text, a tool, a limit), if the dialect's reports tell checks apart by it.
    #[must_use]
    pub fn with_subject(mut self, subject: Option<String>) -> Self {
        self.wording.subject = subject;
        self
    }

    /// The message to show instead of the check's own when it fails.
    pub fn message(&self) -> Option<&str> {
        self.wording.message.as_deref()
    }

    /// The name of the check in the suite's own dialect, if it differs from the kind.
    pub fn label(&self) -> Option<&'static str> {
        self.wording.label
    }

    /// What the check is about, if the dialect's reports tell checks apart by it.
    pub fn subject(&self) -> Option<&str> {
        self.wording.subject.as_deref()
    }

    /// The name to show: the dialect's own, else the kind, with `not` before it when negated.
    pub fn name(&self) -> String {
        match self.label() {
            Some(label) => label.to_owned(),
            None if self.negate => format!("not {}", self.kind.value),
            None => self.kind.value.to_string(),
        }
    }
}
