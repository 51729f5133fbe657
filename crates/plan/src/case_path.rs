//! Paths that contain the id of their case.

use std::path::{Path, PathBuf};

/// The placeholder for the id of a case in the path of a cassette, a recording or a script.
pub const CASE_PLACEHOLDER: &str = "{case}";

/// The text of a path for a case.
pub fn path_of_case(path: &str, id: &str) -> String {
    path.replace(CASE_PLACEHOLDER, &file_name(id))
}

/// Whether a case with this id has a file name that differs from its id, so that another case may have the same.
pub fn changes_as_file_name(id: &str) -> bool {
    file_name(id) != id
}

/// A case's id as part of a file name; it cannot name another folder.
fn file_name(id: &str) -> String {
    let name: String = id.chars().map(|c| if c == '/' || c == '\\' || c.is_control() { '_' } else { c }).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

/// The path for a case, if it contains the placeholder.
pub(crate) fn filled_path(path: &Path, id: &str) -> Option<PathBuf> {
    let text = path.to_str().filter(|text| text.contains(CASE_PLACEHOLDER))?;
    Some(path_of_case(text, id).into())
}
