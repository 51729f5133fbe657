//! The secrets that a case brings along, known before its agent says anything.

use std::borrow::Cow;

use agentci_checks::ReadyCheck;
use agentci_drivers::Input;
use agentci_plan::{Case, Content, FixtureAnswer, Node, Text, ToolSource, World};
use agentci_trace::Redactor;
use serde_json::Value;

use crate::job::Job;
use crate::scope::Scope;

/// The shortest text that a header can be known by as a secret.
const SHORTEST_SECRET: usize = 8;

/// Takes note of the secrets in the input, the variables and the checks. The case's own are for comparing and recording calls;
/// the run remembers them, too, so that they leave it nowhere.
pub(crate) fn learn<'c>(
    job: &Job<'_>,
    scope: &Scope<'_>,
    inputs: &[Input],
    checks: impl Iterator<Item = &'c ReadyCheck>,
) -> Redactor {
    let mut own = job.suite_secrets.clone();
    for (name, value) in scope.variables() {
        own.learn_pair(name, value);
    }
    let inputs: Vec<Cow<'_, Value>> = inputs.iter().map(Input::as_value).collect();
    for input in &inputs {
        own.learn(input);
    }
    for (name, text) in handed_over(job.case) {
        if let Ok(value) = text.fill(&|name| scope.get(name)) {
            own.learn_pair(name, &value);
            job.secrets.borrow_mut().learn_pair(name, &value);
        }
    }
    // What a request says of us by a variable is secret, whatever the header is called, and so is what follows a scheme.
    for (_, text) in job.case.target.headers() {
        let (Text::Template(_), Ok(value)) = (text, text.fill(&|name| scope.get(name))) else { continue };
        let credential = value.split_once(' ').map_or(value.as_str(), |(_, credential)| credential);
        for secret in [value.as_str(), credential].into_iter().filter(|secret| secret.len() >= SHORTEST_SECRET) {
            own.learn_value(secret);
            job.secrets.borrow_mut().learn_value(secret);
        }
    }
    if let Some(Ok(value)) = job.case.target.secret().map(|secret| secret.fill(&|name| scope.get(name))) {
        own.learn_value(&value);
        job.secrets.borrow_mut().learn_value(&value);
    }
    let mut run = job.secrets.borrow_mut();
    for (name, value) in scope.variables() {
        run.learn_pair(name, value);
    }
    for input in &inputs {
        run.learn(input);
    }
    for check in checks {
        learn_node(&check.check().arguments, &mut run);
    }
    for value in played(&job.case.world) {
        own.learn(value);
        run.learn(value);
    }
    own
}

/// What a suite writes into the answers of tools, and into the requests that they are for.
fn played(world: &World) -> impl Iterator<Item = &Value> {
    let tools = match &world.tools {
        ToolSource::Routes(routes) => routes.tools.as_slice(),
        _ => &[],
    };
    tools.iter().flat_map(|tool| &tool.fixtures).flat_map(|fixture| {
        let answer = match &fixture.answer {
            FixtureAnswer::Inline(value) => Some(value),
            FixtureAnswer::File(_) => None,
        };
        fixture.request.iter().chain(answer)
    })
}

/// What a suite hands to the agent, its hooks and its tools by name.
fn handed_over(case: &Case) -> impl Iterator<Item = &(String, Text)> {
    let tools = case.world.live.tools.iter().flat_map(|(_, tool)| tool.handed_over());
    let agent = case.target.handed_over();
    agent.iter().chain(case.hooks.iter().flat_map(|hook| &hook.environment)).chain(tools)
}

/// Secrets that a suite writes into its checks.
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
