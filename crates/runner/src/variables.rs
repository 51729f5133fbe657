//! The variables of one attempt.

use std::cell::Cell;
use std::fmt::Display;

use agentci_plan::{Case, Variables};
use agentci_source::Place;
use agentci_verdict::{Cause, Finding};
use serde_json::{Map, Value};

use crate::{findings, open_error::NotOpened};

/// The most bytes that variables put into the texts of an attempt, all together. A variable may hold several times those
/// before it, so that few of them could fill any memory.
const FILLED_LIMIT: usize = 64 << 20;

/// Looks variables up: the environment's by `ENV.NAME`, the scripted model's by `MODEL.NAME`, those of MCP servers by
/// `MCP.NAME.url`, the case's by name.
pub(crate) struct VariableScope<'s> {
    environment: &'s dyn Fn(&str) -> Option<String>,
    /// What the target's own file puts before the environment.
    own: &'s [(String, String)],
    /// Those of the case.
    pub(crate) variables: Variables,
    /// Where the scripted model and the MCP servers are, which is no secret.
    addresses: Vec<(String, String)>,
    /// How much was put into texts so far. Whoever fills a text is given a lookup that it can only share, so this is a cell.
    filled: Cell<usize>,
}

impl<'s> VariableScope<'s> {
    /// Only the environment is known.
    pub(crate) fn new(case: &'s Case, environment: &'s dyn Fn(&str) -> Option<String>) -> Self {
        let own = case.target.environment();
        Self { environment, own, variables: Variables::new(), addresses: Vec::new(), filled: Cell::default() }
    }

    /// Takes the case's own variables, each of which may use those before it. The finding names the one that could not be filled.
    pub(crate) fn fill(&mut self, case: &Case, place: impl Fn() -> Place) -> Result<(), NotOpened> {
        for (name, text) in case.variables.iter() {
            let value = text
                .fill(&|wanted| self.get(wanted))
                .map_err(|unset| self.unset(format!("the variable `{name}` can not be filled: {unset}"), place()))?;
            self.variables.insert(name.clone(), value);
        }
        Ok(())
    }

    /// The value of a variable; none either once too much was filled.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let value = match name.split_once('.') {
            Some(("ENV", name)) => of_environment(self.own, self.environment, name),
            Some(("MODEL" | "MCP", _)) => {
                self.addresses.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            }
            _ => self.variables.get(name).cloned(),
        }?;
        self.filled.set(self.filled.get().saturating_add(value.len()));
        (!self.is_spent()).then_some(value)
    }

    /// Whether more was to be put into texts than may be.
    pub(crate) fn is_spent(&self) -> bool {
        self.filled.get() > FILLED_LIMIT
    }

    /// The finding for a text that could not be filled: a variable in it has no value, or too much was filled.
    pub(crate) fn unset(&self, message: String, place: Place) -> Finding {
        if self.is_spent() { Self::too_much(place) } else { findings::unset(message, place) }
    }

    /// The finding when more was to be put into texts than may be.
    pub(crate) fn too_much(place: Place) -> Finding {
        let message = format!("the variables of the case put more than {} MiB into its texts", FILLED_LIMIT >> 20);
        let help = "let them hold less, or be used in fewer places; a file that the agent reads can be of any size";
        Finding::new(Cause::Config, message).at(place, "").help(help)
    }

    /// Gives a variable this value.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Says where something is that is there for the attempt: `MODEL` or `MCP`.
    pub(crate) fn locate<N: Display>(&mut self, what: &str, addresses: &[(N, String)]) {
        let named = |(name, address): &(N, String)| (format!("{what}.{name}"), address.clone());
        self.addresses.extend(addresses.iter().map(named));
    }

    /// Takes what a hook printed: texts as they are, anything else as JSON.
    pub(crate) fn take(&mut self, printed: &Map<String, Value>) {
        for (name, value) in printed {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            self.variables.insert(name.clone(), text);
        }
    }
}

/// A variable of the environment, as the target's own file has it before all else.
pub(crate) fn of_environment(
    own: &[(String, String)],
    outside: &dyn Fn(&str) -> Option<String>,
    name: &str,
) -> Option<String> {
    let own = own.iter().rev().find(|(known, _)| known == name);
    own.map(|(_, value)| value.clone()).or_else(|| outside(name))
}
