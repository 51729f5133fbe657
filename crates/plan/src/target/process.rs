//! An agent that is a program.

use std::path::PathBuf;

use crate::{OutputRule, Text};
use agentci_source::Span;

/// An agent that is a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessTarget {
    /// The program and its arguments, at least one part.
    pub command: Vec<CommandPart>,
    /// Its working folder; the caller's own when absent.
    pub folder: Option<PathBuf>,
    /// Environment variables it gets beside the inherited ones.
    pub environment: Vec<(String, Text)>,
    /// How it is spoken to.
    pub speaks: Speech,
    /// Whether it must put something out.
    pub output: OutputRule,
    /// Where the suite says so.
    pub span: Span,
}

/// How a program is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speech {
    /// In messages, each a line of JSON.
    #[default]
    Protocol,
    /// It is given its task as an argument or on its standard input, and what it prints is its answer. `${INPUT}` and
    /// `${INPUT.name}` in its command stand for the task and its parts.
    Text,
}

impl Speech {
    /// Every way by its name.
    pub const NAMES: [(&'static str, Speech); 2] = [("protocol", Speech::Protocol), ("text", Speech::Text)];
}

/// A part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPart {
    /// As it is written.
    pub text: Text,
    /// The file of the suite that it names, if it names one.
    pub file: Option<PathBuf>,
}
