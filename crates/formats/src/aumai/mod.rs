//! The `aumai` dialect: tests of what a model answers, with the answers written down.
//!
//! ```yaml
//! tests:
//!   - name: greets
//!     input_messages: [{ role: user, content: Hello }]
//!     expected_behavior: { contains_text: hello, max_tokens: 50, no_pii: true }
//! ```
//!
//! A file holds a list under `tests`, a list, or one test. A folder of such files is one suite: its tests are answered in turn by
//! the scripted model of `mock_config.yaml`, in the order of the files' paths. Unknown expectations, expectations of a wrong type
//! and list entries that are no tests refuse the suite; other unknown keys are warned about.

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

/// The largest test file that is read, in bytes.
pub const MAX_YAML_SIZE: u64 = document::SIZE_LIMIT;

/// The tree of a test file of at most `max_size` bytes. Its text is in the sources afterwards.
pub fn open(files: &dyn Files, sources: &mut Sources, path: &Path, max_size: u64) -> Result<Node, Diagnostic> {
    document::open(files, sources, path, max_size)
}

/// The YAML files at or below a folder that are searched for tests, in the order of their paths.
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

/// Whether a file scripts a model rather than being tests.
pub fn is_mock_config(root: &Node) -> bool {
    shape(root) == AumaiFile::MockConfig
}

/// All tests of a file, and what is wrong with it.
pub fn read_all(root: &Node) -> (Vec<Test>, Diagnostics) {
    let mut problems = Diagnostics::default();
    let tests = tests(root, &mut problems).iter().filter_map(|node| read(node, &mut problems)).collect();
    (tests, problems)
}
