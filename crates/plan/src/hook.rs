//! A command that runs before a case and can set its variables.

use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandPart, Text};
use agentci_source::Span;

/// A command whose standard output is one JSON object, merged into the variables of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The program and its arguments.
    pub command: Vec<CommandPart>,
    /// Its working directory; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables in addition to the inherited ones.
    pub environment: Vec<(String, Text)>,
    pub timeout: Duration,
    /// Where the suite sets it.
    pub span: Span,
}
