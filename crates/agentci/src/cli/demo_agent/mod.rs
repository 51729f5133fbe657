//! Small example agents that are built into the binary, so that first suites need nothing else.

mod documentation;
mod http;
mod mcp;
mod model;
mod task;

use std::io::Read as _;

use agentci::verdict::ExitStatus;
use clap::Args;
use serde_json::Value;

/// How many bytes of input are read at most.
const INPUT_LIMIT: u64 = 64 << 20;

/// Arguments of `agentci demo-agent`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by a name of its own")]
pub(crate) struct DemoAgentArguments {
    /// Serve HTTP on port `$PORT` and call a model
    #[arg(long, conflicts_with_all = ["mcp", "model", "tool"])]
    http: bool,
    /// Run as an MCP server
    #[arg(long, conflicts_with_all = ["model", "tool"])]
    mcp: bool,
    /// Call a model as a provider SDK would
    #[arg(long, conflicts_with = "tool")]
    model: bool,
    /// Run as the tool that searches the documentation
    #[arg(long)]
    tool: bool,
}

/// Serves on standard input and output, or over HTTP.
pub(crate) fn serve(arguments: &DemoAgentArguments) -> ExitStatus {
    let (stdin, stdout) = (std::io::stdin().lock().take(INPUT_LIMIT), std::io::stdout().lock());
    let served = if arguments.http {
        http::serve()
    } else if arguments.mcp {
        mcp::serve(stdin, stdout)
    } else if arguments.model {
        model::converse(stdin, stdout)
    } else if arguments.tool {
        tool(stdin, stdout)
    } else {
        task::converse(stdin, stdout)
    };
    if served.is_some() { ExitStatus::Success } else { ExitStatus::Failed }
}

fn tool(input: impl std::io::Read, mut output: impl std::io::Write) -> Option<()> {
    let arguments: Value = serde_json::from_reader(input).ok()?;
    writeln!(output, "{}", documentation::search(arguments["q"].as_str()?)).ok()
}
