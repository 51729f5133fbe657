//! Runs the hooks of a case: commands that run before it.

use std::time::Duration;

use agentci_plan::Hook;
use agentci_process::{Exit, Grace, PrintError, Process, ProcessCommand};
use agentci_source::print_duration;
use agentci_stubs::fill_command;
use agentci_text::cut_off;
use agentci_verdict::{Cause, Finding};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::attempt::Attempt;
use crate::job::CaseJob;
use crate::recording::NetworkTape;
use crate::secret_sources::learn_variables;
use crate::setup_error::SetupError;
use crate::variables::VariableScope;

/// The maximum size of a hook's output.
const OUTPUT_LIMIT: usize = 1 << 20;
/// The number of characters of the output that a message shows.
const SHOWN: usize = 500;
const GRACE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// Runs the hooks of a case in order. The JSON objects that they print become variables of the case.
pub(crate) async fn run_all(attempt: &mut Attempt<'_>, tape: &mut NetworkTape) -> Result<(), SetupError> {
    let job = attempt.job;
    for (number, step) in job.case.hooks.iter().enumerate() {
        // In a replay the recorded output is used instead of running the hook.
        if let NetworkTape::Replay(recording, _) = &*tape {
            attempt.variables.take(recording.variables(number).unwrap_or(&Map::new()));
            continue;
        }
        let printed = Box::pin(run(job, step, &attempt.variables)).await;
        if attempt.variables.is_spent() {
            return Err(VariableScope::too_much(job.place(step.span)).into());
        }
        let printed = printed?;
        attempt.variables.take(&printed);
        // Secrets must be known before the next hook runs, since it may print them.
        learn_variables(job, &attempt.variables);
        if let NetworkTape::Record(recorder) = tape {
            recorder.printed(number, printed);
        }
    }
    Ok(())
}

/// Runs a hook and returns the JSON object that it prints.
async fn run(job: &CaseJob<'_>, hook: &Hook, scope: &VariableScope<'_>) -> Result<Map<String, Value>, SetupError> {
    let failed = |message: String| Finding::new(Cause::Hook, message).at(job.place(hook.span), "");
    let command = fill_command(&hook.command, &hook.environment, &|name| scope.get(name));
    let command = command.map_err(|unset| failed(unset.to_string()))?;
    let command = ProcessCommand { folder: hook.folder.clone(), ..command };
    let name = command.program.to_string_lossy().into_owned();
    let (mut process, pipes) = Process::spawn(&command).map_err(|error| failed(format!("the hook failed: {error}")))?;
    drop(pipes.input);
    let mut output = Vec::new();
    let done = timeout(hook.timeout, process.print_to(&mut output, pipes.output, OUTPUT_LIMIT)).await;
    let ending = process.end(GRACE).await;
    let wrong = |what: String| {
        let findings = vec![failed(format!("the hook `{name}` {what}"))];
        SetupError { findings, stderr_tail: ending.stderr_tail }
    };
    match done {
        Err(_) => {
            let limit = print_duration(hook.timeout);
            return Err(wrong(format!("did not finish within {limit}\n{}", quote(&output))));
        }
        Ok(Err(PrintError::TooMuch(limit))) => {
            return Err(wrong(format!("printed more than {} MiB\n{}", limit >> 20, quote(&output))));
        }
        Ok(Err(error)) => return Err(wrong(format!("failed: {error}"))),
        Ok(Ok(Exit::Code(0))) => {}
        Ok(Ok(exit)) => return Err(wrong(format!("failed with {exit}\n{}", quote(&output)))),
    }
    if output.trim_ascii().is_empty() {
        let mut silent = wrong("printed nothing, but must print one JSON object".into());
        silent.findings[0].help = Some("print `{}` if it sets no variables".into());
        return Err(silent);
    }
    match serde_json::from_slice(&output) {
        Ok(Value::Object(variables)) => Ok(variables),
        Ok(_) => Err(wrong(format!("must print one JSON object\n{}", quote(&output)))),
        Err(error) => Err(wrong(format!("must print one JSON object: {error}\n{}", quote(&output)))),
    }
}

fn quote(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let short = cut_off(text.trim_end(), SHOWN);
    if short.is_empty() { "it printed nothing".into() } else { format!("it printed: {short}") }
}
