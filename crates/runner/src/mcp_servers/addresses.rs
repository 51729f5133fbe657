//! Passes the addresses of the MCP servers to the agent.

use std::io;

use agentci_plan::McpWorld;
use serde_json::{Map, json};
use tempfile::TempDir;

use super::RunningMcpServer;

/// The variable with the path of a config file that lists all servers, in the format that many clients read.
const CONFIG: &str = "AGENTCI_MCP_CONFIG";

/// The name of the config file.
const FILE: &str = "mcp.json";

/// An address where nothing answers.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Addresses by name, for the variables of a case or for an environment.
pub(super) type NamedAddresses = Vec<(String, String)>;

/// Builds the variables and the environment that point an agent at the servers of its case, and writes the config file.
pub(super) fn tell(
    worlds: &[McpWorld],
    servers: &[RunningMcpServer],
) -> io::Result<(NamedAddresses, NamedAddresses, TempDir)> {
    let folder = tempfile::Builder::new().prefix("agentci-mcp-").tempdir()?;
    let path = folder.path().join(FILE);
    let mut entries = Map::new();
    let (mut addresses, mut environment) = (NamedAddresses::new(), NamedAddresses::new());
    for (world, played) in worlds.iter().zip(servers) {
        let url = played.server.url();
        entries.insert(world.name.value.clone(), json!({ "type": "http", "url": url }));
        addresses.extend(of_server(world, &url, &played.server.sse_url()));
        environment.push((world.variable(), url));
    }
    fs_err::write(&path, format!("{}\n", json!({ "mcpServers": entries })))?;
    let config = path.to_string_lossy().into_owned();
    addresses.push(("config".to_owned(), config.clone()));
    environment.push((CONFIG.to_owned(), config));
    Ok((addresses, environment, folder))
}

/// The variables for servers that are never called, because the whole conversation is replayed.
pub(crate) fn nowhere(servers: &[McpWorld]) -> Vec<(String, String)> {
    let addresses = |world: &McpWorld| of_server(world, &format!("{NOWHERE}/mcp"), &format!("{NOWHERE}/sse"));
    let config = (!servers.is_empty()).then(|| ("config".to_owned(), "/dev/null".to_owned()));
    servers.iter().flat_map(addresses).chain(config).collect()
}

fn of_server(world: &McpWorld, url: &str, sse_url: &str) -> [(String, String); 2] {
    let name = world.word();
    [(format!("{name}.url"), url.to_owned()), (format!("{name}.sse_url"), sse_url.to_owned())]
}
