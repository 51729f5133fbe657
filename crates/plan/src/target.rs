//! How to reach the agent.

use std::path::PathBuf;

use crate::{Diagnostic, Diagnostics, MockTarget, Said, Span, Text, Turn};

/// How to reach the agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A process that speaks JSON lines over its standard input and output.
    Process(ProcessTarget),
    /// No agent: a model whose answers are written down.
    Mock(MockTarget),
}

impl Target {
    /// Where the suite describes it.
    pub fn span(&self) -> Span {
        match self {
            Target::Process(process) => process.span,
            Target::Mock(mock) => mock.span,
        }
    }

    /// Turns that this kind of target can not take.
    pub fn misfits(&self, turns: &[Turn]) -> Diagnostics {
        let mut problems = Diagnostics::default();
        let what = match self {
            Target::Process(_) => "an agent that is a process",
            Target::Mock(_) => "a mock",
        };
        if let Some(second) = turns.get(1) {
            let message = format!("{what} takes one turn");
            problems.push(Diagnostic::error(second.span, message).label("there is no second turn"));
        }
        if let Some(Said::Action(action)) = turns.first().map(|turn| &turn.said) {
            let message = format!("{what} has no action `{}`", action.kind.value);
            let help = "give it an `input`, or messages with `user`";
            problems.push(Diagnostic::error(action.kind.span, message).label("not for this target").help(help));
        }
        problems
    }
}

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
