//! Finds functions by their dotted names.

use std::path::PathBuf;

use agentci_source::{FileKind, join};

use super::app::App;
use super::folders;

/// A function and its file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FunctionReference {
    pub(super) file: PathBuf,
    pub(super) name: String,
}

/// Finds a function by a name such as `scripts.test.Check` (in `scripts/test.ts` of the application) or
/// `agents.keyword.check.Length` (in `src/check.ts` of an assistant).
pub(super) fn function(app: &App<'_>, written: &str) -> Result<FunctionReference, String> {
    let parts: Vec<&str> = written.split('.').collect();
    let good = |part: &&str| !part.is_empty() && !part.contains(['/', '\\']);
    let wrong = || format!("`{written}` is not a function name: expected `scripts.<path>.<Function>`");
    if !parts.iter().all(good) {
        return Err(wrong());
    }
    let (base, name) = match parts.as_slice() {
        ["scripts", path @ .., name] if !path.is_empty() => (join(&join(&app.root, "scripts"), &path.join("/")), *name),
        ["agents", id @ .., module, name] if !id.is_empty() => {
            let folder = folders::folder_of(&app.root, &id.join(".")).ok_or_else(wrong)?;
            (join(&join(&folder, "src"), module), *name)
        }
        _ => return Err(wrong()),
    };
    let endings = ["ts", "js"].map(|ending| base.with_file_name(format!("{}.{ending}", last(&base))));
    let file = endings.iter().find(|file| app.files.kind(file) == Some(FileKind::File));
    match file {
        Some(file) => Ok(FunctionReference { file: file.clone(), name: name.to_owned() }),
        None => Err(format!("file `{}` does not exist", endings[0].display())),
    }
}

fn last(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
