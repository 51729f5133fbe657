//! Running the commands that come before a case.

use agentci_plan::{Hook, print_duration};
use agentci_wire::{Command, Grace, Process};
use serde_json::Value;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

use crate::scope::Scope;

/// The most a hook may print.
const OUTPUT_LIMIT: u64 = 1 << 20;
/// How much of it a message shows.
const SHOWN: usize = 500;
const GRACE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

/// Why a hook failed, and the last lines of its standard error.
pub(crate) struct HookFailure {
    pub(crate) message: String,
    pub(crate) stderr_tail: Vec<String>,
}

/// Runs a hook and takes what it prints, one JSON object, into the scope.
pub(crate) async fn run(hook: &Hook, scope: &mut Scope<'_>) -> Result<(), HookFailure> {
    let plain = |message: String| HookFailure { message, stderr_tail: Vec::new() };
    let command = command(hook, scope).map_err(plain)?;
    let shown = command.program.to_string_lossy().into_owned();
    let (mut process, pipes) = Process::spawn(&command).map_err(|error| plain(format!("the hook failed: {error}")))?;
    drop(pipes.input);
    let mut output = Vec::new();
    let mut stdout = pipes.output.take(OUTPUT_LIMIT);
    let done = tokio::time::timeout(hook.timeout, async {
        stdout.read_to_end(&mut output).await?;
        process.exited().await
    })
    .await;
    let ending = process.end(GRACE).await;
    let wrong = |what: String| HookFailure { message: what, stderr_tail: ending.stderr_tail.clone() };
    match done {
        Err(_) => {
            return Err(wrong(format!("the hook `{shown}` was not done within {}", print_duration(hook.timeout))));
        }
        Ok(Err(error)) => return Err(wrong(format!("the hook `{shown}` failed: {error}"))),
        Ok(Ok(agentci_wire::Exit::Code(0))) => {}
        Ok(Ok(exit)) => return Err(wrong(format!("the hook `{shown}` failed with {exit}\n{}", printed(&output)))),
    }
    let value: Value = serde_json::from_slice(&output).map_err(|error| {
        wrong(format!("the hook `{shown}` must print one JSON object: {error}\n{}", printed(&output)))
    })?;
    let Value::Object(variables) = value else {
        return Err(wrong(format!("the hook `{shown}` must print one JSON object\n{}", printed(&output))));
    };
    for (name, value) in variables {
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        scope.set(name, text);
    }
    Ok(())
}

fn printed(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let short: String = text.trim_end().chars().take(SHOWN).collect();
    if short.is_empty() { "it printed nothing".into() } else { format!("it printed: {short}") }
}

fn command(hook: &Hook, scope: &Scope<'_>) -> Result<Command, String> {
    let fill = |text: &agentci_plan::Text| text.fill(&|name| scope.get(name)).map_err(|unset| unset.to_string());
    let mut parts =
        hook.command.iter().map(|part| fill(part).map(Into::into)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let environment = hook
        .environment
        .iter()
        .map(|(name, value)| Ok((name.clone(), fill(value)?)))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(Command { program: parts.next().unwrap_or_default(), arguments: parts.collect(), folder: None, environment })
}
