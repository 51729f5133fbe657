//! A target that is a program.

use std::path::PathBuf;

use crate::{OutputRule, Text};
use agentci_source::Span;

/// A target that is a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessTarget {
    /// The program and its arguments, at least one part.
    pub command: Vec<CommandPart>,
    /// Its working directory; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables in addition to the inherited ones.
    pub environment: Vec<(String, Text)>,
    /// What it reads and writes.
    pub speaks: Speech,
    /// Whether it must produce output.
    pub output: OutputRule,
    /// Where the suite sets it.
    pub span: Span,
}

/// What a program reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speech {
    /// Messages, each a line of JSON.
    #[default]
    Protocol,
    /// It gets its input as an argument or on standard input, and its output is its answer. `${INPUT}` and
    /// `${INPUT.name}` in its command are replaced by the input and its parts.
    Text,
}

impl Speech {
    /// All values by name.
    pub const NAMES: [(&'static str, Speech); 2] = [("protocol", Speech::Protocol), ("text", Speech::Text)];
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPart {
    /// The text as written.
    pub text: Text,
    /// The file of the suite that it names, if any.
    pub file: Option<PathBuf>,
}
