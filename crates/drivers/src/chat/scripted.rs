//! A model that is a script, in this program: no socket, and nothing to wait for unless the script says so.

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{AnswerPace, ModelScript, ScriptFile};
use agentci_script::{ScriptError, ScriptProgram};
use agentci_trace::{EventKind, Usage};
use tokio::time::{Instant, sleep, sleep_until};

use super::completion::Completion;
pub use super::completion::CompletionCall as ScriptedToolCall;
use super::refusal::refused;
use super::retry::AnswerError;
use crate::{DriveError, DriveResult, TraceSink};

/// What is made ready once and used by many attempts.
pub trait Resources {
    /// The model of a script; what it said before is remembered by whoever hands it out.
    fn model(&self, script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String>;

    /// The functions of a file.
    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError>;
}

/// Nothing is ready: neither scripted models nor functions can be had.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoResources;

impl Resources for NoResources {
    fn model(&self, _script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String> {
        Err("there is no scripted model here".into())
    }

    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        Err(ScriptError::Engine(format!("nobody here runs `{}`", file.path.display())))
    }
}

/// A model that is a script.
pub trait ScriptedModel: Debug {
    /// What it does with a request, which is the JSON of OpenAI's Chat Completions.
    fn ask(&self, request: &str) -> ScriptedReply;
}

/// What a scripted model does with a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedReply {
    /// It answers.
    Said(ScriptedSpeech),
    /// It answers with an error.
    Refused {
        /// The HTTP status that it would have.
        status: u16,
        /// The words.
        message: String,
        /// When to try again.
        retry_after: Option<Duration>,
        /// How long it takes to say so.
        after: Duration,
    },
    /// It answers with what is no JSON.
    Malformed,
    /// Its answer breaks off.
    Cut,
    /// It never answers.
    Hang,
}

/// What a scripted model says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptedSpeech {
    /// The model that it says it is.
    pub model: String,
    /// Its words: all at once, or as they come.
    pub pieces: Vec<String>,
    /// The tools that it wants called.
    pub calls: Vec<ScriptedToolCall>,
    /// Why it stops.
    pub finish: String,
    /// The tokens of the request.
    pub tokens_in: u64,
    /// Those of the answer.
    pub tokens_out: u64,
    /// When each piece is due.
    pub pace: AnswerPace,
}

/// Asks once, with so much time left.
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
            // There is no server that needs a rest.
            let wait = Some(retry_after.unwrap_or_default());
            Err(AnswerError::of_status(status, error, wait, sink.clock().now()))
        }
        ScriptedReply::Malformed => Err(AnswerError::Final(DriveError::protocol(
            "the model's answer can not be read: it is no JSON",
            "the script says so on purpose",
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
            // A moment too far away to be said never comes.
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
