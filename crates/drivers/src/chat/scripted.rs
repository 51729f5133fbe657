//! Scripted models that run within this program: no socket, and no waiting unless the script says so.

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{AnswerPace, ModelScript, ScriptFile};
use agentci_script::{ScriptError, ScriptProgram};
use agentci_trace::{EventKind, Usage};
use tokio::time::{Instant, sleep, sleep_until};

use super::completion::Completion;
pub use agentci_protocols::chat::AnswerCall as ScriptedToolCall;
use super::refusal::refused;
use super::retry::AnswerError;
use crate::{DriveError, DriveResult, TraceSink};

/// Resources that are shared by many attempts.
pub trait Resources {
    /// The model of a script; the provider of the resources keeps its state.
    fn model(&self, script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String>;

    /// The compiled hooks of a file.
    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError>;
}

/// No resources: neither scripted models nor hooks are available.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoResources;

impl Resources for NoResources {
    fn model(&self, _script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String> {
        Err("scripted models are not available here".into())
    }

    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        Err(ScriptError::Engine(format!("`{}` cannot be run here", file.path.display())))
    }
}

/// A scripted model.
pub trait ScriptedModel: Debug {
    /// Answers a request, which is JSON in the format of OpenAI's Chat Completions.
    fn ask(&self, request: &str) -> ScriptedReply;
}

/// How a scripted model answers a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedReply {
    /// It answers normally.
    Said(ScriptedSpeech),
    /// It answers with an error.
    Refused {
        /// The HTTP status that the error would have.
        status: u16,
        /// The error message.
        message: String,
        /// The value of `Retry-After`.
        retry_after: Option<Duration>,
        /// The delay before the error.
        after: Duration,
    },
    /// Its answer is not JSON.
    Malformed,
    /// Its answer is truncated.
    Cut,
    /// It never answers.
    Hang,
}

/// The answer of a scripted model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptedSpeech {
    /// The model name in the answer.
    pub model: String,
    /// Its text, in one piece or several.
    pub pieces: Vec<String>,
    /// The tool calls that it requests.
    pub calls: Vec<ScriptedToolCall>,
    /// The finish reason.
    pub finish: String,
    /// The tokens of the request.
    pub tokens_in: u64,
    /// The tokens of the answer.
    pub tokens_out: u64,
    /// When each piece is due.
    pub pace: AnswerPace,
}

/// Sends one request, with `left` as the time limit.
pub(super) async fn once(
    model: &dyn ScriptedModel,
    request: &str,
    left: Duration,
    sink: &mut TraceSink<'_>,
) -> Result<Completion, AnswerError> {
    match model.ask(request) {
        ScriptedReply::Said(speech) if speech.pace.is_immediate() => Ok(say(speech, sink).await?),
        ScriptedReply::Said(speech) => {
            let said = tokio::time::timeout(left, say(speech, sink)).await;
            Ok(said.map_err(|_| late(left))??)
        }
        ScriptedReply::Refused { status, message, retry_after, after } => {
            if after > Duration::ZERO {
                sleep(after.min(left)).await;
            }
            let error = refused(status, message.as_bytes());
            // A script needs no pause by default.
            let wait = Some(retry_after.unwrap_or_default());
            Err(AnswerError::of_status(status, error, wait, sink.clock().now()))
        }
        ScriptedReply::Malformed => Err(AnswerError::Final(DriveError::protocol(
            "the model's answer cannot be read: it is not JSON",
            "the script does this on purpose",
        ))),
        ScriptedReply::Cut => {
            let words = "the model's answer broke off";
            Err(AnswerError::Final(DriveError::Transport(std::io::Error::other(words))))
        }
        ScriptedReply::Hang => {
            sleep(left).await;
            Err(late(left))
        }
    }
}

fn late(after: Duration) -> AnswerError {
    AnswerError::Final(DriveError::Timeout { after })
}

async fn say(speech: ScriptedSpeech, sink: &mut TraceSink<'_>) -> DriveResult<Completion> {
    let paced = !speech.pace.is_immediate();
    if paced {
        sleep(speech.pace.latency).await;
    }
    let begun = Instant::now();
    let mut text = String::new();
    for (number, piece) in (1..).zip(&speech.pieces) {
        match begun.checked_add(speech.pace.due(number)) {
            Some(due) if paced => sleep_until(due).await,
            Some(_) => {}
            // A due time beyond the range of `Instant` never comes.
            None => std::future::pending::<()>().await,
        }
        text.push_str(piece);
        sink.push(EventKind::Text(piece.clone()))?;
    }
    Ok(completion(speech, text))
}

fn completion(speech: ScriptedSpeech, text: String) -> Completion {
    Completion {
        text,
        calls: speech.calls,
        finish: Some(speech.finish),
        model: Some(speech.model),
        usage: Usage { tokens_in: Some(speech.tokens_in), tokens_out: Some(speech.tokens_out), cost_usd: None },
        ..Completion::default()
    }
}
