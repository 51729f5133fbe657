//! What is opened and closed and holds no text: steps, subagents, spans of reasoning.

use std::fmt;

use super::lint::Named;

/// What a bracket is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A step, by name; each agent has its own.
    Step,
    /// A subagent, by the id of its run.
    Subagent,
    /// A span of reasoning, by id.
    Span,
}

/// An open bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bracket {
    what: What,
    owner: Option<String>,
    name: String,
}

impl fmt::Display for Bracket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            What::Step => "step",
            What::Subagent => "subagent",
            What::Span => "reasoning",
        };
        write!(formatter, "{what} {}", Named(&self.name))?;
        match &self.owner {
            Some(owner) => write!(formatter, " of subagent {}", Named(owner)),
            None => Ok(()),
        }
    }
}

/// The open ones.
#[derive(Debug, Default)]
pub(super) struct Brackets(Vec<Bracket>);

impl Brackets {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Opens one; if it is open, says its name.
    pub(super) fn open(&mut self, what: What, owner: Option<String>, name: String) -> Result<(), String> {
        let bracket = Bracket { what, owner, name };
        if self.0.contains(&bracket) {
            return Err(bracket.to_string());
        }
        self.0.push(bracket);
        Ok(())
    }

    /// Closes one; if it is not open, says its name.
    pub(super) fn close(&mut self, what: What, owner: Option<String>, name: String) -> Result<(), String> {
        let bracket = Bracket { what, owner, name };
        let Some(found) = self.0.iter().rposition(|open| *open == bracket) else {
            return Err(bracket.to_string());
        };
        self.0.remove(found);
        Ok(())
    }

    /// The names of all that are open.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(ToString::to_string)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
