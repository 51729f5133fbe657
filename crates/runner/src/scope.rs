//! The variables of one attempt.

use agentci_plan::{Case, Variables};
use serde_json::{Map, Value};

/// Looks variables up: the environment's by `ENV.NAME`, the case's by name.
pub(crate) struct Scope<'s> {
    environment: &'s dyn Fn(&str) -> Option<String>,
    /// What the target's own file puts before the environment.
    own: &'s [(String, String)],
    variables: Variables,
}

impl<'s> Scope<'s> {
    /// The case's own variables, each of which may use those before it. The error names the one that could not be filled.
    pub(crate) fn new(case: &'s Case, environment: &'s dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut scope = Self { environment, own: case.target.environment(), variables: Variables::new() };
        for (name, text) in case.variables.iter() {
            let value = text
                .fill(&|wanted| scope.get(wanted))
                .map_err(|unset| format!("the variable `{name}` can not be filled: {unset}"))?;
            scope.variables.insert(name.clone(), value);
        }
        Ok(scope)
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        match name.strip_prefix("ENV.") {
            Some(name) => {
                let own = self.own.iter().rev().find(|(known, _)| known == name);
                own.map(|(_, value)| value.clone()).or_else(|| (self.environment)(name))
            }
            None => self.variables.get(name).cloned(),
        }
    }

    /// All variables of the case.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&String, &String)> {
        self.variables.iter()
    }

    /// Gives a variable this value.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
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
