//! Selects a server of a recording.

use agentci_recorder::{Exchange, Recording};

use super::read::requests;

/// Requests that only a client of an MCP server sends.
const SPOKEN: [&str; 6] = ["initialize", "server/discover", "tools/", "resources/", "prompts/", "completion/"];

/// Why a recording cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpTapeError {
    /// The recording has no MCP server.
    #[error("the recording has no requests to an MCP server")]
    None,
    /// No server of the recording matches.
    #[error("no MCP server of the recording has `{wanted}` in its address or command: {}", .servers.join(", "))]
    Unknown {
        /// The string to look for.
        wanted: String,
        /// The servers of the recording.
        servers: Vec<String>,
    },
    /// Several servers match.
    #[error("the recording has {} MCP servers: {}", .0.len(), .0.join(", "))]
    Several(Vec<String>),
}

impl McpTapeError {
    /// The help text for the error.
    pub fn help(&self) -> &'static str {
        match self {
            McpTapeError::None => "record an agent that uses the server: `agentci record -o stock.jsonl -- AGENT`",
            McpTapeError::Unknown { .. } | McpTapeError::Several(_) => {
                "select one with a string that occurs only in the address or command of that server"
            }
        }
    }
}

/// The address of an exchange without its query, or the command.
pub(super) fn address(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let path = request.path.split(['?', '#']).next().expect("a split has a first part");
    format!("{}{path}", request.origin)
}

/// The addresses of the selected server.
pub(super) fn choose(recording: &Recording, wanted: Option<&str>) -> Result<Vec<String>, McpTapeError> {
    let speaks = |exchange: &&Exchange| {
        let of_server = |method: &str| SPOKEN.iter().any(|known| method.starts_with(known));
        requests(exchange).iter().any(|asked| of_server(&asked.method))
    };
    let mut servers: Vec<String> = recording.exchanges.iter().filter(speaks).map(address).collect();
    servers.sort();
    servers.dedup();
    if servers.is_empty() {
        return Err(McpTapeError::None);
    }
    let Some(wanted) = wanted else {
        return if servers.len() == 1 { Ok(servers) } else { Err(McpTapeError::Several(servers)) };
    };
    let named: Vec<String> = servers.iter().filter(|server| server.contains(wanted)).cloned().collect();
    match named.len() {
        0 => Err(McpTapeError::Unknown { wanted: wanted.to_owned(), servers }),
        1 => Ok(named),
        _ => Err(McpTapeError::Several(named)),
    }
}
