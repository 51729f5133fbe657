//! A suite and a turn with default settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agentci_plan::{Cases, Dialect, FormatConventions, Gates, Limits, Mode, Redaction, Suite, Turn, TurnInput};
use agentci_source::Span;

/// A suite without cases and with default settings.
pub(crate) fn new_suite(
    name: String,
    (dialect, conventions): (Dialect, FormatConventions),
    path: PathBuf,
    folder: PathBuf,
    span: Span,
) -> Suite {
    Suite {
        name,
        dialect,
        conventions,
        path,
        folder,
        span,
        mode: Mode::default(),
        output_dir: None,
        redact: Redaction::default(),
        gates: Gates::default(),
        exclude: Vec::new(),
        agent_folder: None,
        agents: Vec::new(),
        embedder: None,
        prices: BTreeMap::new(),
        cases: Cases::new(),
    }
}

/// A turn without checks and limits.
pub(crate) fn plain_turn(said: TurnInput, span: Span) -> Turn {
    Turn { said, checks: Turn::no_checks(), limits: Limits::none(), span }
}
