//! Anthropic's shapes: `POST /v1/messages`.

mod read;
mod stream;
mod whole;

pub(super) use read::read;
pub(super) use stream::events;
pub(super) use whole::whole;

use agentci_plan::Finish;

/// The word of Messages for why a model stopped.
fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::ToolCalls => "tool_use",
        Finish::ContentFilter => "refusal",
    }
}
