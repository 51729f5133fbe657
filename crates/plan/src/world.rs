//! What the agent's tools and model meet.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Fault, LiveTools, ModelWorld, Normalization, Span, Spanned};

/// What stands in for the world around the agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct World {
    /// The scripted model that answers the agent; none when absent.
    pub model: Option<ModelWorld>,
    /// Where recorded answers to tool calls are kept.
    pub tools: ToolSource,
    /// The tools that may be called; any when absent.
    pub allowed: Option<Arc<[Spanned<String>]>>,
    /// What is executed in record and live mode.
    pub live: Arc<LiveTools>,
    /// What is evened out in results.
    pub normalization: Arc<Normalization>,
    /// What goes wrong on purpose.
    pub faults: Arc<[Fault]>,
}

/// Where recorded answers to tool calls are kept.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum ToolSource {
    /// Nowhere: in replay a call has no answer.
    #[default]
    None,
    /// In a file.
    Cassette(Cassette),
}

/// A recording of tool calls and their answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cassette {
    /// The file.
    pub path: PathBuf,
    /// Where the suite names it.
    pub span: Span,
}
