//! The case files of a suite: those of its cases folder that end in `.yaml`.

use std::path::{Path, PathBuf};

use agentci_source::{Diagnostic, Diagnostics, FileError, FileKind, Files, Spanned, join};

/// The case files in the order they run; a folder without any is an error at the line that names it.
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
                FileError::Missing => format!("there is no folder `{}`", folder.display()),
                error @ (FileError::TooLarge { .. } | FileError::Other(_)) => {
                    format!("can not list the folder `{}`: {error}", folder.display())
                }
            };
            let help = "`cases_path` is relative to the folder of the suite file";
            problems.error(written.span, message, "the cases are looked for here").help(help);
            return None;
        }
    };
    let (mut names, mut unread) = (Vec::new(), Vec::new());
    // A name that begins with a dot is an editor's or the system's own file.
    for entry in entries.into_iter().filter(|entry| !entry.name.starts_with('.')) {
        match (&entry.kind, entry.name.rsplit_once('.').map(|(_, ending)| ending)) {
            (FileKind::File, Some("yaml")) => names.push(entry.name),
            (FileKind::File, Some("yml")) => unread.push(entry.name),
            (FileKind::Unusable(_), Some("yaml")) => {
                let message = format!("`{}` cannot be read", join(folder, &entry.name).display());
                let label = "a case in this folder is a link that leads nowhere, or its name is not UTF-8";
                problems.error(written.span, message, label).help("fix or remove the file");
            }
            _ => {}
        }
    }
    if !unread.is_empty() {
        problems.push(unread_warning(&unread, folder, written));
    }
    if names.is_empty() {
        let message = format!("the folder `{}` holds no `.yaml` file", folder.display());
        let help = "add a file for each case, with `id`, `input` and `cassette`";
        problems.error(written.span, message, "no case is found here").help(help);
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
        1 => format!("{} in `{}` is not read", named.join(", "), folder.display()),
        count => format!("{count} files in `{}` are not read: {}", folder.display(), named.join(", ")),
    };
    Diagnostic::warning(written.span, message)
        .label("only `.yaml` files are cases")
        .help("rename to `.yaml` what is meant as a case")
}
