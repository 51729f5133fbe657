//! Detects the code of an MCP server by names from the protocol and its SDKs.
//!
//! Hosts contain the same names as servers, since they talk to them, and so do agents, which may be started over pipes
//! too. Code that could be either does not count as a server.

use std::collections::BTreeSet;
use std::io::Read;

use memchr::memmem;

/// Files up to this size are treated as hand-written scripts; larger ones as bundles, like programs.
const LARGEST_SCRIPT: u64 = 256 << 10;
/// How many bytes are read at once.
const CHUNK: u64 = 1 << 20;

/// Names from the SDKs in the code of a server.
const SERVERS: &[&str] = &[
    "mcp.server",
    "FastMCP",
    "fastmcp",
    "StdioServerTransport",
    "@modelcontextprotocol/sdk/server",
    "@modelcontextprotocol/server",
];
/// Names in a server without an SDK, and in the program of any server.
const PROTOCOL: &[&str] = &["tools/list", "protocolVersion", "serverInfo"];
/// Names in a script that starts servers or calls models.
const CLIENTS: &[&str] = &[
    "mcp.client",
    "ClientSession",
    "stdio_client",
    "StdioClientTransport",
    "sdk/client",
    "modelcontextprotocol/client",
    "fastmcp.client",
    "fastmcp import Client",
    "MCPServerStdio",
    "clientInfo",
    "openai",
    "anthropic",
    "litellm",
    "langchain",
    "pydantic_ai",
    "claude_agent_sdk",
    "claude-agent-sdk",
    "google.genai",
    "@google/genai",
    "@ai-sdk",
];
/// Names in a program that starts servers or calls models.
const HOSTS: &[&str] = &[
    "mcpServers",
    "mcp_servers",
    "api.openai.com",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "bedrock-runtime",
    "chat/completions",
    "/v1/messages",
];
/// Identifies a language server. Some language servers are MCP servers too if they are started as such.
const EDITORS: &str = "textDocument/";

/// The names found in a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeMarkers {
    found: BTreeSet<&'static str>,
    is_script: bool,
}

impl CodeMarkers {
    /// Searches a file or a text of this length.
    pub(super) fn read(source: impl Read, length: u64) -> Self {
        let is_script = length <= LARGEST_SCRIPT;
        let of_scripts = if is_script { [SERVERS, CLIENTS].concat() } else { Vec::new() };
        let words = [PROTOCOL, HOSTS, &[EDITORS], &of_scripts].concat();
        let longest = words.iter().map(|word| word.len()).max().expect("there are words for any program");
        let mut open: Vec<(&str, memmem::Finder<'_>)> =
            words.iter().map(|word| (*word, memmem::Finder::new(*word))).collect();
        let (mut found, mut chunk, mut source) = (BTreeSet::new(), Vec::new(), source.take(length));
        loop {
            // A name may be split across two reads.
            let kept = chunk.len().saturating_sub(longest);
            chunk.drain(..kept);
            let Ok(1..) = source.by_ref().take(CHUNK).read_to_end(&mut chunk) else { break };
            found.extend(open.extract_if(.., |(_, finder)| finder.find(&chunk).is_some()).map(|(word, _)| word));
        }
        Self { found, is_script }
    }

    /// Whether a program with these names is an MCP server; `arguments` are those that it was started with.
    pub(super) fn tell_server(&self, arguments: &[String]) -> bool {
        let has = |word: &&str| self.found.contains(word);
        let speaks = PROTOCOL.iter().all(has);
        if self.is_script {
            return !CLIENTS.iter().chain(HOSTS).any(has) && (speaks || SERVERS.iter().any(has));
        }
        let told_to = || arguments.iter().any(|word| word == "mcp" || word.starts_with("mcp-"));
        speaks && !HOSTS.iter().any(has) && (!has(&EDITORS) || told_to())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(text: &str, arguments: &[&str]) -> bool {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        CodeMarkers::read(text.as_bytes(), text.len() as u64).tell_server(&arguments)
    }

    /// A program that contains these names, one of them split across two reads.
    fn program(words: &[&str], arguments: &[&str]) -> bool {
        let padding = "\0".repeat(usize::try_from(CHUNK).unwrap() - 5);
        tell(&format!("{padding}{}", words.join("\0")), arguments)
    }

    #[test]
    fn distinguishes_server_scripts_from_hosts_and_others() {
        for server in [
            "from mcp.server.fastmcp import FastMCP\nserver = FastMCP('shop')",
            "from fastmcp import FastMCP",
            "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'",
            r#"if method == "tools/list": ...; result = {"protocolVersion": v, "serverInfo": info}"#,
        ] {
            assert!(tell(server, &[]), "{server}");
        }
        for other in [
            "",
            "from mcp.client.stdio import stdio_client\nfrom mcp import ClientSession",
            "from fastmcp import FastMCP\nfrom fastmcp.client import Client",
            "from agents.mcp import MCPServerStdio",
            "import anthropic\nfrom mcp.server.fastmcp import FastMCP",
            r#"ask("initialize", {"protocolVersion": v, "clientInfo": me}); ask("tools/list"); print(a["serverInfo"])"#,
            r#"method == "textDocument/didOpen"; {"serverInfo": {"name": "lsp"}}"#,
            "import mcp",
            "# reads a request of JSON-RPC per line\nfor line in sys.stdin: json.loads(line)",
        ] {
            assert!(!tell(other, &[]), "{other}");
        }
    }

    #[test]
    fn distinguishes_server_programs_from_agents_and_language_servers() {
        let server = ["tools/list", "protocolVersion", "clientInfo", "serverInfo"];
        let with = |word| [&server[..], &[word]].concat();
        assert!(program(&server, &["--stdio"]));
        assert!(!program(&server[..3], &[]));
        for host in ["api.openai.com", "chat/completions", "mcpServers"] {
            assert!(!program(&with(host), &["mcp-server"]), "{host}");
        }
        assert!(!program(&with("textDocument/didOpen"), &["-rpc.trace"]));
        assert!(program(&with("textDocument/didOpen"), &["mcp"]));
    }
}
