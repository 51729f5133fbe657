//! Reads tools that are executed in record and live mode, by name:
//!
//! ```yaml
//! search_docs: { command: [python3, search.py], timeout: 10s }
//! poll: { command: [./poll], long_lived: true }
//! pay: { http: { url: "https://pay.test/charge", headers: { authorization: "Bearer ${ENV.PAY_TOKEN}" } } }
//! search: { mcp: { command: [npx, search-server], tool: web_search } }
//! ```

use agentci_plan::{CommandPart, CommandTool, HttpTool, LiveTool, McpTool, McpTransport, TOOL_TIMEOUT, Text};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Pair, Spanned, read};

use crate::command::SuiteFolder;
use crate::printer::Printer;
use crate::texts::template;

/// Tools by name.
pub(crate) const LIVE_TOOLS: Kind = Kind::Map(&Kind::Having("command", &COMMAND_TOOL, &SERVED_TOOL));

static COMMAND_TOOL: Shape = Shape::new(
    "a tool",
    "A tool that is a program.",
    &[
        optional("timeout", Kind::Duration, "Timeout of a call. Default: 30s."),
        required(
            "command",
            Kind::Filled(&Kind::Text),
            "The program and its arguments; it reads the call as JSON from its standard input.",
        ),
        optional("http", Kind::Nothing, "An HTTP server to call instead."),
        optional("mcp", Kind::Nothing, "An MCP server to call instead."),
        optional("long_lived", Kind::Truth, "Whether one process serves all calls, one line per call. Default: false."),
        optional("env", Kind::Map(&Kind::Text), "Environment variables to set."),
    ],
);

static SERVED_TOOL: Shape = Shape::new(
    "a tool",
    "A tool of a server.",
    &[
        optional("timeout", Kind::Duration, "Timeout of a call. Default: 30s."),
        optional("command", Kind::Nothing, "A program to start instead."),
        optional("http", Kind::Shape(&HTTP_TOOL), "A server that is called over HTTP."),
        optional("mcp", Kind::Having("command", &STDIO_SERVER, &HTTP_SERVER), "An MCP server."),
    ],
)
.rules(&[KeyRule::One(&["http", "mcp"])]);

static HTTP_TOOL: Shape = Shape::new(
    "`http`",
    "A server that receives the arguments of a call.",
    &[
        required("url", Kind::Text, "URL; it may contain variables."),
        optional("headers", Kind::Map(&Kind::Text), "Additional request headers."),
    ],
);

static STDIO_SERVER: Shape = Shape::new(
    "`mcp`",
    "An MCP server that is a program.",
    &[
        optional("tool", Kind::Name, "The tool's name on the server. Default: the same name."),
        required("command", Kind::Filled(&Kind::Text), "The program and its arguments."),
        optional("url", Kind::Nothing, "A URL to call instead."),
        optional("env", Kind::Map(&Kind::Text), "Environment variables to set."),
    ],
);

static HTTP_SERVER: Shape = Shape::new(
    "`mcp`",
    "An MCP server at an address.",
    &[
        optional("tool", Kind::Name, "The tool's name on the server. Default: the same name."),
        optional("command", Kind::Nothing, "A program to start instead."),
        required("url", Kind::Text, "URL; it may contain variables."),
        optional("headers", Kind::Map(&Kind::Text), "Additional request headers."),
    ],
);

/// Reads a mapping from names to tools.
pub(crate) fn read_live_tools(
    node: &Node,
    place: SuiteFolder<'_>,
    problems: &mut Diagnostics,
) -> Vec<(Spanned<String>, LiveTool)> {
    let pairs = read::pairs(node, "the tools to execute", "`name: { command: [..] }`", problems);
    let read = |pair: &Pair| {
        let name = Spanned::new(pair.key.text.to_string(), pair.key.span);
        Some((name, tool(&pair.value, place, problems)?))
    };
    pairs.iter().filter_map(read).collect()
}

fn tool(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<LiveTool> {
    let mut fields = SERVED_TOOL.reader(node, problems)?;
    let timeout = fields.valid("timeout", read::duration);
    let timeout = timeout.map(|timeout| timeout.unwrap_or(TOOL_TIMEOUT));
    let [command, http, mcp] = ["command", "http", "mcp"].map(|key| fields.node(key));
    let tool = match (command, http, mcp) {
        (Some(command), None, None) => {
            fields.becomes(&COMMAND_TOOL);
            fields.demanded("command");
            let command = program(command, place, fields.problems)?;
            let long_lived = fields.truth("long_lived").unwrap_or_default();
            let environment = fields.named_or_default("env", named);
            Some(LiveTool::Command(CommandTool {
                command,
                environment,
                long_lived,
                timeout: timeout?,
                span: node.span,
            }))
        }
        (None, Some(http), None) => {
            let tool = HTTP_TOOL.read(http, fields.problems, |fields| {
                let url = fields.required("url", template);
                let headers = fields.named_or_default("headers", named);
                Some(HttpTool { url: url?, headers, timeout: timeout?, span: node.span })
            })?;
            Some(LiveTool::Http(tool))
        }
        (None, None, Some(mcp)) => {
            let tool = mcp_tool(mcp, place, fields.problems)?;
            Some(LiveTool::Mcp(McpTool { timeout: timeout?, span: node.span, ..tool }))
        }
        _ => {
            let help =
                "write `command: [program, argument]`, `http: { url: \"https://..\" }` or `mcp: { command: [..] }`";
            fields.problems.error(node.span, "a tool needs exactly one of `command`, `http` and `mcp`", "").help(help);
            None
        }
    };
    fields.finish();
    tool
}

fn mcp_tool(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<McpTool> {
    let mut fields = STDIO_SERVER.reader(node, problems)?;
    let tool = fields.name("tool");
    let mut headers = Vec::new();
    let transport = match (fields.node("command"), fields.node("url")) {
        (Some(command), None) => {
            fields.demanded("command");
            let environment = fields.named_or_default("env", named);
            let command = program(command, place, fields.problems);
            command.map(|command| McpTransport::Stdio { command, environment })
        }
        (None, Some(url)) => {
            fields.becomes(&HTTP_SERVER);
            fields.demanded("url");
            headers = fields.named_or_default("headers", named);
            fields.optional("url", template).map(|text| McpTransport::Http(Spanned::new(text, url.span)))
        }
        _ => {
            let message = "`mcp` needs either `command` or `url`";
            let help = "write `command: [program, argument]` with `env`, or `url: https://..` with `headers`";
            problems.error(node.span, message, "no way to reach the server").help(help);
            return None;
        }
    };
    fields.finish();
    Some(McpTool { transport: transport?, headers, tool, timeout: TOOL_TIMEOUT, span: node.span })
}

fn program(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Vec<CommandPart>> {
    let parts = read::texts(node, "command", problems)?;
    if parts.first().is_none_or(|program| program.value.trim().is_empty()) {
        problems.error(node.span, "`command` names no program", "a program is missing here");
        return None;
    }
    Some(place.command(parts.iter().map(|text| Text::parse(&text.value)).collect()))
}

fn named(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    let pairs = read::pairs(node, &format!("`{name}`"), "`NAME: text`", problems);
    let read = |pair: &Pair| Some((pair.key.text.to_string(), template(&pair.value, name, problems)?));
    pairs.iter().filter_map(read).collect()
}

impl Printer<'_> {
    /// The tools as a mapping.
    pub(crate) fn live_tools(&self, tools: &[(Spanned<String>, LiveTool)]) -> Option<Node> {
        self.filled_map(tools.iter().map(|(name, tool)| (&name.value, Some(self.live_tool(tool)))))
    }

    fn live_tool(&self, tool: &LiveTool) -> Node {
        match tool {
            LiveTool::Command(tool) => self.map([
                ("command", self.command(&tool.command)),
                ("env", self.named_texts(&tool.environment)),
                ("long_lived", self.flag(tool.long_lived)),
                ("timeout", self.duration(tool.timeout, TOOL_TIMEOUT)),
            ]),
            LiveTool::Http(tool) => {
                let url = Some(self.template(&tool.url));
                let http = self.map([("url", url), ("headers", self.named_texts(&tool.headers))]);
                self.map([("http", Some(http)), ("timeout", self.duration(tool.timeout, TOOL_TIMEOUT))])
            }
            LiveTool::Mcp(tool) => {
                let [place, named] = match &tool.transport {
                    McpTransport::Stdio { command, environment } => {
                        [("command", self.command(command)), ("env", self.named_texts(environment))]
                    }
                    McpTransport::Http(url) => {
                        [("url", Some(self.template(&url.value))), ("headers", self.named_texts(&tool.headers))]
                    }
                };
                let mcp = self.map([place, named, ("tool", tool.tool.as_ref().map(|name| self.text(name)))]);
                self.map([("mcp", Some(mcp)), ("timeout", self.duration(tool.timeout, TOOL_TIMEOUT))])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{MemoryFiles, Sources};

    use super::*;

    fn read(text: &str) -> (Vec<(Spanned<String>, LiveTool)>, Vec<String>) {
        let node = agentci_source::yaml::parse(text, Sources::default().add(Path::new("a"), text)).unwrap();
        let mut problems = Diagnostics::default();
        let files = MemoryFiles::default().with("s/server.py", "");
        let tools = read_live_tools(&node, SuiteFolder { files: &files, folder: Path::new("s") }, &mut problems);
        (tools, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn reads_connection_of_mcp_tool() {
        let (tools, problems) = read("a: { mcp: { command: [python3, server.py], tool: b }, timeout: 5s }");
        assert_eq!(problems, [""; 0]);
        let [(_, LiveTool::Mcp(tool))] = tools.as_slice() else { panic!("{tools:?}") };
        let McpTransport::Stdio { command, .. } = &tool.transport else { panic!("{tool:?}") };
        assert_eq!(command[1].file.as_deref(), Some(Path::new("s/server.py")));
        assert_eq!((tool.tool.as_deref(), tool.timeout.as_secs()), (Some("b"), 5));
    }

    #[test]
    fn refuses_tool_with_invalid_connection() {
        for (text, message) in [
            ("a: {}", "a tool needs exactly one of `command`, `http` and `mcp`"),
            ("a: { command: [x], mcp: { command: [x] } }", "a tool needs exactly one of `command`, `http` and `mcp`"),
            ("a: { mcp: {} }", "`mcp` needs either `command` or `url`"),
            ("a: { mcp: { command: [x], url: 'http://x' } }", "`mcp` needs either `command` or `url`"),
            ("a: { mcp: { command: [''] } }", "`command` names no program"),
            ("a: { mcp: { url: 'http://x', env: { A: b } } }", "unknown key `env` in `mcp`"),
            ("a: { mcp: { command: [x], headers: { A: b } } }", "unknown key `headers` in `mcp`"),
        ] {
            assert_eq!(read(text).1, [message], "{text}");
        }
    }
}
