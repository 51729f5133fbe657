//! The files that a case names, and the one name that paths are compared by.

use std::path::{Path, PathBuf};

use agentci::plan::{Case, ToolSource};
use agentci::source::join;

/// Where what a case meets is recorded.
pub(super) fn recorded(case: &Case) -> Vec<PathBuf> {
    let cassette = match &case.world.tools {
        ToolSource::Cassette(cassette) => Some(&cassette.path),
        ToolSource::None | ToolSource::Routes(_) => None,
    };
    let recordings = case.world.recording.iter().chain(&case.world.recorded_model).map(|recording| &recording.path);
    cassette.into_iter().chain(recordings).map(|path| absolute(path)).collect()
}

/// The one name of a path that everything is compared by.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    join(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()), "")
}
