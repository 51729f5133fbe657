//! Reads `world.mcp` of a suite or a case: the mock MCP servers, by name.
//!
//! ```yaml
//! mcp:
//!   orders: { scripted: orders.mcp.yaml }
//!   stock: { recording: recordings/stock.jsonl, server: stock.test }
//! ```

use std::path::Path;
use std::sync::Arc;

use agentci_plan::mcp_world::variable;
use agentci_plan::{McpSource, McpWorld};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, Spanned, join, read};

use crate::printer::Printer;

/// Kind of `world.mcp`: servers by name.
pub(super) const MCP: Kind = Kind::FilledMap(&Kind::Shape(&SERVER));

static SERVER: Shape = Shape::new(
    "an MCP server",
    "Source of the answers of a mock MCP server: a script or a recording.",
    &[
        optional(
            "scripted",
            Kind::Name,
            "Script of an MCP server, relative to the folder of the suite; `{case}` is replaced by the case id.",
        ),
        optional(
            "recording",
            Kind::Name,
            "Recording of requests to the real server and their answers; `{case}` is replaced by the case id.",
        ),
        optional(
            "server",
            Kind::Name,
            "Part of the URL or command of the server, to select it if the recording contains several.",
        ),
    ],
)
.rules(&[KeyRule::One(&["scripted", "recording"]), KeyRule::Needs("server", "recording")]);

/// The servers of a suite or a case, with their paths as written.
#[derive(Default)]
pub(super) struct McpSettings(Vec<McpWorld>);

fn of_case(server: &McpWorld, folder: &Path, id: &str) -> McpWorld {
    let mut server = server.clone();
    let (McpSource::Script { path, .. } | McpSource::Recording { path, .. }) = &mut server.source;
    *path = join(folder, &agentci_plan::path_of_case(&path.to_string_lossy(), id));
    server
}

impl McpSettings {
    pub(super) fn read(node: &Node, problems: &mut Diagnostics) -> Self {
        let Some(pairs) = node.pairs().filter(|pairs| !pairs.is_empty()) else {
            let message = match node.pairs() {
                Some(_) => "`mcp` has no server".to_owned(),
                None => format!("`mcp` must be a mapping of names to servers, found {}", node.describe()),
            };
            problems.error(node.span, message, "expected `name: { scripted: .. }` lines");
            return Self::default();
        };
        let mut servers: Vec<McpWorld> = Vec::new();
        for pair in pairs {
            let Some(server) = server(pair, problems) else { continue };
            let same = |first: &&McpWorld| first.variable() == server.variable();
            if let Some(first) = servers.iter().find(same) {
                problems.push(same_variable(&first.name, &server.name));
            }
            servers.push(server);
        }
        Self(servers)
    }

    /// The paths of the servers, those of the case first.
    pub(super) fn paths<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s str> {
        self.over(common).filter_map(|server| server.path().to_str())
    }

    /// The paths of scripts.
    pub(super) fn scripts<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s str> {
        let scripts = self.over(common).filter(|server| matches!(server.source, McpSource::Script { .. }));
        scripts.filter_map(|server| server.path().to_str())
    }

    /// The servers of a case: its own replace servers of the suite with the same name.
    pub(super) fn of_case(&self, common: &Self, folder: &Path, id: &str) -> Arc<[McpWorld]> {
        self.over(common).map(|server| of_case(server, folder, id)).collect()
    }

    /// The error for a server of a case whose environment variable is also that of a differently named server of the
    /// suite.
    pub(super) fn clash(&self, common: &Self) -> Option<Diagnostic> {
        self.0.iter().find_map(|own| {
            let same = |other: &&McpWorld| other.name.value != own.name.value && other.variable() == own.variable();
            Some(same_variable(&common.0.iter().find(same)?.name, &own.name))
        })
    }

    fn over<'s>(&'s self, common: &'s Self) -> impl Iterator<Item = &'s McpWorld> {
        let replaced = |name: &str| self.0.iter().any(|own| own.name.value == name);
        common.0.iter().filter(move |server| !replaced(&server.name.value)).chain(&self.0)
    }
}

fn same_variable(first: &Spanned<String>, second: &Spanned<String>) -> Diagnostic {
    let message = format!("the MCP servers `{}` and `{}` use the same environment variable", first.value, second.value);
    Diagnostic::error(second.span, message)
        .label(format!("both URLs would be in `{}`", variable(&second.value)))
        .help("rename one of the two: case is ignored, and `-` counts as `_`")
}

fn server(pair: &Pair, problems: &mut Diagnostics) -> Option<McpWorld> {
    let name = name(pair, problems);
    let mut fields = SERVER.reader(&pair.value, problems)?;
    let [scripted, recording, server] = ["scripted", "recording", "server"]
        .map(|key| fields.node(key).map(|node| (node, fields.optional(key, read::name))));
    fields.finish();
    let source = match (scripted, recording) {
        (Some((_, path)), None) => {
            if let Some((node, _)) = server {
                problems
                    .error(node.span, "`server` cannot be combined with `scripted`", "nothing to choose from")
                    .help("remove it: `server` selects one of the servers in a `recording`");
            }
            path.map(|path| (McpSource::Script { path: path.value.into(), script: Arc::default() }, path.span))
        }
        (None, Some((_, path))) => path.map(|path| {
            let server = server.and_then(|(_, server)| server);
            (McpSource::Recording { path: path.value.into(), server }, path.span)
        }),
        (both, _) => {
            let (message, label) = match both {
                Some(_) => ("an MCP server has `scripted` or `recording`, not both", "a second source of answers"),
                None => ("an MCP server needs `scripted` or `recording`", "no source of answers"),
            };
            let help = "name a script with `scripted: orders.mcp.yaml`, or a recording with `recording: orders.jsonl`";
            problems.error(pair.value.span, message, label).help(help);
            None
        }
    };
    let (source, span) = source?;
    Some(McpWorld { name: name?, source, span })
}

/// The name of a server. It becomes part of an environment variable and of a client's configuration.
fn name(pair: &Pair, problems: &mut Diagnostics) -> Option<Spanned<String>> {
    let name = pair.key.text.as_str();
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(good) {
        return Some(Spanned::new(name.to_owned(), pair.key.span));
    }
    let message = format!("`{}` cannot be the name of an MCP server", name.escape_debug());
    let help = "use letters, digits, `_` and `-`, such as `orders`";
    problems.error(pair.key.span, message, "used in the name of an environment variable").help(help);
    None
}

impl Printer<'_> {
    pub(super) fn servers(&self, servers: &[McpWorld]) -> Option<Node> {
        self.filled_map(servers.iter().map(|world| {
            let source = match &world.source {
                McpSource::Script { path, .. } => [("scripted", Some(self.path(path))), ("server", None)],
                McpSource::Recording { path, server } => {
                    let server = server.as_ref().map(|server| self.text(&server.value));
                    [("recording", Some(self.path(path))), ("server", server)]
                }
            };
            (&world.name.value, Some(self.map(source)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;
    use crate::{Loaded, load};

    fn suite(common: &str, own: &str) -> Loaded {
        let text = format!(
            "suite: s\ntarget: {{ process: {{ command: [a] }} }}\nworld: {{ mcp: {{ {common} }} }}\n\
             cases: [{{ id: a/b, input: {{}}, world: {{ mcp: {{ {own} }} }} }}, {{ id: c, input: {{}} }}]\n"
        );
        let script = "tools: { find: { answers: { reply: hi } } }\n";
        let files = MemoryFiles::default().with("s/agentci.yaml", text).with("s/o.mcp.yaml", script);
        load(&files.with("s/a_b.mcp.yaml", script).with("s/c.mcp.yaml", script).with("s/r.jsonl", ""), &["s".into()])
    }

    fn messages(loaded: &Loaded) -> Vec<&str> {
        loaded.diagnostics.iter().map(|problem| problem.message.as_str()).collect()
    }

    #[test]
    fn case_overrides_suite_servers_and_inherits_the_rest() {
        let common = "orders: { scripted: '{case}.mcp.yaml' }, stock: { scripted: o.mcp.yaml }";
        let loaded = suite(common, "stock: { recording: r.jsonl, server: x }");
        assert_eq!(messages(&loaded), [""; 0]);
        let servers = |case: usize| {
            let server = |server: &McpWorld| (server.name.value.clone(), server.path().to_str().unwrap().to_owned());
            loaded.plan.suites[0].cases[case].world.mcp.iter().map(server).collect::<Vec<_>>()
        };
        let named = |name: &str, path: &str| (name.to_owned(), path.to_owned());
        assert_eq!(servers(0), [named("orders", "s/a_b.mcp.yaml"), named("stock", "s/r.jsonl")]);
        assert_eq!(servers(1), [named("orders", "s/c.mcp.yaml"), named("stock", "s/o.mcp.yaml")]);
        let script = loaded.plan.suites[0].cases[1].world.mcp[1].script().unwrap();
        assert_eq!(script.tools[0].name.value, "find");
    }

    #[test]
    fn reports_servers_sharing_an_environment_variable() {
        let loaded = suite("my-orders: { scripted: o.mcp.yaml }", "my_orders: { scripted: o.mcp.yaml }");
        assert_eq!(
            messages(&loaded),
            ["the MCP servers `my-orders` and `my_orders` use the same environment variable"]
        );
        let loaded = suite("my-orders: { scripted: o.mcp.yaml }", "my-orders: { scripted: o.mcp.yaml }");
        assert_eq!(messages(&loaded), [""; 0]);
    }
}
