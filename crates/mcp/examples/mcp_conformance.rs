//! The client that `@modelcontextprotocol/conformance` tests. It takes a server's address as its last argument, runs
//! the scenario named in `MCP_CONFORMANCE_SCENARIO`, and exits with an error if that fails. `interop/mcp/run` starts
//! it.

use std::process::ExitCode;
use std::time::Duration;

use agentci_mcp::{
    ClientCredentials, ConnectOptions, ElicitationAction, ElicitationAnswer, McpClient, McpEndpoint, McpError,
    ServerAddress,
};
use serde_json::{Map, Value, json};

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stderr, reason = "this is how it says why it fails")]
async fn main() -> ExitCode {
    let url = std::env::args().next_back().unwrap_or_default();
    match run(url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: String) -> Result<(), McpError> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let scenario = variable("MCP_CONFORMANCE_SCENARIO");
    let context: Value = serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or_default();
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let secured = scenario.starts_with("auth/").then(|| ClientCredentials {
        token_url: None,
        client_id: text("client_id").unwrap_or_else(|| "agentci".into()),
        client_secret: text("client_secret").unwrap_or_else(|| "a secret".into()),
        scopes: Vec::new(),
    });
    let server = ServerAddress::Http(McpEndpoint { url, headers: Vec::new(), credentials: secured });
    let client = McpClient::connect(server, ConnectOptions::default(), LIMIT).await?;
    let tools = client.list_tools(LIMIT).await?;
    for (name, arguments) in calls(&scenario, &context, &tools) {
        let accept = ElicitationAnswer { action: ElicitationAction::Accept, content: None };
        client.call_tool(&name, &arguments, vec![accept; 5], LIMIT).await?;
    }
    if scenario == "http-standard-headers" {
        for resource in client.list_resources(LIMIT).await? {
            client.read_resource(resource["uri"].as_str().unwrap_or_default(), Vec::new(), LIMIT).await?;
        }
        for prompt in client.list_prompts(LIMIT).await? {
            client.get_prompt(prompt["name"].as_str().unwrap_or_default(), &json!({}), Vec::new(), LIMIT).await?;
        }
    }
    client.close().await;
    Ok(())
}

/// The calls of the scenario; if it lists none, one call of every tool with made-up arguments.
fn calls(scenario: &str, context: &Value, tools: &[Value]) -> Vec<(String, Value)> {
    if let Some(calls) = context["toolCalls"].as_array() {
        let call = |call: &Value| (call["name"].as_str().unwrap_or_default().to_owned(), call["arguments"].clone());
        return calls.iter().map(call).collect();
    }
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    if scenario == "json-schema-2020-12-preservation" {
        let Some([described, echo]) = tools.first_chunk() else { return Vec::new() };
        return vec![(name(echo), json!({ "schema": described["inputSchema"] }))];
    }
    if scenario == "json-schema-ref-no-deref" {
        // Its tool can only be listed.
        return Vec::new();
    }
    tools.iter().map(|tool| (name(tool), some_arguments(&tool["inputSchema"]))).collect()
}

fn some_arguments(schema: &Value) -> Value {
    let mut arguments = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value = match property["type"].as_str() {
            Some("number" | "integer") => json!(3),
            Some("boolean") => json!(true),
            Some("object") => json!({}),
            Some("array") => json!([]),
            _ => json!("some"),
        };
        arguments.insert(name.clone(), value);
    }
    arguments.into()
}
