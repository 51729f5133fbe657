//! The sources of a case's secrets: its suite, its environment, and the output of its hooks.
//!
//! Each function reads one source and adds its secrets to a redactor.

use agentci_plan::mcp_script::CallOutcome;
use agentci_plan::{Case, CommandPart, FixtureAnswer, LiveTool, McpTransport, Target, Text, World};
use agentci_source::{Content, Node};
use agentci_trace::Redactor;
use serde_json::Value;

use crate::{filled_case::FilledCase, job::CaseJob, services::routes, variables::VariableScope};

/// Looks up the value of a variable.
pub(crate) type SecretLookup<'l> = &'l dyn Fn(&str) -> Option<String>;

/// Learns the secrets that are known before any variable has a value. This happens before anything can fail, since
/// messages show lines of the suite.
pub(crate) fn learn_written(job: &CaseJob<'_>) {
    job.secrets.begin_attempt();
    job.secrets.bring(|secrets| {
        learn_handed_over(job.case, &|_| None, secrets);
        let checks = job.ready.checks.iter().chain(job.ready.turns.iter().flatten());
        for check in checks.filter(|check| !check.waits_for_variables()) {
            learn_node(&check.check().arguments, secrets);
        }
        for value in played(&job.case.world) {
            secrets.learn(value);
        }
        for value in of_servers(&job.case.world) {
            secrets.learn(&value);
        }
    });
}

/// Learns the values of the variables, and what is passed to the agent, its hooks and its tools with them.
pub(crate) fn learn_variables(job: &CaseJob<'_>, variables: &VariableScope<'_>) {
    job.secrets.bring(|secrets| {
        for (name, value) in &variables.variables {
            secrets.learn_pair(name, value);
            secrets.learn_text(value);
        }
        learn_handed_over(job.case, &|name| variables.get(name), secrets);
    });
}

/// Learns what was filled in with variables: the inputs of the agent, and checks.
pub(crate) fn learn_filled(job: &CaseJob<'_>, filled: &FilledCase) {
    job.secrets.bring(|secrets| {
        for input in &filled.inputs {
            secrets.learn(&input.as_value());
        }
        let ready = job.ready.checks.iter().chain(job.ready.turns.iter().flatten());
        let checks = filled.checks.iter().chain(filled.turn_checks.iter().flatten());
        for (check, _) in checks.zip(ready).filter(|(_, ready)| ready.waits_for_variables()) {
            learn_node(&check.check().arguments, secrets);
        }
    });
}

/// Learns what the suite passes to the agent of a case, its hooks and its tools.
fn learn_handed_over(case: &Case, lookup: SecretLookup<'_>, secrets: &mut Redactor) {
    learn_target(&case.target, lookup, secrets);
    for hook in case.hooks.iter() {
        learn_pairs(&hook.environment, lookup, secrets);
        learn_command(&hook.command, lookup, secrets);
    }
    for (_, tool) in &case.world.live.tools {
        learn_pairs(tool.handed_over(), lookup, secrets);
        match tool {
            LiveTool::Command(tool) => learn_command(&tool.command, lookup, secrets),
            LiveTool::Http(tool) => learn_headers(&tool.headers, lookup, secrets),
            LiveTool::Mcp(tool) => learn_transport(&tool.transport, &tool.headers, lookup, secrets),
        }
    }
}

/// Learns what the suite passes to an agent.
pub(crate) fn learn_target(target: &Target, lookup: SecretLookup<'_>, secrets: &mut Redactor) {
    learn_pairs(target.handed_over(), lookup, secrets);
    learn_headers(target.headers(), lookup, secrets);
    if let Some(Ok(secret)) = target.secret().map(|secret| secret.fill(lookup)) {
        secrets.learn_value(&secret);
    }
    match target {
        Target::Process(process) => learn_command(&process.command, lookup, secrets),
        Target::Mcp(mcp) => learn_transport(&mcp.transport, &mcp.headers, lookup, secrets),
        Target::Http(http) => {
            if let Some(server) = &http.server {
                learn_pairs(&server.environment, lookup, secrets);
                learn_command(&server.command, lookup, secrets);
            }
        }
        Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Chat(_) => {}
    }
}

fn learn_transport(
    transport: &McpTransport,
    headers: &[(String, Text)],
    lookup: SecretLookup<'_>,
    secrets: &mut Redactor,
) {
    match transport {
        McpTransport::Stdio { command, .. } => learn_command(command, lookup, secrets),
        McpTransport::Http(_) => learn_headers(headers, lookup, secrets),
    }
}

/// Learns values that are secret by their name.
fn learn_pairs(pairs: &[(String, Text)], lookup: SecretLookup<'_>, secrets: &mut Redactor) {
    for (name, text) in pairs {
        if let Ok(value) = text.fill(lookup) {
            secrets.learn_pair(name, &value);
        }
    }
}

/// Headers that use variables are secret, whatever their name.
fn learn_headers(headers: &[(String, Text)], lookup: SecretLookup<'_>, secrets: &mut Redactor) {
    for (name, text) in headers {
        let telling =
            matches!(text, Text::Template(_)) || name.eq_ignore_ascii_case("cookie") || secrets.is_secret_key(name);
        if let (true, Ok(value)) = (telling, text.fill(lookup)) {
            secrets.learn_header(&value);
        }
    }
}

fn learn_command(command: &[CommandPart], lookup: SecretLookup<'_>, secrets: &mut Redactor) {
    // Text without a value yet is shown as written, and is not a secret.
    let part = |part: &CommandPart| part.text.fill(lookup).unwrap_or_else(|_| part.text.written());
    let arguments: Vec<String> = command.iter().map(part).collect();
    secrets.learn_arguments(&arguments);
}

/// The answers of tools that a suite contains, and the requests that they match.
fn played(world: &World) -> impl Iterator<Item = &Value> {
    let tools = routes(world).map(|routes| routes.tools.as_slice()).unwrap_or_default();
    tools.iter().flat_map(|tool| &tool.fixtures).flat_map(|fixture| {
        let answer = match &fixture.answer {
            FixtureAnswer::Inline(value) => Some(value),
            FixtureAnswer::File(_) => None,
        };
        fixture.request.iter().chain(answer)
    })
}

/// The answers of scripted MCP servers, and the arguments that they match.
fn of_servers(world: &World) -> impl Iterator<Item = Value> {
    let tools = world.mcp.iter().filter_map(|server| server.script()).flat_map(|script| &script.tools);
    tools.flat_map(|tool| &tool.answers).flat_map(|answer| {
        let given = match &answer.outcome {
            CallOutcome::Reply(data) | CallOutcome::Error(data) | CallOutcome::Result(data) => Some(data.written()),
            CallOutcome::Failure { .. } => None,
        };
        answer.when.clone().into_iter().chain(given)
    })
}

/// Learns secrets in the checks of a suite.
fn learn_node(node: &Node, secrets: &mut Redactor) {
    match &node.content {
        Content::Map(pairs) => {
            for pair in pairs {
                if let Some(scalar) = pair.value.scalar() {
                    secrets.learn_pair(&pair.key.text, &scalar.text);
                }
                learn_node(&pair.value, secrets);
            }
        }
        Content::List(items) => items.iter().for_each(|item| learn_node(item, secrets)),
        Content::Scalar(_) => {}
    }
}
