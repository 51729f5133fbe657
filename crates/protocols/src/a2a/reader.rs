//! Reads what an agent sends in one turn.

use agentci_trace::EventKind;
use serde_json::Value;

use super::card::A2aProtocol;
use super::conversation::A2aConversation;
use super::fields::{A2aError, cut};
use super::item::{A2aItem, A2aMessage, TaskNews, TaskStatus};
use super::part::A2aPart;
use super::state::TaskState;
use super::task::{A2aTask, data_of, text};

/// The limits of one turn.
const ITEMS: usize = 1_000_000;
const BYTES: usize = 64 << 20;
const ARTIFACTS: usize = 10_000;

/// The state of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnStanding {
    /// The agent sent nothing.
    Silent,
    /// It answered without a task, or its task is completed.
    Done,
    /// Its task waits for the next turn.
    Waits,
    /// Its task ended without being completed.
    Failed {
        /// The final state.
        state: TaskState,
        /// The agent's message.
        words: String,
    },
    /// Its task is still working.
    Working {
        /// The id of the task.
        task: String,
        state: TaskState,
    },
}

/// Reads what an agent sends in one turn, in one answer or several.
#[derive(Debug, Default)]
pub struct A2aReader {
    items: usize,
    bytes: usize,
    /// The answer without a task.
    message: Option<A2aMessage>,
    /// Whether the agent reported a task.
    task: bool,
}

impl A2aReader {
    #[cfg(test)]
    pub(super) fn having(items: usize, bytes: usize) -> Self {
        Self { items, bytes, ..Self::default() }
    }

    /// Handles the result of a call or an item of a stream; returns trace events.
    pub fn item(
        &mut self,
        value: &Value,
        protocol: A2aProtocol,
        conversation: &mut A2aConversation,
    ) -> Result<Vec<EventKind>, A2aError> {
        self.items += 1;
        if self.items > ITEMS {
            return Err(A2aError(format!("the agent sent more than {ITEMS} items in one turn")));
        }
        let item = A2aItem::read(value, protocol)?;
        self.weigh(&item)?;
        let mut kinds = Vec::new();
        // A task that waits for authorization may get it elsewhere and continue.
        if self.is_over(conversation) && self.ending(conversation) != TurnStanding::Waits {
            kinds.push(EventKind::Violation("the agent sent more after its answer was complete".into()));
        }
        match item {
            A2aItem::Message(message) => {
                follow(conversation, message.context.as_ref(), &mut kinds);
                if self.task {
                    let words = "the agent sent a message although its answer is a task";
                    kinds.push(EventKind::Violation(words.into()));
                    kinds.extend(note(&message.parts, "message"));
                } else if let Some(earlier) = &mut self.message {
                    kinds.push(EventKind::Violation("the agent sent a second message in one answer".into()));
                    earlier.parts.extend(message.parts);
                } else {
                    self.message = Some(message);
                }
            }
            A2aItem::Task(news) => {
                follow(conversation, news.context.as_ref(), &mut kinds);
                if let Some(task) = self.task(&news.task, conversation, &mut kinds) {
                    take_news(news, task, &mut kinds);
                }
            }
        }
        if conversation.task.as_ref().is_some_and(|task| task.artifacts.len() > ARTIFACTS) {
            return Err(A2aError(format!("the agent created more than {ARTIFACTS} artifacts")));
        }
        Ok(kinds)
    }

    /// Whether the turn is over.
    pub fn is_over(&self, conversation: &A2aConversation) -> bool {
        !matches!(self.ending(conversation), TurnStanding::Silent | TurnStanding::Working { .. })
    }

    /// The state of the turn.
    pub fn ending(&self, conversation: &A2aConversation) -> TurnStanding {
        match conversation.task.as_ref().filter(|_| self.task) {
            Some(task) if task.state.is_failure() => TurnStanding::Failed { state: task.state, words: task.words() },
            Some(task) if task.state.is_interrupted() => TurnStanding::Waits,
            Some(task) if task.state.is_terminal() => TurnStanding::Done,
            Some(task) => TurnStanding::Working { task: task.id.clone(), state: task.state },
            None if self.message.is_some() => TurnStanding::Done,
            None => TurnStanding::Silent,
        }
    }

    /// Ends the turn; returns the text, the state and the data of the agent as trace events.
    pub fn end(self, conversation: &mut A2aConversation) -> Vec<EventKind> {
        let mut kinds = Vec::new();
        let message = self.message.unwrap_or_default();
        let mut texts: Vec<String> = Some(text(&message.parts)).filter(|text| !text.is_empty()).into_iter().collect();
        let mut data: Vec<Value> = data_of(&message.parts).collect();
        let mut task = conversation.task.as_mut().filter(|_| self.task);
        if let Some(task) = &mut task {
            let (said, made) = task.give();
            texts.extend(said);
            data.extend(made);
        }
        if !texts.is_empty() {
            kinds.push(EventKind::Text(texts.join("\n")));
        }
        kinds.extend(task.map(|task| EventKind::State(task.seen().into())));
        kinds.extend(joined(data).map(|output| EventKind::FinalOutput(output.into())));
        kinds
    }

    /// The task with this id; `None` if it is not the one of this turn.
    fn task<'c>(
        &mut self,
        id: &str,
        conversation: &'c mut A2aConversation,
        kinds: &mut Vec<EventKind>,
    ) -> Option<&'c mut A2aTask> {
        let known = conversation.task.as_ref().is_some_and(|task| task.id == id);
        if !known && self.task {
            let words = format!("the agent reported another task, `{}`, in the same answer", cut(id, 80));
            kinds.push(EventKind::Violation(words));
            return None;
        }
        if !known {
            conversation.task = Some(A2aTask::new(id.to_owned()));
        } else if !self.task {
            // The task is no longer waiting, until the agent says otherwise.
            conversation.task.as_mut()?.state = TaskState::Working;
        }
        if self.message.is_some() {
            kinds.push(EventKind::Violation("the agent reported a task after it answered with a message".into()));
        }
        self.task = true;
        conversation.task.as_mut()
    }

    fn weigh(&mut self, item: &A2aItem) -> Result<(), A2aError> {
        let weigh = |parts: &[A2aPart]| parts.iter().map(A2aPart::size).sum::<usize>();
        self.bytes += match item {
            A2aItem::Message(message) => weigh(&message.parts),
            // A whole task repeats what was already counted.
            A2aItem::Task(news) if news.whole => 0,
            A2aItem::Task(news) => {
                let said = news.status.iter().flat_map(|status| &status.message).map(|message| weigh(&message.parts));
                said.chain(news.artifacts.iter().map(|piece| weigh(&piece.parts))).sum()
            }
        };
        if self.bytes > BYTES {
            return Err(A2aError(format!("the agent sent more than {BYTES} bytes in one turn")));
        }
        Ok(())
    }
}

/// Follows the agent into the context that it names.
fn follow(conversation: &mut A2aConversation, context: Option<&String>, kinds: &mut Vec<EventKind>) {
    let Some(context) = context else { return };
    if let Some(known) = conversation.context.as_ref().filter(|known| *known != context) {
        let (context, known) = (cut(context, 80), cut(known, 80));
        kinds.push(EventKind::Violation(format!("the agent answered in the context `{context}`, expected `{known}`")));
    }
    conversation.context = Some(context.clone());
}

/// Applies an update to a task.
fn take_news(news: TaskNews, task: &mut A2aTask, kinds: &mut Vec<EventKind>) {
    if let Some(status) = news.status {
        judge(&status, task, kinds);
        task.status(status);
    }
    for piece in news.artifacts {
        let id = cut(&piece.id, 80);
        if task.artifact(piece, news.append) {
            kinds.push(EventKind::Violation(format!("the agent appended to an unknown artifact: `{id}`")));
        }
    }
}

/// Logs the messages of a working task, and reports invalid states.
fn judge(status: &TaskStatus, task: &A2aTask, kinds: &mut Vec<EventKind>) {
    if let Some(written) = &status.unknown {
        kinds.push(EventKind::Violation(format!("unknown task state `{}`", cut(written, 80))));
    }
    if task.state.is_terminal() && status.state != task.state {
        let (now, was) = (status.state.name(), task.state.name());
        kinds.push(EventKind::Violation(format!("a task that is {was} became {now}")));
    }
    // Polling returns the same message repeatedly.
    let again = status.state == task.state && status.message == task.message;
    if !status.state.ends_turn()
        && !again
        && let Some(message) = &status.message
    {
        kinds.extend(note(&message.parts, status.state.name()));
    }
}

fn note(parts: &[A2aPart], level: &str) -> Option<EventKind> {
    let message = text(parts);
    let data = joined(data_of(parts).collect()).map(Into::into);
    (!message.is_empty() || data.is_some()).then(|| EventKind::Log { level: level.to_owned(), message, data })
}

/// Data parts as one value.
fn joined(mut data: Vec<Value>) -> Option<Value> {
    if data.len() > 1 { Some(Value::Array(data)) } else { data.pop() }
}
