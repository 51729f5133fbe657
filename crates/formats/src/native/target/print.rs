//! Targets in native form.

use std::time::Duration;

use agentci_plan::{
    A2aCard, A2aTarget, AguiTarget, ApiKeyPlace, Auth, McpTarget, McpTransport, MockTarget, OutputRule, ProcessTarget,
    REQUEST_TIMEOUT, Speech, Target, Text,
};
use agentci_source::{Node, Pair, print_duration};
use serde_json::json;

use super::super::print::Printer;
use crate::mock_script::print_script;

impl Printer<'_> {
    /// A target as a mapping of one key. `index` is the position of its case.
    pub(in crate::native) fn target(&self, target: &Target, index: usize) -> Node {
        let (kind, node) = match target {
            Target::Process(process) => ("process", self.process(process)),
            Target::Mock(mock) => ("mock", self.mock(mock, index)),
            Target::Agui(agui) => ("agui", self.agui(agui)),
            Target::A2a(a2a) => ("a2a", self.a2a(a2a)),
            Target::Mcp(mcp) => ("mcp", self.mcp(mcp)),
            Target::Chat(chat) => ("chat", self.chat(chat)),
            Target::Http(http) => ("http", self.http(http)),
        };
        self.map(vec![self.pair(kind, node)])
    }

    fn process(&self, process: &ProcessTarget) -> Node {
        let mut pairs = vec![self.pair("command", self.list(&process.command, |part| self.template(&part.text)))];
        if let Some(folder) = &process.folder {
            pairs.push(self.pair("folder", self.path(folder)));
        }
        if !process.environment.is_empty() {
            pairs.push(self.pair("env", self.named_texts(&process.environment)));
        }
        pairs.extend(self.choice("speaks", process.speaks, &Speech::NAMES));
        pairs.extend(self.choice("output", process.output, &OutputRule::NAMES));
        self.map(pairs)
    }

    fn mock(&self, mock: &MockTarget, index: usize) -> Node {
        let mut pairs = print_script(&mock.script, self.span);
        if mock.position as usize != index {
            pairs.push(self.pair("position", self.plain(mock.position.to_string())));
        }
        self.map(pairs)
    }

    fn agui(&self, agui: &AguiTarget) -> Node {
        let mut pairs = vec![self.pair("endpoint", self.template(&agui.endpoint.value))];
        pairs.extend(self.optional("agent", agui.agent.as_ref()));
        pairs.extend(self.optional("thread", agui.thread.as_ref()));
        pairs.extend(self.requests(&agui.headers, agui.timeout));
        for (name, data) in [("forwarded_props", &agui.forwarded_props), ("state", &agui.state)] {
            pairs.extend(data.as_ref().map(|data| self.pair(name, Node::from_value(&data.written(), self.span))));
        }
        if !agui.tools.is_empty() {
            let tool = |tool: &agentci_plan::ClientTool| {
                let mut pairs = vec![self.pair("name", self.text(&tool.name.value))];
                if !tool.description.is_empty() {
                    pairs.push(self.pair("description", self.text(&tool.description)));
                }
                if tool.parameters != json!({ "type": "object" }) {
                    pairs.push(self.pair("parameters", Node::from_value(&tool.parameters, self.span)));
                }
                self.map(pairs)
            };
            pairs.push(self.pair("tools", self.list(&agui.tools, tool)));
        }
        pairs.extend(self.choice("wire", agui.wire, &agentci_plan::AguiWire::NAMES));
        pairs.extend(self.choice("protocol", agui.protocol, &agentci_plan::Strictness::NAMES));
        pairs.extend(self.choice("output", agui.output, &OutputRule::NAMES));
        self.map(pairs)
    }

    fn a2a(&self, a2a: &A2aTarget) -> Node {
        let card = match &a2a.card {
            A2aCard::At(url) => self.pair("card_url", self.template(&url.value)),
            A2aCard::Inline(card) => self.pair("card", Node::from_value(card, self.span)),
            A2aCard::Endpoint(endpoint) => self.pair("endpoint", self.template(&endpoint.value)),
        };
        let mut pairs = vec![card];
        pairs.extend(self.optional("context", a2a.context.as_ref()));
        pairs.extend(a2a.blocking.map(|blocking| self.pair("blocking", self.plain(blocking.to_string()))));
        if !a2a.accepted_output_modes.is_empty() {
            let modes = self.list(&a2a.accepted_output_modes, |mode| self.text(mode));
            pairs.push(self.pair("accepted_output_modes", modes));
        }
        pairs.extend(a2a.auth.as_ref().map(|auth| self.pair("auth", self.auth(auth))));
        if !a2a.hosts.is_empty() {
            pairs.push(self.pair("hosts", self.list(&a2a.hosts, |host| self.text(host))));
        }
        pairs.extend(self.requests(&a2a.headers, a2a.timeout));
        pairs.extend(self.choice("output", a2a.output, &OutputRule::NAMES));
        self.map(pairs)
    }

    fn auth(&self, auth: &Auth) -> Node {
        let (scheme, node) = match auth {
            Auth::Bearer(token) => ("bearer", self.template(token)),
            Auth::ApiKey { name, place, value } => {
                let mut pairs = vec![self.pair("name", self.text(name))];
                pairs.extend(self.choice("in", *place, &ApiKeyPlace::NAMES));
                pairs.push(self.pair("value", self.template(value)));
                ("api_key", self.map(pairs))
            }
            Auth::OAuth2 { token_url, client_id, client_secret, scopes } => {
                let mut pairs = vec![
                    self.pair("token_url", self.template(token_url)),
                    self.pair("client_id", self.template(client_id)),
                    self.pair("client_secret", self.template(client_secret)),
                ];
                if !scopes.is_empty() {
                    pairs.push(self.pair("scopes", self.list(scopes, |scope| self.text(scope))));
                }
                ("oauth2", self.map(pairs))
            }
            Auth::Mtls { certificate, key, authority } => {
                let mut pairs =
                    vec![self.pair("certificate", self.path(certificate)), self.pair("key", self.path(key))];
                pairs.extend(authority.as_ref().map(|authority| self.pair("authority", self.path(authority))));
                ("mtls", self.map(pairs))
            }
        };
        self.map(vec![self.pair(scheme, node)])
    }

    fn mcp(&self, mcp: &McpTarget) -> Node {
        let mut pairs = match &mcp.transport {
            McpTransport::Stdio { command, environment } => {
                let mut pairs = vec![self.pair("command", self.list(command, |part| self.template(&part.text)))];
                if !environment.is_empty() {
                    pairs.push(self.pair("env", self.named_texts(environment)));
                }
                pairs
            }
            McpTransport::Http(url) => vec![self.pair("url", self.template(&url.value))],
        };
        pairs.extend(mcp.auth.as_ref().map(|auth| self.pair("auth", self.auth(auth))));
        pairs.extend(self.requests(&mcp.headers, mcp.timeout));
        self.map(pairs)
    }

    /// What every target has that takes requests.
    fn requests(&self, headers: &[(String, Text)], timeout: Duration) -> Vec<Pair> {
        let mut pairs = Vec::new();
        if !headers.is_empty() {
            pairs.push(self.pair("headers", self.named_texts(headers)));
        }
        if timeout != REQUEST_TIMEOUT {
            pairs.push(self.pair("timeout", self.text(&print_duration(timeout))));
        }
        pairs
    }

    fn optional(&self, key: &str, text: Option<&Text>) -> Option<Pair> {
        text.map(|text| self.pair(key, self.template(text)))
    }

    /// One word of a few, unless it is the usual one.
    pub(super) fn choice<T: Copy + PartialEq + Default>(
        &self,
        key: &str,
        chosen: T,
        names: &[(&str, T)],
    ) -> Option<Pair> {
        let name = names.iter().find(|(_, value)| *value == chosen).map(|(name, _)| *name)?;
        (chosen != T::default()).then(|| self.pair(key, self.text(name)))
    }
}
