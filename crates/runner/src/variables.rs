//! The variables of one attempt.

use std::cell::Cell;
use std::fmt::Display;
use std::sync::Arc;

use agentci_dataset::{DataRow, value_text};
use agentci_plan::{Case, Variables, is_row};
use agentci_source::Place;
use agentci_verdict::{Cause, Finding};
use serde_json::{Map, Value};

use crate::{findings, setup_error::SetupError};

/// The maximum number of bytes that variables add to the texts of an attempt in total. A variable may contain earlier
/// variables several times, so that a few of them could fill any memory.
const FILLED_LIMIT: usize = 64 << 20;

/// Looks up variables: those of the environment by `ENV.NAME`, of the scripted model by `MODEL.NAME`, of MCP servers by
/// `MCP.NAME.url`, and of the case by name.
pub(crate) struct VariableScope<'s> {
    environment: &'s dyn Fn(&str) -> Option<String>,
    /// Variables of the target's own file, which take precedence over the environment.
    own: &'s [(String, String)],
    /// The variables of the case.
    pub(crate) variables: Variables,
    /// The addresses of the scripted model and the MCP servers, which are not secret.
    addresses: Vec<(String, String)>,
    /// The row of data that the case was made from.
    row: Option<Arc<DataRow>>,
    /// The number of bytes added to texts so far. Lookups only share a reference, so this is a cell.
    filled: Cell<usize>,
}

impl<'s> VariableScope<'s> {
    /// Starts with the environment only.
    pub(crate) fn new(case: &'s Case, environment: &'s dyn Fn(&str) -> Option<String>) -> Self {
        let own = case.target.environment();
        let row = case.row.clone();
        Self { environment, own, variables: Variables::new(), addresses: Vec::new(), row, filled: Cell::default() }
    }

    /// Fills in the case's own variables, each of which may use those before it. The finding names the one that failed.
    pub(crate) fn fill(&mut self, case: &Case, place: impl Fn() -> Place) -> Result<(), SetupError> {
        for (name, text) in case.variables.iter() {
            let value = text
                .fill(&|wanted| self.get(wanted))
                .map_err(|unset| self.unset(format!("the variable `{name}` cannot be resolved: {unset}"), place()))?;
            self.variables.insert(name.clone(), value);
        }
        Ok(())
    }

    /// The value of a variable; always `None` once the limit is exceeded.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let value = match name.split_once('.') {
            Some(("ENV", name)) => of_environment(self.own, self.environment, name),
            Some(("MODEL" | "MCP", _)) => {
                self.addresses.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            }
            _ => match &self.row {
                Some(row) if is_row(name) => row.variable(name).map(|value| value_text(&value)),
                _ => self.variables.get(name).cloned(),
            },
        }?;
        self.filled.set(self.filled.get().saturating_add(value.len()));
        (!self.is_spent()).then_some(value)
    }

    /// The value of a column of the row, with its type.
    pub(crate) fn column(&self, name: &str) -> Option<Value> {
        self.row.as_ref()?.variable(name)
    }

    /// Whether the limit is exceeded.
    pub(crate) fn is_spent(&self) -> bool {
        self.filled.get() > FILLED_LIMIT
    }

    /// The finding for a text that could not be filled in: a variable in it has no value, or the limit is exceeded.
    pub(crate) fn unset(&self, message: String, place: Place) -> Finding {
        if self.is_spent() { Self::too_much(place) } else { findings::unset(message, place) }
    }

    /// The finding for exceeding the limit.
    pub(crate) fn too_much(place: Place) -> Finding {
        let message = format!("the variables of the case expand to more than {} MiB of text", FILLED_LIMIT >> 20);
        let help = "use shorter values, or use them in fewer places; a file that the agent reads can be of any size";
        Finding::new(Cause::Config, message).at(place, "").help(help)
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Sets the addresses of a service of the attempt: `MODEL` or `MCP`.
    pub(crate) fn locate<N: Display>(&mut self, what: &str, addresses: &[(N, String)]) {
        let named = |(name, address): &(N, String)| (format!("{what}.{name}"), address.clone());
        self.addresses.extend(addresses.iter().map(named));
    }

    /// Sets variables from the output of a hook: strings as they are, anything else as JSON.
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

/// Looks up an environment variable; the target's own file takes precedence.
pub(crate) fn of_environment(
    own: &[(String, String)],
    outside: &dyn Fn(&str) -> Option<String>,
    name: &str,
) -> Option<String> {
    let own = own.iter().rev().find(|(known, _)| known == name);
    own.map(|(_, value)| value.clone()).or_else(|| outside(name))
}
