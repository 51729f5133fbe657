//! An agent that is a program.

use std::path::PathBuf;

use crate::{Span, Text};

/// An agent that is a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessTarget {
    /// The program and its arguments, at least one part.
    pub command: Vec<CommandPart>,
    /// Its working folder; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables it gets beside the inherited ones.
    pub environment: Vec<(String, Text)>,
    /// Where the suite says so.
    pub span: Span,
}

/// A part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPart {
    /// As it is written.
    pub text: Text,
    /// The file of the suite that it names, if it names one.
    pub file: Option<PathBuf>,
}
