//! `{case}` in the path of a cassette, a recording or a script: the id of the case as a part of a file name.

use std::collections::HashMap;

use agentci_source::{Diagnostics, Name, Span};

use super::settings::WorldSettings;

/// What stands for the id of a case.
const CASE: &str = "{case}";

/// Whether a path is another one for each case.
pub(super) fn is_per_case(path: &str) -> bool {
    path.contains(CASE)
}

/// The path of a case.
pub(super) fn of_case(path: &str, id: &str) -> String {
    path.replace(CASE, &file_name(id))
}

/// A case's id as a part of a file name: it can not lead to another folder.
fn file_name(id: &str) -> String {
    let name: String = id.chars().map(|c| if c == '/' || c == '\\' || c.is_control() { '_' } else { c }).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

/// The files that `{case}` led to so far, each with the case that it belongs to.
#[derive(Default)]
pub(super) struct FileNames {
    taken: HashMap<String, Name>,
}

impl FileNames {
    /// Takes the files of a case; an error where another case has one of them, since each would play the other's.
    pub(super) fn claim(
        &mut self,
        id: &Name,
        span: Span,
        own: &WorldSettings,
        common: &WorldSettings,
        problems: &mut Diagnostics,
    ) {
        for path in own.paths(common).filter(|path| is_per_case(path)) {
            let path = of_case(path, id);
            match self.taken.get(&path) {
                Some(first) if first != id => {
                    let (first, second) = (first.escape_debug(), id.escape_debug());
                    let message = format!("the cases `{first}` and `{second}` would share the file `{path}`");
                    let label = "`/`, `\\` and control characters are `_` in the name of a file";
                    let help = "rename one of the cases, or give one a path of its own";
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
