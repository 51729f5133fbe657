//! The secrets that a case brings along, known before its agent says anything.
//!
//! A case has two redactors. One knows what the case brings along and nothing else, so that calls are compared, recorded and
//! told apart in the same way in every attempt. The other cleans what leaves the run, and also knows what was met on the way.
//! Whatever the first learns here, the second takes over.

use agentci_checks::ReadyCheck;
use agentci_drivers::Input;
use agentci_plan::{Case, CommandPart, FixtureAnswer, LiveTool, McpTransport, Target, Text, ToolSource, World};
use agentci_source::{Content, Node};
use agentci_trace::Redactor;
use serde_json::Value;

use crate::job::Job;
use crate::variables::Scope;

/// The value of a variable.
pub(crate) type Lookup<'l> = &'l dyn Fn(&str) -> Option<String>;

/// The secrets that a case brings along, as far as they are known yet.
pub(crate) struct CaseSecrets {
    known: Redactor,
}

impl CaseSecrets {
    /// What is known before any variable has a value. It is learned before anything can go wrong, since messages show lines of
    /// the suite.
    pub(crate) fn new(job: &Job<'_>) -> Self {
        let mut secrets = Self { known: job.suite_secrets.clone() };
        secrets.surroundings(job, &|_| None);
        secrets
    }

    /// Learns what the suite hands to the agent, its hooks and its tools, as far as the variables in it have values.
    pub(crate) fn surroundings(&mut self, job: &Job<'_>, lookup: Lookup<'_>) {
        surroundings(job.case, lookup, &mut self.known);
        self.pass_on(job);
    }

    /// Learns the rest, once every variable has its value: the variables, the input, the checks and the answers of tools.
    pub(crate) fn whole<'c>(
        mut self,
        job: &Job<'_>,
        scope: &Scope<'_>,
        inputs: &[Input],
        checks: impl Iterator<Item = &'c ReadyCheck>,
    ) -> Redactor {
        for (name, value) in scope.variables() {
            self.known.learn_pair(name, value);
            self.known.learn_text(value);
        }
        for input in inputs {
            self.known.learn(&input.as_value());
        }
        for check in checks {
            learn_node(&check.check().arguments, &mut self.known);
        }
        for value in played(&job.case.world) {
            self.known.learn(value);
        }
        self.surroundings(job, &|name| scope.get(name));
        self.known
    }

    fn pass_on(&self, job: &Job<'_>) {
        job.secrets.borrow_mut().absorb(&self.known);
    }
}

/// What the suite hands to the agent of a case, its hooks and its tools.
fn surroundings(case: &Case, lookup: Lookup<'_>, secrets: &mut Redactor) {
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
            // There may be tools that only the plan knows.
        }
    }
}

/// What the suite hands to an agent.
pub(crate) fn learn_target(target: &Target, lookup: Lookup<'_>, secrets: &mut Redactor) {
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
        _ => {}
    }
}

fn learn_transport(transport: &McpTransport, headers: &[(String, Text)], lookup: Lookup<'_>, secrets: &mut Redactor) {
    match transport {
        McpTransport::Stdio { command, .. } => learn_command(command, lookup, secrets),
        McpTransport::Http(_) => learn_headers(headers, lookup, secrets),
    }
}

/// What is secret by its name.
fn learn_pairs(pairs: &[(String, Text)], lookup: Lookup<'_>, secrets: &mut Redactor) {
    for (name, text) in pairs {
        if let Ok(value) = text.fill(lookup) {
            secrets.learn_pair(name, &value);
        }
    }
}

/// What a request says of us by a variable is secret, whatever the header is called.
fn learn_headers(headers: &[(String, Text)], lookup: Lookup<'_>, secrets: &mut Redactor) {
    for (name, text) in headers {
        let telling =
            matches!(text, Text::Template(_)) || name.eq_ignore_ascii_case("cookie") || secrets.is_secret_key(name);
        if let (true, Ok(value)) = (telling, text.fill(lookup)) {
            secrets.learn_header(&value);
        }
    }
}

fn learn_command(command: &[CommandPart], lookup: Lookup<'_>, secrets: &mut Redactor) {
    // What has no value yet is shown as it is written, and is no secret.
    let part = |part: &CommandPart| part.text.fill(lookup).unwrap_or_else(|_| part.text.written());
    let arguments: Vec<String> = command.iter().map(part).collect();
    secrets.learn_arguments(&arguments);
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
