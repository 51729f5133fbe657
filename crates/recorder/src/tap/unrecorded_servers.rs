//! Finds MCP servers that an agent used without being recorded: hosts offer their tools to the model as
//! `mcp__SERVER__TOOL`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::message::messages_in;
use crate::{Exchange, RecordedResponse};

const PREFIX: &str = "mcp__";

/// The servers whose tools were offered to the model, although none of them was listed in the recording.
pub(crate) fn unreached(exchanges: &[Exchange]) -> BTreeSet<String> {
    let mut offered = BTreeSet::new();
    let mut listed = BTreeSet::new();
    for exchange in exchanges {
        let Some(body) = exchange.request.body.as_json() else { continue };
        if body["method"] == "tools/list" {
            let said = exchange.response.as_ref().map(RecordedResponse::whole).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            listed.extend(messages_in(&said).iter().flat_map(|message| names(&message["result"]["tools"])));
        } else {
            offered.extend(names(&body["tools"]).into_iter().filter(|name| name.starts_with(PREFIX)));
        }
    }
    let parts = |name: &String| {
        let (server, tool) = name.strip_prefix(PREFIX)?.split_once("__")?;
        Some((server.to_owned(), tool.to_owned()))
    };
    let of_servers: Vec<(String, String)> = offered.iter().filter_map(parts).collect();
    // Hosts replace characters that models do not accept with `_`.
    let plain = |name: &str| name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    let listed: BTreeSet<String> = listed.iter().map(|name| plain(name)).collect();
    let seen: BTreeSet<&str> = of_servers
        .iter()
        .filter(|(_, tool)| listed.contains(&plain(tool)))
        .map(|(server, _)| server.as_str())
        .collect();
    of_servers.iter().map(|(server, _)| server).filter(|server| !seen.contains(server.as_str())).cloned().collect()
}

/// The names of tools, in the formats of model APIs and MCP.
fn names(tools: &Value) -> Vec<String> {
    let of = |tool: &Value| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let many = |list: &Value| list.as_array().cloned().unwrap_or_default();
        if let Some(space) = tool["name"].as_str().filter(|_| tool["type"] == "namespace") {
            let inner = many(&tool["tools"]);
            return inner.iter().filter_map(|tool| Some(format!("{space}__{}", tool["name"].as_str()?))).collect();
        }
        let declared = many(&tool["functionDeclarations"]);
        let one = [&tool["name"], &tool["function"]["name"]].into_iter().filter_map(text);
        one.chain(declared.iter().filter_map(|tool| text(&tool["name"]))).collect::<Vec<String>>()
    };
    tools.as_array().into_iter().flatten().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody, RecordedRequest};

    fn exchange(body: Value, answer: &Value) -> Exchange {
        let frames = vec![AnswerFrame { at_us: 0, bytes: format!("{answer}\n").into() }];
        Exchange {
            id: 1,
            request: RecordedRequest { body: RecordedBody::Json(body), ..RecordedRequest::default() },
            response: Some(RecordedResponse { frames, ..RecordedResponse::default() }),
            end: ExchangeEnd { at_us: 0, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    #[test]
    fn reports_server_whose_offered_tools_were_never_listed() {
        let tools = json!([
            { "name": "mcp__orders__get_order" },
            { "type": "namespace", "name": "mcp__stock", "tools": [{ "name": "count" }] },
            { "function": { "name": "mcp_of_another_kind" } },
            { "name": "Bash" },
        ]);
        let model = exchange(json!({ "tools": tools }), &json!({}));
        let named = |exchanges: &[Exchange]| unreached(exchanges).into_iter().collect::<Vec<_>>();
        assert_eq!(named(std::slice::from_ref(&model)), ["orders", "stock"]);
        let list = |name: &str| {
            let result = json!({ "tools": [{ "name": name }] });
            exchange(
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
                &json!({ "id": 1, "result": result }),
            )
        };
        assert_eq!(named(&[model.clone(), list("get-order")]), ["stock"]);
        assert_eq!(named(&[model, list("get_order"), list("count")]), Vec::<String>::new());
    }
}
