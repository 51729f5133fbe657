//! What a server knows, whoever asks: its script, which answers were given, and which calls wait for their client.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agentci_plan::mcp_script::Script;
use agentci_protocols::mcp::headers::{Mirrored, mirror};
use agentci_source::Span;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;

use crate::paused::Paused;
use crate::schemas::Schemas;
use crate::seen::Seen;

/// What a server knows.
#[derive(Debug)]
pub struct Mind {
    pub(crate) script: Arc<Script>,
    /// The schemas of the tools, in their order.
    pub(crate) schemas: Vec<Schemas>,
    /// Which answers of each tool were given.
    pub(crate) given: Mutex<Vec<Vec<bool>>>,
    /// Which arguments headers repeat.
    pub(crate) mirrored: Mirrored,
    paused: Mutex<Paused>,
    observer: Option<UnboundedSender<Seen>>,
}

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` of the tool `{tool}` is no schema: {reason}")]
pub struct SchemaError {
    /// The tool.
    pub tool: String,
    /// Which of its schemas.
    pub key: &'static str,
    /// What is wrong with it.
    pub reason: String,
    /// Where the tool stands.
    pub span: Span,
}

impl Mind {
    /// A server with this script; `observer` is told what it sees.
    pub fn new(script: Arc<Script>, observer: Option<UnboundedSender<Seen>>) -> Result<Self, SchemaError> {
        let schemas = script.tools.iter().map(Schemas::of).collect::<Result<Vec<_>, _>>()?;
        let given = script.tools.iter().map(|tool| vec![false; tool.answers.len()]).collect();
        let mut broken = None;
        let declared = script.tools.iter().map(|tool| named(&tool.name.value, &tool.declared)).collect();
        let (_, mirrored) = mirror(declared, |tool, reason| broken = Some((tool.to_owned(), reason)));
        if let Some((name, reason)) = broken {
            let tool = script.tools.iter().find(|tool| tool.name.value == name);
            if let Some(span) = tool.map(|tool| tool.name.span) {
                return Err(SchemaError { tool: name, key: "inputSchema", reason, span });
            }
        }
        Ok(Self { script, schemas, given: Mutex::new(given), mirrored, paused: Mutex::default(), observer })
    }

    pub(crate) fn paused(&self) -> MutexGuard<'_, Paused> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, seen: Seen) {
        if let Some(observer) = &self.observer {
            // Whoever listened may be gone.
            let _ = observer.send(seen);
        }
    }

    pub(crate) fn missed(&self, message: impl Into<String>) {
        self.tell(Seen::Miss { message: message.into() });
    }
}

/// An entry of a list: its name, and what else is said of it.
pub(crate) fn named(name: &str, declared: &Map<String, Value>) -> Value {
    let mut entry = Map::new();
    entry.insert("name".into(), name.into());
    entry.extend(declared.clone());
    Value::Object(entry)
}
