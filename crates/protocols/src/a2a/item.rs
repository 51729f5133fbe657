//! What an agent sends: the result of a call, or one item of a stream.

use serde_json::Value;

use super::card::Protocol;
use super::fields::{Broken, Fields, shown};
use super::part::Part;
use super::state::TaskState;

/// What an agent sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// An answer without a task.
    Message(Message),
    /// A task as it is now.
    Task(Snapshot),
    /// A task went on.
    Status(StatusUpdate),
    /// A task made something, or more of it.
    Artifact(ArtifactUpdate),
}

/// A message of the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// The context it belongs to.
    pub context: Option<String>,
    /// What it says.
    pub parts: Vec<Part>,
}

/// A task as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Which task.
    pub id: String,
    /// The context it belongs to.
    pub context: Option<String>,
    /// How far it is.
    pub status: Status,
    /// What it has made.
    pub artifacts: Vec<Piece>,
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Its state.
    pub state: TaskState,
    /// How the agent wrote a state that is not known here.
    pub unknown: Option<String>,
    /// What the agent says to it.
    pub message: Option<Message>,
}

/// A task went on.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusUpdate {
    /// Which task.
    pub task: String,
    /// The context it belongs to.
    pub context: Option<String>,
    /// How far it is.
    pub status: Status,
}

/// A task made something, or more of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactUpdate {
    /// Which task.
    pub task: String,
    /// The context it belongs to.
    pub context: Option<String>,
    /// What it made.
    pub piece: Piece,
    /// Whether it goes to what was made before under the same id.
    pub append: bool,
}

/// An artifact, or a piece of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Which artifact.
    pub id: String,
    /// What it is called.
    pub name: Option<String>,
    /// What it holds.
    pub parts: Vec<Part>,
}

impl Item {
    /// Reads what an agent sent.
    pub fn read(value: &Value, protocol: Protocol) -> Result<Self, Broken> {
        let fields = Fields::open(value, "an answer")?;
        // 0.3 says what it is by a word, 1.0 by the key under which it stands.
        match value.get("kind").and_then(Value::as_str) {
            Some("message") => return message(value, protocol).map(Item::Message),
            Some("task") => return snapshot(value, protocol).map(Item::Task),
            Some("status-update") => return status_update(value, protocol).map(Item::Status),
            Some("artifact-update") => return artifact_update(value, protocol).map(Item::Artifact),
            Some(_) | None => {}
        }
        if let Some(inner) = fields.any("task") {
            snapshot(inner, protocol).map(Item::Task)
        } else if let Some(inner) = fields.any("message").or(fields.any("msg")) {
            message(inner, protocol).map(Item::Message)
        } else if let Some(inner) = fields.any("statusUpdate") {
            status_update(inner, protocol).map(Item::Status)
        } else if let Some(inner) = fields.any("artifactUpdate") {
            artifact_update(inner, protocol).map(Item::Artifact)
        } else if fields.any("id").is_some() && fields.any("status").is_some() {
            snapshot(value, protocol).map(Item::Task)
        } else {
            Err(Broken(format!("an answer is neither a message, a task nor news of one: {}", shown(value))))
        }
    }
}

fn message(value: &Value, protocol: Protocol) -> Result<Message, Broken> {
    let fields = Fields::open(value, "a message")?;
    let parts = match fields.list("parts")? {
        [] => fields.list("content")?,
        parts => parts,
    };
    Ok(Message { context: fields.text("contextId")?, parts: read_parts(parts, protocol)? })
}

fn snapshot(value: &Value, protocol: Protocol) -> Result<Snapshot, Broken> {
    let fields = Fields::open(value, "a task")?;
    let artifacts = fields.list("artifacts")?.iter().map(|artifact| piece(artifact, protocol));
    Ok(Snapshot {
        id: fields.required_text("id")?,
        context: fields.text("contextId")?,
        status: status(fields.required("status")?, protocol)?,
        artifacts: artifacts.collect::<Result<_, _>>()?,
    })
}

fn status(value: &Value, protocol: Protocol) -> Result<Status, Broken> {
    let fields = Fields::open(value, "a status")?;
    let written = fields.required_text("state")?;
    let state = TaskState::parse(&written);
    let said = fields.any("message").or(fields.any("update"));
    Ok(Status {
        state: state.unwrap_or(TaskState::Unknown),
        unknown: Some(written).filter(|_| state.is_none()),
        message: said.map(|said| message(said, protocol)).transpose()?,
    })
}

fn status_update(value: &Value, protocol: Protocol) -> Result<StatusUpdate, Broken> {
    let fields = Fields::open(value, "a status update")?;
    Ok(StatusUpdate {
        task: fields.required_text("taskId")?,
        context: fields.text("contextId")?,
        status: status(fields.required("status")?, protocol)?,
    })
}

fn artifact_update(value: &Value, protocol: Protocol) -> Result<ArtifactUpdate, Broken> {
    let fields = Fields::open(value, "an artifact update")?;
    Ok(ArtifactUpdate {
        task: fields.required_text("taskId")?,
        context: fields.text("contextId")?,
        piece: piece(fields.required("artifact")?, protocol)?,
        append: fields.switch("append")?,
    })
}

fn piece(value: &Value, protocol: Protocol) -> Result<Piece, Broken> {
    let fields = Fields::open(value, "an artifact")?;
    Ok(Piece {
        id: fields.required_text("artifactId")?,
        name: fields.text("name")?,
        parts: read_parts(fields.list("parts")?, protocol)?,
    })
}

fn read_parts(parts: &[Value], protocol: Protocol) -> Result<Vec<Part>, Broken> {
    parts.iter().map(|part| Part::read(part, protocol)).collect()
}
