//! Anthropic's Messages. All errors are 400, `invalid_request_error`.

use super::pairs::{calls_of, paired, turns};
use super::{blocks, given, names, refuse, schema, thinking, tools};
use crate::{fields::items, refusal::ModelRefusal};
use serde_json::Value;

/// The answer that a request continues, if it continues a thread: the API then has the earlier messages.
pub(in super::super) fn continued(request: &Value) -> Option<&str> {
    request.get("thread")?.get("previous_message_id")?.as_str()
}

/// The messages before those of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Before {
    /// There are none.
    Nothing,
    /// They end with an answer that requested these calls.
    Calls(Vec<String>),
    /// They are not known: the thread began elsewhere.
    Unknown,
}

/// Checks a request, which may continue an answer.
pub(in super::super) fn check(request: &Value, before: &Before) -> Result<(), ModelRefusal> {
    // The error is quoted for `max_tokens` in tickernelz/opencode-mem#50 and microsoft/foundry-dev-tools#465.
    // Anthropic's API reference has all three as required.
    for name in ["model", "max_tokens", "messages"] {
        if given(request, name).is_none() {
            return refuse(format!("{name}: Field required"));
        }
    }
    let messages = request.get("messages").and_then(Value::as_array);
    if messages.is_some_and(Vec::is_empty) {
        // danny-avila/LibreChat#3442
        return refuse("messages: at least one message is required");
    }
    blocks::check(items(request.get("messages")))?;
    blocks::cached(request)?;
    thinking::check(request)?;
    let turns = turns(items(request.get("messages")));
    match before {
        Before::Nothing => paired(&turns, Vec::new())?,
        Before::Calls(calls) => paired(&turns, calls.iter().map(|id| (0, id.as_str())).collect())?,
        // Results of unknown calls may come first.
        Before::Unknown => paired(turns.get(1..).unwrap_or_default(), calls_of(turns.first()))?,
    }
    offered(request)
}

/// Checks the tools of a request.
fn offered(request: &Value) -> Result<(), ModelRefusal> {
    let mut known: Vec<&str> = Vec::new();
    for (at, tool) in tools(request) {
        let name = tool["name"].as_str();
        if name.is_some_and(|name| known.contains(&name)) {
            // eclipse-theia/theia#16122, docker/docker-agent#2251; danny-avila/LibreChat#13162 for tools that Anthropic
            // defines.
            return refuse("tools: Tool names must be unique.");
        }
        known.extend(name);
        // Tools that Anthropic defines have their own types.
        if !matches!(tool["type"].as_str(), None | Some("custom")) {
            continue;
        }
        names::anthropic(at, name.unwrap_or_default())?;
        let wanted = tool.get("input_schema");
        if ["oneOf", "allOf", "anyOf"].iter().any(|key| wanted.is_some_and(|schema| schema.get(key).is_some())) {
            // anthropics/claude-code#5319 and #5973, mobile-next/mobile-mcp#344
            let message = "input_schema does not support oneOf, allOf, or anyOf at the top level";
            return refuse(format!("tools.{at}.custom.input_schema: {message}"));
        }
        let strict = tool["strict"].as_bool() == Some(true);
        if wanted.filter(|_| strict).and_then(|wanted| schema::broken(wanted, false)).is_some() {
            // vercel/ai#20681
            return refuse(format!(
                "tools.{at}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(messages: &Value) -> Option<String> {
        let request = json!({ "model": "m", "max_tokens": 5, "messages": messages }).to_string();
        check(&serde_json::from_slice::<Value>(request.as_bytes()).unwrap(), &Before::Nothing)
            .err()
            .map(|refusal| refusal.message)
    }

    fn call(id: &str) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "f", "input": {} })
    }

    fn result(id: &str) -> Value {
        json!({ "type": "tool_result", "tool_use_id": id, "content": "1" })
    }

    fn text(said: &str) -> Value {
        json!({ "type": "text", "text": said })
    }

    fn said(role: &str, content: &[Value]) -> Value {
        json!({ "role": role, "content": content })
    }

    #[test]
    fn accepts_results_in_any_order_and_across_messages() {
        let user = json!({ "role": "user", "content": "x" });
        let asks = said("assistant", &[call("a"), call("b")]);
        assert_eq!(refused(&json!([user, asks, said("user", &[result("b"), result("a")])])), None);
        assert_eq!(refused(&json!([user, asks, said("user", &[result("a")]), said("user", &[result("b")])])), None);
        let server = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} });
        assert_eq!(refused(&json!([user, said("assistant", &[server]), user])), None);
    }

    #[test]
    fn refuses_unpaired_calls_and_results() {
        let user = json!({ "role": "user", "content": "x" });
        let asks = said("assistant", &[call("a"), call("b")]);
        let open = refused(&json!([user, asks, said("user", &[result("a")])])).unwrap();
        assert!(
            open.starts_with(
                "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b."
            )
        );
        assert!(refused(&json!([user, asks])).unwrap().contains("a, b"));
        let orphan = refused(&json!([said("user", &[result("x")])])).unwrap();
        assert!(orphan.starts_with("messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x."));
        // The call exists, but not in the turn before.
        let late = json!([
            user,
            asks,
            said("user", &[result("a"), result("b")]),
            said("assistant", &[text("ok")]),
            said("user", &[result("a")])
        ]);
        assert!(refused(&late).unwrap().contains("messages.4.content.0"));
    }

    #[test]
    fn refuses_multiple_results_for_one_call() {
        let (user, asks) = (json!({ "role": "user", "content": "x" }), said("assistant", &[call("a"), call("b")]));
        let single = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: a";
        let twice = refused(&json!([user, asks, said("user", &[result("a"), result("b"), result("a")])])).unwrap();
        assert_eq!(twice, format!("messages.2.content.2: {single}"));
        let again =
            refused(&json!([user, asks, said("user", &[result("a"), result("b")]), said("user", &[result("a")])]));
        assert_eq!(again.unwrap(), format!("messages.3.content.0: {single}"));
        // An id that is used again in a later turn has its own result there.
        let once = said("assistant", &[call("a")]);
        let anew = json!([user, once, said("user", &[result("a")]), once, said("user", &[result("a")])]);
        assert_eq!(refused(&anew), None);
    }

    #[test]
    fn results_must_precede_text() {
        let (user, asks) = (json!({ "role": "user", "content": "x" }), said("assistant", &[call("a"), call("b")]));
        let after = |blocks: &[Value]| refused(&json!([user, asks, said("user", blocks)]));
        assert_eq!(after(&[result("a"), result("b"), text("and now?")]), None);
        // Consecutive messages of one role count as one.
        let apart = json!([user, asks, said("user", &[result("a"), result("b")]), user]);
        assert_eq!(refused(&apart), None);
        // Without an open call, anything may come first.
        assert_eq!(refused(&json!([said("user", &[text("a")]), said("assistant", &[text("b")]), user])), None);
        for wrong in [vec![text("wait"), result("a"), result("b")], vec![result("a"), text("and"), result("b")]] {
            let found = "messages.2: Did not find 2 `tool_result` block(s) at the beginning of this message.";
            assert!(after(&wrong).unwrap().starts_with(found), "{wrong:?}");
        }
        let before = json!([user, asks, user, said("user", &[result("a"), result("b")])]);
        assert!(refused(&before).unwrap().starts_with("messages.2: Did not find 2"));
    }

    #[test]
    fn thread_supplies_earlier_calls() {
        let request = json!({ "model": "m", "max_tokens": 5, "messages": [said("user", &[result("a")])] }).to_string();
        let refused =
            |before: &Before| check(&serde_json::from_slice::<Value>(request.as_bytes()).unwrap(), before).err();
        let calls = |ids: &[&str]| Before::Calls(ids.iter().map(|&id| id.to_owned()).collect());
        assert_eq!(refused(&calls(&["a"])), None);
        assert_eq!(refused(&Before::Unknown), None);
        assert!(refused(&calls(&["a", "b"])).unwrap().message.contains("immediately after: b."));
        assert!(refused(&calls(&[])).unwrap().message.contains("unexpected `tool_use_id`"));
    }

    #[test]
    fn refuses_missing_required_fields() {
        let refused = |request: &str| {
            check(&serde_json::from_slice::<Value>(request.as_bytes()).unwrap(), &Before::Nothing).unwrap_err().message
        };
        assert_eq!(refused(r#"{"model":"m","messages":[]}"#), "max_tokens: Field required");
        assert_eq!(refused(r#"{"max_tokens":1,"messages":[]}"#), "model: Field required");
        assert_eq!(
            refused(r#"{"model":"m","max_tokens":1,"messages":[]}"#),
            "messages: at least one message is required"
        );
        let tool = |more: &str| {
            let request = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":[TOOL]}"#;
            check(&serde_json::from_slice::<Value>(request.replace("TOOL", more).as_bytes()).unwrap(), &Before::Nothing)
                .err()
                .map(|refusal| refusal.message)
        };
        let open = r#"{"name":"f","input_schema":{"type":"object","properties":{"a":{}}}}"#;
        assert_eq!(tool(open), None);
        assert!(
            tool(&open.replace("\"name\"", "\"strict\":true,\"name\"")).unwrap().contains("must be explicitly set")
        );
        let server = r#"{"type":"web_search_20250305","name":"web.search"}"#;
        assert_eq!((tool(server), tool(&format!("{open},{server}"))), (None, None));
        for twice in [open, server] {
            assert_eq!(tool(&format!("{twice},{twice}")).unwrap(), "tools: Tool names must be unique.");
        }
        let choice = r#"{"name":"f","input_schema":{"type":"object","properties":{"a":{"anyOf":[]}}}}"#;
        assert_eq!(tool(choice), None);
        assert_eq!(
            tool(r#"{"name":"f","input_schema":{"type":"object","anyOf":[]}}"#).unwrap(),
            "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
        );
    }
}
