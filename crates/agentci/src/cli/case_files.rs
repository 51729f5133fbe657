//! The files that a case refers to, and the absolute form in which paths are compared.

use std::path::{Path, PathBuf};

use agentci::DiskFiles;
use agentci::plan::Case;
use agentci::source::Files as _;

pub(super) use crate::programs::{StartedCommand, agent_command};

/// The files that a case is recorded to.
pub(super) fn recorded(case: &Case) -> Vec<PathBuf> {
    crate::recording::written(case).map(|(_, path, _)| absolute(path)).collect()
}

/// The absolute form of a path, used in all comparisons.
pub(super) fn absolute(path: &Path) -> PathBuf {
    DiskFiles.absolute(path)
}
