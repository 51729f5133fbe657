//! A case with its variables filled in: the inputs of its agent, and its checks.

use agentci_checks::{Lookup, ReadyCheck, refill};
use agentci_drivers::Input;
use agentci_plan::TurnInput;
use agentci_source::Reading;
use agentci_trace::PLACEHOLDER;
use agentci_verdict::Finding;
use serde_json::Map;

use crate::{attempt::Attempt, findings, setup_error::SetupError};

/// A case with its variables filled in.
pub(crate) struct FilledCase {
    /// The input of each turn.
    pub(crate) inputs: Vec<Input>,
    pub(crate) checks: Vec<ReadyCheck>,
    pub(crate) turn_checks: Vec<Vec<ReadyCheck>>,
}

impl FilledCase {
    /// Fills in the variables of an attempt.
    pub(crate) fn new(attempt: &Attempt<'_>) -> Result<Self, SetupError> {
        let (job, scope) = (attempt.job, &attempt.variables);
        let mut inputs = Vec::with_capacity(job.case.turns.len());
        for turn in &job.case.turns {
            let filled = input(&turn.said, &|name| scope.get(name));
            inputs.push(filled.map_err(|message| scope.unset(message, job.place(turn.span)))?);
        }
        let checks = fill(attempt, &job.ready.checks)?;
        let turn_checks = job.ready.turns.iter().map(|checks| fill(attempt, checks)).collect::<Result<_, _>>()?;
        Ok(Self { inputs, checks, turn_checks })
    }

    pub(crate) fn of_turn(&self, position: usize) -> &[ReadyCheck] {
        self.turn_checks.get(position).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The input of the agent, as the value that its driver sends.
pub(crate) fn input(said: &TurnInput, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Input, String> {
    match said {
        TurnInput::Input(data) => {
            data.fill(lookup).map(|task| Input::Task(task.into())).map_err(|unset| unset.to_string())
        }
        TurnInput::Messages(messages) => {
            let mut list = Vec::with_capacity(messages.len());
            for message in messages {
                let content = message.content.fill(lookup).map_err(|unset| unset.to_string())?;
                let mut whole = Map::from_iter([
                    ("role".to_owned(), message.role.as_str().into()),
                    ("content".to_owned(), content.into()),
                ]);
                whole.extend(message.more.clone());
                list.push(whole.into());
            }
            Ok(Input::Messages(list))
        }
        TurnInput::Action(action) => {
            let filled = agentci_plan::fill(&action.arguments, lookup).map_err(|unset| unset.to_string())?;
            let arguments =
                filled.value(Reading::Core).map_err(|_| "it contains a value that JSON cannot represent".to_owned())?;
            Ok(Input::Action { kind: action.kind.value.clone(), arguments })
        }
    }
}

/// Fills in the variables of checks that use any.
fn fill(attempt: &Attempt<'_>, checks: &[ReadyCheck]) -> Result<Vec<ReadyCheck>, Vec<Finding>> {
    let (job, scope) = (attempt.job, &attempt.variables);
    let fill = |check: &ReadyCheck| {
        if !check.waits_for_variables() {
            return Ok(check.clone());
        }
        let span = check.check().kind.span;
        // A recording contains the redaction placeholder instead of a secret; in a pattern it stands for itself.
        let literal = |name: &str| {
            let value = scope.get(name)?;
            Some(if value == PLACEHOLDER { r"\[REDACTED\]".to_owned() } else { value })
        };
        let lookup = Lookup { text: &literal, column: &|name| scope.column(name) };
        match refill(check, job.run.options.files, &job.run.suite.folder, lookup) {
            Ok(Ok(ready)) => Ok(ready),
            Ok(Err(problems)) => Err(findings::config(&problems, job.run.sources)),
            Err(unset) => Err(vec![scope.unset(unset.to_string(), job.place(span))]),
        }
    };
    checks.iter().map(fill).collect()
}
