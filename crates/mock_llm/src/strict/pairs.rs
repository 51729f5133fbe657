//! Anthropic's Messages: rules for tool calls and their results.

use super::refuse;
use crate::{fields::items, refusal::ModelRefusal};
use serde_json::Value;

/// A turn of one role. Consecutive messages of one role count as one turn, according to Anthropic's API reference.
pub(super) struct SideTurn<'j> {
    role: &'j str,
    blocks: Vec<LocatedBlock<'j>>,
}

/// A block and its position.
struct LocatedBlock<'j> {
    message: usize,
    at: usize,
    /// The id of the call.
    id: &'j str,
    kind: BlockKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Call,
    Result,
    /// Text, an image or a document.
    Said,
}

pub(super) fn turns<'j>(messages: &'j [Value]) -> Vec<SideTurn<'j>> {
    let mut turns: Vec<SideTurn<'j>> = Vec::new();
    for (message, said) in messages.iter().enumerate() {
        let role = said["role"].as_str().unwrap_or_default();
        // Mid-conversation instructions are not a turn.
        if role == "system" {
            continue;
        }
        if turns.last().is_none_or(|last| last.role != role) {
            turns.push(SideTurn { role, blocks: Vec::new() });
        }
        let Some(turn) = turns.last_mut() else { continue };
        let content = said.get("content");
        if let Some(Value::String(_)) = content {
            turn.blocks.push(LocatedBlock { message, at: 0, id: "", kind: BlockKind::Said });
        }
        for (at, block) in items(content).iter().enumerate() {
            let text = |key| block[key].as_str().unwrap_or_default();
            let (id, kind) = match text("type") {
                "tool_use" => (text("id"), BlockKind::Call),
                "tool_result" => (text("tool_use_id"), BlockKind::Result),
                "text" | "image" | "document" => ("", BlockKind::Said),
                // Calls that the provider runs itself come with their result: `server_tool_use`, `mcp_tool_use`.
                _ => continue,
            };
            turn.blocks.push(LocatedBlock { message, at, id, kind });
        }
    }
    turns
}

/// The calls of a turn, each with the index of its message.
pub(super) fn calls_of<'j>(turn: Option<&SideTurn<'j>>) -> Vec<(usize, &'j str)> {
    let blocks = turn.map(|turn| turn.blocks.as_slice()).unwrap_or_default();
    blocks.iter().filter(|block| block.kind == BlockKind::Call).map(|block| (block.message, block.id)).collect()
}

/// Checks that every call has its result in the next turn, and every result its call in the previous turn.
pub(super) fn paired<'j>(turns: &[SideTurn<'j>], mut before: Vec<(usize, &'j str)>) -> Result<(), ModelRefusal> {
    for turn in turns {
        let results: Vec<&LocatedBlock<'_>> =
            turn.blocks.iter().filter(|block| block.kind == BlockKind::Result).collect();
        unanswered(&before, &results)?;
        if let Some(block) = results.iter().find(|result| !before.iter().any(|(_, call)| *call == result.id)) {
            // anthropics/claude-code#18947 and #13460
            let LocatedBlock { message, at, id, .. } = block;
            return refuse(format!(
                "messages.{message}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        once_each(&results)?;
        in_front(&turn.blocks, results.len())?;
        before = calls_of(Some(turn));
    }
    unanswered(&before, &[])
}

/// anthropics/claude-code#14110; QwenLM/qwen-code#8163 tried it, also with results in two messages of one turn.
fn once_each(results: &[&LocatedBlock<'_>]) -> Result<(), ModelRefusal> {
    let is_repeated = |at: usize| results[..at].iter().any(|earlier| earlier.id == results[at].id);
    let Some(at) = (1..results.len()).find(|at| is_repeated(*at)) else { return Ok(()) };
    let LocatedBlock { message, at, id, .. } = results[at];
    refuse(format!(
        "messages.{message}.content.{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
    ))
}

/// Results come before all other content: apify/tester-mcp-client#12, and Anthropic's guide to handling tool calls.
fn in_front(blocks: &[LocatedBlock<'_>], results: usize) -> Result<(), ModelRefusal> {
    let begins = blocks.iter().take_while(|block| block.kind == BlockKind::Result).count();
    let Some(block) = blocks.first().filter(|_| begins < results) else { return Ok(()) };
    refuse(format!(
        "messages.{}: Did not find {results} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` \
         blocks must begin with a matching number of `tool_result` blocks.",
        block.message
    ))
}

/// anthropics/claude-code#8210 and #8612, OpenHands/OpenHands#7512
fn unanswered(calls: &[(usize, &str)], results: &[&LocatedBlock<'_>]) -> Result<(), ModelRefusal> {
    let open: Vec<&(usize, &str)> =
        calls.iter().filter(|(_, call)| !results.iter().any(|result| result.id == *call)).collect();
    let Some((message, _)) = open.first() else { return Ok(()) };
    let ids: Vec<&str> = open.iter().map(|(_, call)| *call).collect();
    refuse(format!(
        "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
         block must have a corresponding `tool_result` block in the next message.",
        ids.join(", ")
    ))
}
