//! A check as data: its kind and its arguments, which only the check's own file in `agentci-checks` gives types.

use crate::{Name, Node, Span, Spanned};

/// Something that is asked of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which check, by its name in the registry.
    pub kind: Spanned<Name>,
    /// Its arguments, with positions.
    pub arguments: Node,
    /// Whether it must not hold.
    pub negate: bool,
    /// What to say instead of the check's own words when it fails.
    pub message: Option<Box<str>>,
    /// What the suite's own dialect calls it, where that differs from the kind.
    pub label: Option<&'static str>,
    /// What in particular is asked, where the dialect's reports tell its checks apart by it: a text, a tool, a limit.
    pub subject: Option<Box<str>>,
    /// Whether texts in the arguments may hold variables.
    pub templated: bool,
}

impl Check {
    /// A check without negation or message.
    pub fn new(kind: impl Into<Name>, kind_span: Span, arguments: Node) -> Self {
        Self {
            kind: Spanned::new(kind.into(), kind_span),
            arguments,
            negate: false,
            message: None,
            label: None,
            subject: None,
            templated: false,
        }
    }

    /// The name to show: the dialect's own, else the kind, with `not` before it when negated.
    pub fn name(&self) -> String {
        match self.label {
            Some(label) => label.to_owned(),
            None if self.negate => format!("not {}", self.kind.value),
            None => self.kind.value.to_string(),
        }
    }
}
