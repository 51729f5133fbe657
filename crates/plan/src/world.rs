//! What the agent's tools and model meet.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Span, Spanned};

/// What stands in for the world around the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Where answers to tool calls come from.
    pub tools: ToolSource,
    /// The tools that may be called; any when absent.
    pub allowed: Option<Arc<[Spanned<String>]>>,
}

/// Where answers to tool calls come from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolSource {
    /// There are none: a call is an answer that is missing.
    None,
    /// A recording.
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
