//! Prints targets in native form.

use agentci_plan::{
    A2aCard, A2aTarget, AguiTarget, AguiWire, ApiKeyPlace, Auth, ClientTool, McpTarget, McpTransport, MockTarget,
    OutputRule, ProcessTarget, REQUEST_TIMEOUT, Speech, Strictness, Target,
};
use agentci_source::Node;
use serde_json::json;

use crate::printer::Printer;

impl Printer<'_> {
    /// Prints a target as a mapping with one key. `index` is the position of its case.
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
        self.map([(kind, Some(node))])
    }

    fn process(&self, process: &ProcessTarget) -> Node {
        self.map([
            ("command", self.command(&process.command)),
            ("folder", process.folder.as_deref().map(|folder| self.path(folder))),
            ("env", self.named_texts(&process.environment)),
            ("speaks", self.choice(process.speaks, &Speech::NAMES)),
            ("output", self.choice(process.output, &OutputRule::NAMES)),
        ])
    }

    fn mock(&self, mock: &MockTarget, index: usize) -> Node {
        let position = (mock.position as usize != index).then(|| self.plain(mock.position));
        self.map(self.mock_script(&mock.script).into_iter().chain([("position", position)]))
    }

    fn agui(&self, agui: &AguiTarget) -> Node {
        self.map([
            ("endpoint", Some(self.template(&agui.endpoint.value))),
            ("agent", agui.agent.as_ref().map(|agent| self.template(agent))),
            ("thread", agui.thread.as_ref().map(|thread| self.template(thread))),
            ("headers", self.named_texts(&agui.headers)),
            ("timeout", self.duration(agui.timeout, REQUEST_TIMEOUT)),
            ("forwarded_props", agui.forwarded_props.as_ref().map(|data| self.data(data))),
            ("state", agui.state.as_ref().map(|data| self.data(data))),
            ("tools", self.list(&agui.tools, |tool| self.client_tool(tool))),
            ("wire", self.choice(agui.wire, &AguiWire::NAMES)),
            ("protocol", self.choice(agui.protocol, &Strictness::NAMES)),
            ("output", self.choice(agui.output, &OutputRule::NAMES)),
        ])
    }

    fn client_tool(&self, tool: &ClientTool) -> Node {
        let usual = tool.parameters == json!({ "type": "object" });
        self.map([
            ("name", Some(self.text(&tool.name.value))),
            ("description", (!tool.description.is_empty()).then(|| self.text(&tool.description))),
            ("parameters", (!usual).then(|| self.value(&tool.parameters))),
        ])
    }

    fn a2a(&self, a2a: &A2aTarget) -> Node {
        let (key, card) = match &a2a.card {
            A2aCard::At(url) => ("card_url", self.template(&url.value)),
            A2aCard::Inline(card) => ("card", self.value(card)),
            A2aCard::Endpoint(endpoint) => ("endpoint", self.template(&endpoint.value)),
        };
        self.map([
            (key, Some(card)),
            ("context", a2a.context.as_ref().map(|context| self.template(context))),
            ("blocking", a2a.blocking.map(|blocking| self.plain(blocking))),
            ("accepted_output_modes", self.texts(&a2a.accepted_output_modes)),
            ("auth", a2a.auth.as_ref().map(|auth| self.auth(auth))),
            ("hosts", self.texts(&a2a.hosts)),
            ("headers", self.named_texts(&a2a.headers)),
            ("timeout", self.duration(a2a.timeout, REQUEST_TIMEOUT)),
            ("output", self.choice(a2a.output, &OutputRule::NAMES)),
        ])
    }

    fn auth(&self, auth: &Auth) -> Node {
        let (scheme, node) = match auth {
            Auth::Bearer(token) => ("bearer", self.template(token)),
            Auth::ApiKey { name, place, value } => {
                let place = self.choice(*place, &ApiKeyPlace::NAMES);
                let pairs = [("name", Some(self.text(name))), ("in", place), ("value", Some(self.template(value)))];
                ("api_key", self.map(pairs))
            }
            Auth::OAuth2 { token_url, client_id, client_secret, scopes } => {
                let pairs = [
                    ("token_url", Some(self.template(token_url))),
                    ("client_id", Some(self.template(client_id))),
                    ("client_secret", Some(self.template(client_secret))),
                    ("scopes", self.texts(scopes)),
                ];
                ("oauth2", self.map(pairs))
            }
            Auth::Mtls { certificate, key, authority } => {
                let files = [("certificate", Some(certificate)), ("key", Some(key)), ("authority", authority.as_ref())];
                ("mtls", self.map(files.map(|(name, path)| (name, path.map(|path| self.path(path))))))
            }
        };
        self.map([(scheme, Some(node))])
    }

    fn mcp(&self, mcp: &McpTarget) -> Node {
        let [place, environment] = match &mcp.transport {
            McpTransport::Stdio { command, environment } => {
                [("command", self.command(command)), ("env", self.named_texts(environment))]
            }
            McpTransport::Http(url) => [("url", Some(self.template(&url.value))), ("env", None)],
        };
        self.map([
            place,
            environment,
            ("auth", mcp.auth.as_ref().map(|auth| self.auth(auth))),
            ("headers", self.named_texts(&mcp.headers)),
            ("timeout", self.duration(mcp.timeout, REQUEST_TIMEOUT)),
        ])
    }
}
