//! Reads the items that an agent sends: the result of a call, or the items of a stream.

use serde_json::Value;

use super::card::A2aProtocol;
use super::fields::{A2aError, A2aFields, shown};
use super::part::A2aPart;
use super::state::TaskState;

/// An item that an agent sends.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aItem {
    /// An answer without a task.
    Message(A2aMessage),
    /// A task, or an update of one.
    Task(TaskNews),
}

/// A message of the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct A2aMessage {
    /// The context it belongs to.
    pub context: Option<String>,
    /// Its content.
    pub parts: Vec<A2aPart>,
}

/// A task, or an update of one.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskNews {
    /// The id of the task.
    pub task: String,
    /// The context it belongs to.
    pub context: Option<String>,
    /// Whether this is the whole task, rather than an update.
    pub whole: bool,
    pub status: Option<TaskStatus>,
    pub artifacts: Vec<ArtifactPiece>,
    /// Whether the artifacts are appended to earlier ones with the same id.
    pub append: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskStatus {
    pub state: TaskState,
    /// The agent's name of an unknown state.
    pub unknown: Option<String>,
    /// The message of the agent about it.
    pub message: Option<A2aMessage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactPiece {
    /// The id of the artifact.
    pub id: String,
    /// The name of the artifact.
    pub name: Option<String>,
    /// Its content.
    pub parts: Vec<A2aPart>,
}

impl A2aItem {
    /// Reads an item.
    pub fn read(value: &Value, protocol: A2aProtocol) -> Result<Self, A2aError> {
        let fields = A2aFields::open(value, "an answer")?;
        // 0.3 has the field `kind`, 1.0 a key with the name of the kind.
        let keys = [
            ("task", "task"),
            ("message", "message"),
            ("msg", "message"),
            ("statusUpdate", "status-update"),
            ("artifactUpdate", "artifact-update"),
        ];
        let is_task = fields.any("id").is_some() && fields.any("status").is_some();
        let named = value.get("kind").and_then(Value::as_str);
        let named = named.filter(|named| keys.iter().any(|(_, kind)| kind == named)).map(|kind| (kind, value));
        let keyed = || keys.into_iter().find_map(|(key, kind)| Some((kind, fields.any(key)?)));
        let found = named.or_else(keyed).or_else(|| is_task.then_some(("task", value)));
        let (kind, inner) = found.ok_or_else(|| {
            A2aError(format!("an answer is neither a message, a task nor a task update: {}", shown(value)))
        })?;
        match kind {
            "message" => message(inner, protocol).map(A2aItem::Message),
            "task" => snapshot(inner, protocol).map(A2aItem::Task),
            "status-update" => status_update(inner, protocol).map(A2aItem::Task),
            _ => artifact_update(inner, protocol).map(A2aItem::Task),
        }
    }
}

fn message(value: &Value, protocol: A2aProtocol) -> Result<A2aMessage, A2aError> {
    let fields = A2aFields::open(value, "a message")?;
    let parts = match fields.list("parts")? {
        [] => fields.list("content")?,
        parts => parts,
    };
    Ok(A2aMessage { context: fields.text("contextId")?, parts: read_parts(parts, protocol)? })
}

fn snapshot(value: &Value, protocol: A2aProtocol) -> Result<TaskNews, A2aError> {
    let fields = A2aFields::open(value, "a task")?;
    let artifacts = fields.list("artifacts")?.iter().map(|artifact| piece(artifact, protocol));
    Ok(TaskNews {
        task: fields.required_text("id")?,
        context: fields.text("contextId")?,
        whole: true,
        status: Some(status(fields.required("status")?, protocol)?),
        artifacts: artifacts.collect::<Result<_, _>>()?,
        append: false,
    })
}

fn status(value: &Value, protocol: A2aProtocol) -> Result<TaskStatus, A2aError> {
    let fields = A2aFields::open(value, "a status")?;
    let written = fields.required_text("state")?;
    let state = TaskState::parse(&written);
    let said = fields.any("message").or(fields.any("update"));
    Ok(TaskStatus {
        state: state.unwrap_or(TaskState::Unknown),
        unknown: Some(written).filter(|_| state.is_none()),
        message: said.map(|said| message(said, protocol)).transpose()?,
    })
}

fn status_update(value: &Value, protocol: A2aProtocol) -> Result<TaskNews, A2aError> {
    let fields = A2aFields::open(value, "a status update")?;
    let (task, context) = (fields.required_text("taskId")?, fields.text("contextId")?);
    let status = Some(status(fields.required("status")?, protocol)?);
    Ok(TaskNews { task, context, whole: false, status, artifacts: Vec::new(), append: false })
}

fn artifact_update(value: &Value, protocol: A2aProtocol) -> Result<TaskNews, A2aError> {
    let fields = A2aFields::open(value, "an artifact update")?;
    let (task, context) = (fields.required_text("taskId")?, fields.text("contextId")?);
    let artifacts = vec![piece(fields.required("artifact")?, protocol)?];
    Ok(TaskNews { task, context, whole: false, status: None, artifacts, append: fields.switch("append")? })
}

fn piece(value: &Value, protocol: A2aProtocol) -> Result<ArtifactPiece, A2aError> {
    let fields = A2aFields::open(value, "an artifact")?;
    Ok(ArtifactPiece {
        id: fields.required_text("artifactId")?,
        name: fields.text("name")?,
        parts: read_parts(fields.list("parts")?, protocol)?,
    })
}

fn read_parts(parts: &[Value], protocol: A2aProtocol) -> Result<Vec<A2aPart>, A2aError> {
    parts.iter().map(|part| A2aPart::read(part, protocol)).collect()
}
