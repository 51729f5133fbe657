//! Scripted models that run within this program: no socket, and no waiting unless the script says so.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{ModelScript, ScriptFile};
use agentci_protocols::chat::{ModelReply, PacedAnswer, ScriptedModel};
use agentci_script::{ScriptError, ScriptProgram};
use agentci_trace::EventKind;
use tokio::time::{Instant, sleep, sleep_until};

use super::completion::Completion;
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

/// Sends one request, with `left` as the time limit.
pub(super) async fn once(
    model: &dyn ScriptedModel,
    request: &str,
    left: Duration,
    sink: &mut TraceSink<'_>,
) -> Result<Completion, AnswerError> {
    match model.ask(request) {
        ModelReply::Said(paced) if paced.is_immediate() => Ok(say(*paced, sink).await?),
        ModelReply::Said(paced) => {
            let said = tokio::time::timeout(left, say(*paced, sink)).await;
            Ok(said.map_err(|_| late(left))??)
        }
        ModelReply::Refused { status, message, retry_after, after } => {
            if after > Duration::ZERO {
                sleep(after.min(left)).await;
            }
            let error = refused(status, message.as_bytes());
            // A script needs no pause by default.
            let wait = Some(retry_after.unwrap_or_default());
            Err(AnswerError::of_status(status, error, wait, sink.clock().now()))
        }
        ModelReply::Malformed => Err(AnswerError::Final(DriveError::protocol(
            "the model's answer cannot be read: it is not JSON",
            "the script does this on purpose",
        ))),
        ModelReply::Cut => {
            let words = "the model's answer broke off";
            Err(AnswerError::Final(DriveError::Transport(std::io::Error::other(words))))
        }
        ModelReply::Hang => {
            sleep(left).await;
            Err(late(left))
        }
    }
}

fn late(after: Duration) -> AnswerError {
    AnswerError::Final(DriveError::Timeout { after })
}

async fn say(paced: PacedAnswer, sink: &mut TraceSink<'_>) -> DriveResult<Completion> {
    let immediate = paced.is_immediate();
    if !immediate {
        sleep(paced.latency).await;
    }
    let begun = Instant::now();
    for (due, piece) in paced.pieces {
        match begun.checked_add(due) {
            Some(_) if immediate => {}
            Some(due) => sleep_until(due).await,
            // A due time beyond the range of `Instant` never comes.
            None => std::future::pending::<()>().await,
        }
        sink.push(EventKind::Text(piece))?;
    }
    Ok(paced.answer.into())
}
