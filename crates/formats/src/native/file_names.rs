//! Replaces `{case}` in the path of a cassette, a recording or a script by the id of the case.

use std::collections::HashMap;

use agentci_plan::{CASE_PLACEHOLDER, path_of_case};
use agentci_source::{Diagnostics, Name, Span};

use super::settings::WorldSettings;

/// Whether a path differs from case to case.
pub(super) fn is_per_case(path: &str) -> bool {
    path.contains(CASE_PLACEHOLDER)
}

/// The files that `{case}` has produced so far, each with the case it belongs to.
#[derive(Default)]
pub(super) struct FileNames {
    taken: HashMap<String, Name>,
}

impl FileNames {
    /// Claims the files of a case. It is an error if another case has one of them, since each would replay the other's.
    pub(super) fn claim(
        &mut self,
        id: &Name,
        span: Span,
        own: &WorldSettings,
        common: &WorldSettings,
        problems: &mut Diagnostics,
    ) {
        for path in own.paths(common).filter(|path| is_per_case(path)) {
            let path = path_of_case(path, id);
            match self.taken.get(&path) {
                Some(first) if first != id => {
                    let (first, second) = (first.escape_debug(), id.escape_debug());
                    let message = format!("the cases `{first}` and `{second}` would share the file `{path}`");
                    let label = "`/`, `\\` and control characters become `_` in file names";
                    let help = "rename one of the cases, or set a different path for one of them";
                    problems.error(span, message, label).help(help);
                }
                Some(_) => {}
                None => {
                    self.taken.insert(path, id.clone());
                }
            }
        }
    }
}
