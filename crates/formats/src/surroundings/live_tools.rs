//! Tools that are executed in record and live mode, by name:
//!
//! ```yaml
//! search_docs: { command: [python3, search.py], timeout: 10s }
//! poll: { command: [./poll], long_lived: true }
//! pay: { http: { url: "https://pay.test/charge", headers: { authorization: "Bearer ${ENV.PAY_TOKEN}" } } }
//! ```

use std::path::Path;

use agentci_plan::{
    CommandTool, Content, Diagnostic, Diagnostics, Files, HttpTool, Key, LiveTool, Node, Pair, Span, Spanned,
    TOOL_TIMEOUT, Text, print_duration, read,
};

use super::plain;
use crate::command::part;

/// Reads a mapping of names to tools.
pub(crate) fn read_live_tools(
    node: &Node,
    files: &dyn Files,
    folder: &Path,
    problems: &mut Diagnostics,
) -> Vec<(Spanned<String>, LiveTool)> {
    let Some(pairs) = node.pairs() else {
        let message = format!("the tools to execute must be a mapping, found {}", node.describe());
        problems.push(Diagnostic::error(node.span, message).label("expected `name: { command: [..] }` lines"));
        return Vec::new();
    };
    let read = |pair: &Pair| {
        let name = Spanned::new(pair.key.text.clone(), pair.key.span);
        Some((name, tool(&pair.value, files, folder, problems)?))
    };
    pairs.iter().filter_map(read).collect()
}

fn tool(node: &Node, files: &dyn Files, folder: &Path, problems: &mut Diagnostics) -> Option<LiveTool> {
    let mut fields = read::Fields::open(node, "a tool", problems)?;
    let timeout = fields.optional("timeout").map(|node| read::duration(node, "timeout", problems));
    let (command, http) = (fields.optional("command"), fields.optional("http"));
    let timeout = timeout.unwrap_or(Some(TOOL_TIMEOUT));
    let tool = match (command, http) {
        (Some(command), None) => {
            let parts = read::texts(command, "command", problems)?;
            if parts.first().is_none_or(|program| program.value.trim().is_empty()) {
                problems.push(
                    Diagnostic::error(command.span, "`command` names no program").label("a program is missing here"),
                );
                return None;
            }
            let long_lived = fields.optional("long_lived").and_then(|node| read::truth(node, "long_lived", problems));
            let environment = fields.optional("env").map(|node| named(node, "env", problems)).unwrap_or_default();
            Some(LiveTool::Command(CommandTool {
                command: parts.into_iter().map(|text| part(files, folder, Text::parse(&text.value))).collect(),
                environment,
                long_lived: long_lived.unwrap_or(false),
                timeout: timeout?,
                span: node.span,
            }))
        }
        (None, Some(http)) => {
            let mut inner = read::Fields::open(http, "`http`", problems)?;
            let url = inner.required("url", problems).and_then(|node| read::text(node, "url", problems));
            let headers = inner.optional("headers").map(|node| named(node, "headers", problems)).unwrap_or_default();
            inner.finish(problems);
            Some(LiveTool::Http(HttpTool { url: Text::parse(&url?), headers, timeout: timeout?, span: node.span }))
        }
        _ => {
            problems.push(
                Diagnostic::error(node.span, "a tool has either `command` or `http`")
                    .help("write `command: [program, argument]` or `http: { url: \"https://..\" }`"),
            );
            None
        }
    };
    fields.finish(problems);
    tool
}

fn named(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Text)> {
    if node.pairs().is_none() {
        let message = format!("`{name}` must be a mapping, found {}", node.describe());
        problems.push(Diagnostic::error(node.span, message).label("expected `NAME: text` lines"));
    }
    let read = |pair: &Pair| Some((pair.key.text.clone(), Text::parse(&read::text(&pair.value, name, problems)?)));
    node.pairs().unwrap_or_default().iter().filter_map(read).collect()
}

/// The tools as a mapping.
pub(crate) fn print_live_tools(tools: &[(Spanned<String>, LiveTool)], span: Span) -> Option<Node> {
    let texts = |list: &[(String, Text)]| Node {
        span,
        content: Content::Map(
            list.iter().map(|(key, text)| pair(key, Node::text(text.written(), span), span)).collect(),
        ),
    };
    let print = |tool: &LiveTool| {
        let mut pairs = Vec::new();
        let timeout = match tool {
            LiveTool::Command(tool) => {
                let parts = tool.command.iter().map(|part| Node::text(part.text.written(), span)).collect();
                pairs.push(("command", Node::list(span, parts)));
                if !tool.environment.is_empty() {
                    pairs.push(("env", texts(&tool.environment)));
                }
                if tool.long_lived {
                    pairs.push(("long_lived", plain("true", span)));
                }
                tool.timeout
            }
            LiveTool::Http(tool) => {
                let mut inner = vec![("url", Node::text(tool.url.written(), span))];
                if !tool.headers.is_empty() {
                    inner.push(("headers", texts(&tool.headers)));
                }
                pairs.push(("http", Node::map(span, inner)));
                tool.timeout
            }
            _ => TOOL_TIMEOUT,
        };
        if timeout != TOOL_TIMEOUT {
            pairs.push(("timeout", Node::text(print_duration(timeout), span)));
        }
        Node::map(span, pairs)
    };
    let content = Content::Map(tools.iter().map(|(name, tool)| pair(&name.value, print(tool), span)).collect());
    (!tools.is_empty()).then_some(Node { span, content })
}

fn pair(key: &str, value: Node, span: Span) -> Pair {
    Pair { key: Key { text: key.to_owned(), span }, value }
}
