//! A check as data: its kind and its arguments, which only the check's own file in `agentci-checks` gives types.

use agentci_source::{Name, Node, Span, Spanned};

/// What reports call a check that cannot be understood, unless it has a label.
const INVALID: &str = "unusable";

/// Something that is asked of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which check, by its name in the registry.
    pub kind: Spanned<Name>,
    /// Its arguments, with positions.
    pub arguments: Node,
    /// Whether it must not hold.
    pub negate: bool,
    /// Whether texts in the arguments may hold variables.
    pub templated: bool,
    /// Whether it cannot be understood. Such a check never passes, negated or not; its argument is the reason, as a text at the
    /// place that is wrong.
    pub invalid: bool,
    /// The words about it that are not its own.
    pub wording: Wording,
}

/// Words about a check.
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

    /// A check that cannot be understood, for this reason; `span` is the place that is wrong.
    pub fn invalid(kind_span: Span, reason: impl Into<String>, span: Span) -> Self {
        Self { invalid: true, ..Self::new(INVALID, kind_span, Node::text(reason.into(), span)) }
    }

    /// The same with this to say instead of the check's own words when it fails.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.wording.message = message;
        self
    }

    /// The same with what the suite's own dialect calls it, where that differs from the kind.
    #[must_use]
    pub fn with_label(mut self, label: Option<&'static str>) -> Self {
        self.wording.label = label;
        self
    }

    /// The same with what in particular is asked, where the dialect's reports tell its checks apart by it: a text, a tool, a limit.
    #[must_use]
    pub fn with_subject(mut self, subject: Option<String>) -> Self {
        self.wording.subject = subject;
        self
    }

    /// What to say instead of the check's own words when it fails.
    pub fn message(&self) -> Option<&str> {
        self.wording.message.as_deref()
    }

    /// What the suite's own dialect calls it, where that differs from the kind.
    pub fn label(&self) -> Option<&'static str> {
        self.wording.label
    }

    /// What in particular is asked, where the dialect's reports tell its checks apart by it.
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
