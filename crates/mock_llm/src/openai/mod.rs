//! OpenAI's shapes, which Azure has as well.

pub(super) mod azure;
pub(super) mod chat;
pub(super) mod chat_stream;
pub(super) mod conversations;
pub(super) mod embeddings;
pub(super) mod models;
pub(super) mod moderations;
pub(super) mod responses;
pub(super) mod responses_stream;

use agentci_plan::Finish;

use super::answer::{CallForm, SpokenAnswer};

/// The word of Chat Completions for why a model stopped.
pub(super) fn finish_reason(answer: &SpokenAnswer) -> &'static str {
    match answer.finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::ToolCalls if answer.form == CallForm::Function => "function_call",
        Finish::ToolCalls => "tool_calls",
        Finish::ContentFilter => "content_filter",
    }
}
