//! The connection to the server, from its first use until the end of the case.

use std::time::{Duration, Instant};

use agentci_mcp::{self as mcp, ClientCredentials, ConnectOptions, McpClient, McpEndpoint, McpError};
use agentci_plan::{Auth, McpTarget, McpTransport, Text, UnsetVariableError};
use agentci_process::{Ending, ProcessCommand};
use agentci_trace::Moment;
use agentci_wire::FetchedSecrets;
use serde_json::{Map, Value};

use super::action::McpAction;
use super::action_result::{self, ActionResult, McpOutcome, ServerLogEntry};
use super::failure::McpFailure;
use crate::DriverContext;
use crate::process::command_line;
use crate::template_parts::filled;
use agentci_exchange::Clock;

/// A server that is connected on first use.
#[derive(Debug)]
pub(super) struct LazyServer {
    place: mcp::ServerAddress,
    /// The timeout of one action, and of the connection.
    timeout: Duration,
    /// Fetched access tokens are registered here.
    fetched: FetchedSecrets,
    client: Option<McpClient>,
    /// The number of defects that were reported so far.
    defects: usize,
    /// Why it could not be reached.
    failed: Option<McpFailure>,
    /// The standard error of a server that could not be reached.
    stderr_tail: Vec<String>,
}

impl LazyServer {
    pub(super) fn new(target: &McpTarget, context: &DriverContext<'_>) -> Result<Self, UnsetVariableError> {
        let place = place(target, context)?;
        let timeout = context.request_timeout.unwrap_or(target.timeout);
        let fetched = context.fetched.clone();
        Ok(Self { place, timeout, fetched, client: None, defects: 0, failed: None, stderr_tail: Vec::new() })
    }

    /// Connects to the server, unless it is connected.
    pub(super) async fn reach(&mut self) {
        if self.client.is_some() {
            return;
        }
        let options = ConnectOptions { fetched: self.fetched.clone(), ..ConnectOptions::default() };
        match McpClient::connect(self.place.clone(), options, self.timeout).await {
            Ok(client) => self.client = Some(client),
            Err(error) => {
                if let McpError::Died { stderr_tail, .. } | McpError::TimedOut { stderr_tail, .. } = &error {
                    self.stderr_tail.clone_from(stderr_tail);
                }
                self.failed = Some(McpFailure::of(&error, false, self.timeout));
            }
        }
    }

    /// Performs an action; returns its result and when it was known.
    pub(super) async fn perform(&mut self, action: &McpAction, clock: Clock) -> (ActionResult, Moment) {
        let Some(client) = &self.client else {
            let failed = self.failed.take().unwrap_or_else(|| McpFailure::of(&McpError::Closed, true, self.timeout));
            return (ActionResult::failed(failed), clock.now());
        };
        let done = ask(client, action, clock, self.timeout).await;
        let at = clock.now();
        let mut logs: Vec<ServerLogEntry> =
            client.notifications().into_iter().map(|told| ServerLogEntry::notification(told, clock)).collect();
        let outcome = match done {
            Ok((result, entries)) => {
                logs.extend(entries);
                McpOutcome::Result(result)
            }
            Err(error) => McpOutcome::Failure(McpFailure::of(&error, true, self.timeout)),
        };
        logs.sort_by_key(|logged| logged.at_us);
        let all = client.defects();
        let defects = all.iter().skip(self.defects).map(ToString::to_string).collect();
        self.defects = all.len();
        (ActionResult { outcome, logs, defects }, at)
    }

    pub(super) async fn close(self) -> Ending {
        let nothing = Ending { exit: None, stderr_tail: self.stderr_tail };
        match self.client {
            Some(client) => client.close().await.ending.unwrap_or(nothing),
            None => nothing,
        }
    }
}

async fn ask(
    client: &McpClient,
    action: &McpAction,
    clock: Clock,
    limit: Duration,
) -> Result<(Value, Vec<ServerLogEntry>), McpError> {
    let entries = |received| action_result::log_entries(received, clock, clock.now());
    Ok(match action {
        McpAction::Call { tool, args, answers, .. } => {
            let mut result = client.call_tool(tool, args, answers.clone(), limit).await?;
            let logs = entries(std::mem::take(&mut result.received));
            (result.into_value(), logs)
        }
        McpAction::Read { uri, answers } => {
            let result = client.read_resource(uri, answers.clone(), limit).await?;
            (result.result, entries(result.received))
        }
        McpAction::Prompt { name, args, answers } => {
            let result = client.get_prompt(name, args, answers.clone(), limit).await?;
            (result.result, entries(result.received))
        }
        McpAction::List { .. } => (list(client, limit).await?, Vec::new()),
    })
}

/// Everything that the server offers, sorted by name. Resources and prompts are listed only if it declares the
/// capability.
async fn list(client: &McpClient, limit: Duration) -> Result<Value, McpError> {
    let begun = Instant::now();
    let left = || limit.saturating_sub(begun.elapsed());
    let has = |what: &str| client.facts().capabilities.get(what).is_some();
    let mut all = Map::new();
    all.insert("tools".into(), sorted(client.list_tools(left()).await?));
    if has("resources") {
        all.insert("resources".into(), sorted(client.list_resources(left()).await?));
    }
    if has("prompts") {
        all.insert("prompts".into(), sorted(client.list_prompts(left()).await?));
    }
    Ok(all.into())
}

fn sorted(mut items: Vec<Value>) -> Value {
    items.sort_by_cached_key(|item| item["name"].as_str().map(str::to_owned));
    items.into()
}

fn place(target: &McpTarget, context: &DriverContext<'_>) -> Result<mcp::ServerAddress, UnsetVariableError> {
    let text = |text: &Text| text.fill(context.lookup);
    match &target.transport {
        McpTransport::Stdio { command, environment } => {
            let mut parts = command_line(command, context.lookup)?.into_iter();
            let mut variables = context.environment.to_vec();
            variables.extend(filled(environment, text)?);
            Ok(mcp::ServerAddress::Stdio(ProcessCommand {
                program: parts.next().unwrap_or_default(),
                arguments: parts.collect(),
                folder: None,
                environment: variables,
            }))
        }
        McpTransport::Http(url) => {
            let mut headers = filled(&target.headers, text)?;
            let mut credentials = None;
            match &target.auth {
                Some(Auth::Bearer(token)) => {
                    headers.push(("authorization".into(), format!("Bearer {}", text(token)?)));
                }
                Some(Auth::ApiKey { name, value, .. }) => headers.push((name.clone(), text(value)?)),
                Some(Auth::OAuth2 { token_url, client_id, client_secret, scopes }) => {
                    credentials = Some(ClientCredentials {
                        token_url: Some(text(token_url)?),
                        client_id: text(client_id)?,
                        client_secret: text(client_secret)?,
                        scopes: scopes.clone(),
                    });
                }
                // Certificates are rejected when the suite is read.
                None | Some(Auth::Mtls { .. }) => {}
            }
            Ok(mcp::ServerAddress::Http(McpEndpoint { url: text(&url.value)?, headers, credentials }))
        }
    }
}
