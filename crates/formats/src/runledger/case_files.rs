//! Finds the case files of a suite: the `.yaml` files in its cases folder.

use std::path::{Path, PathBuf};

use agentci_source::{Diagnostic, Diagnostics, FileError, FileKind, Files, Spanned, join};

/// The case files in the order they run. A folder without case files is an error at `cases_path`.
pub(super) fn find(
    files: &dyn Files,
    folder: &Path,
    written: &Spanned<String>,
    problems: &mut Diagnostics,
) -> Option<Vec<PathBuf>> {
    let entries = match files.list(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = match error {
                FileError::Missing => format!("folder `{}` does not exist", folder.display()),
                error @ (FileError::TooLarge { .. } | FileError::Other(_)) => {
                    format!("cannot list the folder `{}`: {error}", folder.display())
                }
            };
            let help = "`cases_path` is relative to the folder of the suite file";
            problems.error(written.span, message, "cases are read from here").help(help);
            return None;
        }
    };
    let (mut names, mut unread) = (Vec::new(), Vec::new());
    // Files whose names begin with a dot belong to editors or the system.
    for entry in entries.into_iter().filter(|entry| !entry.name.starts_with('.')) {
        match (&entry.kind, entry.name.rsplit_once('.').map(|(_, ending)| ending)) {
            (FileKind::File, Some("yaml")) => names.push(entry.name),
            (FileKind::File, Some("yml")) => unread.push(entry.name),
            (FileKind::Unusable(_), Some("yaml")) => {
                let message = format!("`{}` cannot be read", join(folder, &entry.name).display());
                let label = "a case in this folder is a broken link, or its name is not UTF-8";
                problems.error(written.span, message, label).help("fix or remove the file");
            }
            _ => {}
        }
    }
    if !unread.is_empty() {
        problems.push(unread_warning(&unread, folder, written));
    }
    if names.is_empty() {
        let message = format!("the folder `{}` contains no `.yaml` file", folder.display());
        let help = "add a file for each case, with `id`, `input` and `cassette`";
        problems.error(written.span, message, "no cases found here").help(help);
        return None;
    }
    names.sort_unstable();
    Some(names.iter().map(|name| join(folder, name)).collect())
}

fn unread_warning(unread: &[String], folder: &Path, written: &Spanned<String>) -> Diagnostic {
    let mut named: Vec<String> = unread.iter().take(3).map(|name| format!("`{name}`")).collect();
    if unread.len() > named.len() {
        named.push("...".into());
    }
    let message = match unread.len() {
        1 => format!("{} in `{}` is ignored", named.join(", "), folder.display()),
        count => format!("{count} files in `{}` are ignored: {}", folder.display(), named.join(", ")),
    };
    Diagnostic::warning(written.span, message)
        .label("only `.yaml` files are cases")
        .help("rename files that are cases to `.yaml`")
}
