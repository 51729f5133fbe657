//! The `aumai` dialect: tests of a model's answers, with scripted answers.
//!
//! ```yaml
//! tests:
//!   - name: greets
//!     input_messages: [{ role: user, content: Hello }]
//!     expected_behavior: { contains_text: hello, max_tokens: 50, no_pii: true }
//! ```
//!
//! A file contains a list under `tests`, a list, or one test. A folder of such files is one suite: the scripted model
//! of `mock_config.yaml` answers its tests in turn, in the order of the files' paths. Unknown expectations,
//! expectations of the wrong type and list items that are not tests reject the suite; other unknown keys are warnings.

mod expected;
mod finder;
mod lower;
mod mock_config;
mod shape;
mod test;

use std::path::{Path, PathBuf};

use agentci_source::{Diagnostic, Diagnostics, Files, Node, Sources};

pub use expected::{ALLOWED, checks};
pub(crate) use finder::FRONT_END;
pub(crate) use lower::{Documents, lower};
pub(crate) use mock_config::CONFIG;
pub use shape::tests;
pub(crate) use shape::{AumaiFile, FILE, has_tests, shape};
pub use test::{Test, read};

use crate::document;
use crate::search::{FOLDER_LIMIT, look};

/// The default size limit of a test file, in bytes.
pub const MAX_YAML_SIZE: u64 = document::SIZE_LIMIT;

/// Parses a test file of at most `max_size` bytes and adds its text to the sources.
pub fn open(files: &dyn Files, sources: &mut Sources, path: &Path, max_size: u64) -> Result<Node, Diagnostic> {
    document::open(files, sources, path, max_size)
}

/// The YAML files at or below a folder that may contain tests, sorted by path.
pub fn files_below(files: &dyn Files, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    let mut searched = 0;
    while let Some(folder) = folders.pop() {
        searched += 1;
        if searched > FOLDER_LIMIT {
            break;
        }
        let entries = files.list(&folder).unwrap_or_default();
        let look = look(files, &folder, entries, |_, _| false);
        found.extend(look.candidates.into_iter().map(|(path, _)| path).chain(look.others));
        folders.extend(look.folders);
    }
    found.sort();
    found
}

/// Whether a file is the script of a model, not a file of tests.
pub fn is_mock_config(root: &Node) -> bool {
    shape(root) == AumaiFile::MockConfig
}

/// All tests of a file, and its problems.
pub fn read_all(root: &Node) -> (Vec<Test>, Diagnostics) {
    let mut problems = Diagnostics::default();
    let tests = tests(root, &mut problems).iter().filter_map(|node| read(node, &mut problems)).collect();
    (tests, problems)
}
