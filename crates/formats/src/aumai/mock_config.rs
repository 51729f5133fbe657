//! Reads `mock_config.yaml`, the scripted model that answers the tests.

use std::path::{Path, PathBuf};

use agentci_plan::MockScript;
use agentci_source::shape::{Shape, UnknownKeys};
use agentci_source::{FileKind, Files, Severity, Span, join};

use crate::document::Loading;
use crate::mock_script;

/// The file names of a script in the folder of the tests.
const NAMES: [&str; 2] = ["mock_config.yaml", "mock_config.yml"];

pub(crate) static CONFIG: Shape =
    Shape::new("a mock configuration", "The scripted model that answers the tests.", mock_script::SCRIPT)
        .with(&[&[mock_script::LAX_RESPONSES], mock_script::MANNER])
        .unknown(UnknownKeys::Warned);

pub(super) fn is_named_so(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| NAMES.contains(&name))
}

/// The path of the script in a folder, if it has one.
pub(super) fn beside(files: &dyn Files, folder: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| join(folder, name)).find(|path| files.kind(path) == Some(FileKind::File))
}

/// Reads a script and its span; `None` if it is invalid.
pub(super) fn open(path: &Path, loading: &mut Loading<'_>) -> Option<(MockScript, Span)> {
    let root = loading.open(path);
    let root = loading.report(root)?;
    let script = CONFIG.read(&root, loading.problems, |fields| mock_script::script(fields, Severity::Warning))?;
    Some((script, root.span))
}
