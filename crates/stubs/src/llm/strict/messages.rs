//! What Anthropic's Messages refuse. All errors are 400, `invalid_request_error`.

use super::super::json::Json;
use super::super::refusal::Refusal;
use super::{Warnings, given, names, schema, tools};

/// The answer that a request goes on from, if it goes on with a thread: the API then holds the messages before it.
pub(in super::super) fn continued<'j>(request: &'j Json<'j>) -> Option<&'j str> {
    request.get("thread")?.get("previous_message_id")?.as_str()
}

/// What is known of the messages before those of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Before {
    /// There are none.
    Nothing,
    /// They end with an answer that asked for these calls.
    Calls(Vec<String>),
    /// They were said elsewhere.
    Unknown,
}

/// Looks at a request, which may go on from an answer.
pub(in super::super) fn check(request: &Json<'_>, before: &Before) -> Result<Warnings, Refusal> {
    // The error is quoted for `max_tokens` in tickernelz/opencode-mem#50 and microsoft/foundry-dev-tools#465. Anthropic's API
    // reference has all three as required.
    for name in ["model", "max_tokens", "messages"] {
        if given(request, name).is_none() {
            return Err(Refusal::new(400, format!("{name}: Field required")));
        }
    }
    let messages = request.get("messages").and_then(Json::as_list);
    if messages.is_some_and(<[Json<'_>]>::is_empty) {
        // danny-avila/LibreChat#3442
        return Err(Refusal::new(400, "messages: at least one message is required"));
    }
    let turns = turns(messages.unwrap_or_default());
    match before {
        Before::Nothing => paired(&turns, Vec::new())?,
        Before::Calls(calls) => paired(&turns, calls.iter().map(|id| (0, id.as_str())).collect())?,
        // Results of calls that are not known may come first.
        Before::Unknown => paired(turns.get(1..).unwrap_or_default(), calls_of(turns.first()))?,
    }
    for (at, tool) in tools(request) {
        // Tools that Anthropic defines have a type of their own.
        if !matches!(tool.get("type").and_then(Json::as_str), None | Some("custom")) {
            continue;
        }
        names::anthropic(at, tool.get("name").and_then(Json::as_str).unwrap_or_default())?;
        let strict = tool.get("strict").and_then(Json::as_bool) == Some(true);
        if tool.get("input_schema").filter(|_| strict).and_then(|wanted| schema::broken(wanted, false)).is_some() {
            // vercel/ai#20681
            let message =
                format!("tools.{at}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false");
            return Err(Refusal::new(400, message));
        }
    }
    Ok(Warnings::new())
}

/// What one side says until the other does. Messages of one side that follow each other count as one, as Anthropic's API
/// reference says.
struct Said<'j> {
    role: &'j str,
    blocks: Vec<Block<'j>>,
}

/// A block that calls a tool or has its result, and where it is.
struct Block<'j> {
    message: usize,
    at: usize,
    id: &'j str,
    is_result: bool,
}

fn turns<'j>(messages: &'j [Json<'j>]) -> Vec<Said<'j>> {
    let mut turns: Vec<Said<'j>> = Vec::new();
    for (message, said) in messages.iter().enumerate() {
        let role = said.get("role").and_then(Json::as_str).unwrap_or_default();
        // Instructions on the way are no turn.
        if role == "system" {
            continue;
        }
        if turns.last().is_none_or(|last| last.role != role) {
            turns.push(Said { role, blocks: Vec::new() });
        }
        let Some(turn) = turns.last_mut() else { continue };
        for (at, block) in said.get("content").and_then(Json::as_list).unwrap_or_default().iter().enumerate() {
            let text = |key| block.get(key).and_then(Json::as_str).unwrap_or_default();
            match text("type") {
                "tool_use" => turn.blocks.push(Block { message, at, id: text("id"), is_result: false }),
                "tool_result" => turn.blocks.push(Block { message, at, id: text("tool_use_id"), is_result: true }),
                // What the provider runs itself comes with its result: `server_tool_use`, `mcp_tool_use`.
                _ => {}
            }
        }
    }
    turns
}

/// The calls of a turn, each with its message.
fn calls_of<'j>(turn: Option<&Said<'j>>) -> Vec<(usize, &'j str)> {
    let blocks = turn.map(|turn| turn.blocks.as_slice()).unwrap_or_default();
    blocks.iter().filter(|block| !block.is_result).map(|block| (block.message, block.id)).collect()
}

/// Every call has its result in the turn after it, and every result its call in the turn before.
fn paired<'j>(turns: &[Said<'j>], mut before: Vec<(usize, &'j str)>) -> Result<(), Refusal> {
    for turn in turns {
        let results: Vec<&Block<'_>> = turn.blocks.iter().filter(|block| block.is_result).collect();
        unanswered(&before, &results)?;
        if let Some(block) = results.iter().find(|result| !before.iter().any(|(_, call)| *call == result.id)) {
            // anthropics/claude-code#18947 and #13460
            let Block { message, at, id, .. } = block;
            return Err(Refusal::new(
                400,
                format!(
                    "messages.{message}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                     `tool_result` block must have a corresponding `tool_use` block in the previous message."
                ),
            ));
        }
        before = calls_of(Some(turn));
    }
    unanswered(&before, &[])
}

/// anthropics/claude-code#8210 and #8612, OpenHands/OpenHands#7512
fn unanswered(calls: &[(usize, &str)], results: &[&Block<'_>]) -> Result<(), Refusal> {
    let open: Vec<&(usize, &str)> =
        calls.iter().filter(|(_, call)| !results.iter().any(|result| result.id == *call)).collect();
    let Some((message, _)) = open.first() else { return Ok(()) };
    let ids: Vec<&str> = open.iter().map(|(_, call)| *call).collect();
    Err(Refusal::new(
        400,
        format!(
            "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
             block must have a corresponding `tool_result` block in the next message.",
            ids.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(messages: &Value) -> Option<String> {
        let request = json!({ "model": "m", "max_tokens": 5, "messages": messages }).to_string();
        check(&Json::parse(request.as_bytes()).unwrap(), &Before::Nothing).err().map(|refusal| refusal.message)
    }

    fn call(id: &str) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "f", "input": {} })
    }

    fn result(id: &str) -> Value {
        json!({ "type": "tool_result", "tool_use_id": id, "content": "1" })
    }

    fn said(role: &str, content: &[Value]) -> Value {
        json!({ "role": role, "content": content })
    }

    #[test]
    fn results_in_any_order_and_in_several_messages_are_fine() {
        let user = json!({ "role": "user", "content": "x" });
        let asks = said("assistant", &[call("a"), call("b")]);
        assert_eq!(refused(&json!([user, asks, said("user", &[result("b"), result("a")])])), None);
        assert_eq!(refused(&json!([user, asks, said("user", &[result("a")]), said("user", &[result("b")])])), None);
        let server = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} });
        assert_eq!(refused(&json!([user, said("assistant", &[server]), user])), None);
    }

    #[test]
    fn calls_and_results_without_each_other_are_refused() {
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
        // The call is there, but not in the turn before.
        let late = json!([
            user,
            asks,
            said("user", &[result("a"), result("b")]),
            said("assistant", &[]),
            said("user", &[result("a")])
        ]);
        assert!(refused(&late).unwrap().contains("messages.4.content.0"));
    }

    #[test]
    fn a_thread_holds_the_calls_before() {
        let request = json!({ "model": "m", "max_tokens": 5, "messages": [said("user", &[result("a")])] }).to_string();
        let refused = |before: &Before| check(&Json::parse(request.as_bytes()).unwrap(), before).err();
        let calls = |ids: &[&str]| Before::Calls(ids.iter().map(|&id| id.to_owned()).collect());
        assert_eq!(refused(&calls(&["a"])), None);
        assert_eq!(refused(&Before::Unknown), None);
        assert!(refused(&calls(&["a", "b"])).unwrap().message.contains("immediately after: b."));
        assert!(refused(&calls(&[])).unwrap().message.contains("unexpected `tool_use_id`"));
    }

    #[test]
    fn what_must_be_there_is_asked_for() {
        let refused =
            |request: &str| check(&Json::parse(request.as_bytes()).unwrap(), &Before::Nothing).unwrap_err().message;
        assert_eq!(refused(r#"{"model":"m","messages":[]}"#), "max_tokens: Field required");
        assert_eq!(refused(r#"{"max_tokens":1,"messages":[]}"#), "model: Field required");
        assert_eq!(
            refused(r#"{"model":"m","max_tokens":1,"messages":[]}"#),
            "messages: at least one message is required"
        );
        let tool = |more: &str| {
            let request = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":[TOOL]}"#;
            check(&Json::parse(request.replace("TOOL", more).as_bytes()).unwrap(), &Before::Nothing)
                .err()
                .map(|refusal| refusal.message)
        };
        let open = r#"{"name":"f","input_schema":{"type":"object","properties":{"a":{}}}}"#;
        assert_eq!(tool(open), None);
        assert!(
            tool(&open.replace("\"name\"", "\"strict\":true,\"name\"")).unwrap().contains("must be explicitly set")
        );
        assert_eq!(tool(r#"{"type":"web_search_20250305","name":"web.search"}"#), None);
    }
}
