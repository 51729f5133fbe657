//! Finds the folders of assistants and applications, and maps between folders and assistant ids.

use std::path::{Path, PathBuf};

use agentci_source::{FileKind, Files, join};

use crate::document::upward;

/// The file that marks the folder of an assistant.
pub(super) const PACKAGE: &str = "package.yao";

/// The folder that contains the assistants of an application.
const ASSISTANTS: &str = "assistants";

/// Files that mark the folder of an application.
const APP_FILES: [&str; 3] = ["app.yao", "app.json", "app.jsonc"];

/// Maximum number of folders to search upwards.
pub(super) const UP_LIMIT: usize = 64;

/// Maximum depth of folders to search.
const DEPTH_LIMIT: usize = 8;

/// Maximum number of folders to search; links can make a small tree endless.
const FOLDER_LIMIT: usize = 1_000;

/// The folder of the assistant that a folder belongs to.
pub(crate) fn assistant_of(files: &dyn Files, folder: &Path) -> Option<PathBuf> {
    upward(files, folder, UP_LIMIT).find(|folder| is_assistant(files, folder))
}

/// The folder of the assistant that a file is in. Only folders that the path names are searched.
pub(super) fn holding_assistant(files: &dyn Files, path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().skip(1).find(|folder| is_assistant(files, folder))?;
    Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_path_buf() })
}

/// Whether a folder belongs to an assistant or to an application.
pub(crate) fn belongs_to_app(files: &dyn Files, folder: &Path) -> bool {
    let says_so =
        |folder: &PathBuf| APP_FILES.iter().any(|name| files.kind(&join(folder, name)) == Some(FileKind::File));
    assistant_of(files, folder).is_some() || upward(files, folder, UP_LIMIT).any(|folder| says_so(&folder))
}

/// The application that a folder belongs to: the nearest folder with an application file, else with an `assistants`
/// folder.
pub(super) fn app_of(files: &dyn Files, folder: &Path) -> Option<PathBuf> {
    let holds = |folder: &PathBuf, name: &str, kind| files.kind(&join(folder, name)) == Some(kind);
    let says_so = |folder: &PathBuf| APP_FILES.iter().any(|name| holds(folder, name, FileKind::File));
    let has_assistants = |folder: &PathBuf| holds(folder, ASSISTANTS, FileKind::Folder);
    upward(files, folder, UP_LIMIT).find(says_so).or_else(|| upward(files, folder, UP_LIMIT).find(has_assistants))
}

/// The id of the assistant in a folder: the folder names below the first `assistants`, joined by dots, else its own
/// name.
pub(super) fn id_of(files: &dyn Files, folder: &Path, app: &Path) -> String {
    let mut names = Vec::new();
    for folder in upward(files, folder, UP_LIMIT).take_while(|folder| folder != app) {
        names.extend(files.name(&folder));
    }
    names.reverse();
    match names.iter().position(|name| name == ASSISTANTS) {
        Some(position) if position + 1 < names.len() => names.split_off(position + 1).join("."),
        _ => names.pop().or_else(|| files.name(folder)).unwrap_or_else(|| "assistant".into()),
    }
}

/// The folder of the assistant with an id, which need not exist. `None` if the id has an empty part or contains a
/// slash.
pub(super) fn folder_of(app: &Path, id: &str) -> Option<PathBuf> {
    let good = |part: &str| !part.is_empty() && !part.contains(['/', '\\']);
    id.split('.').all(good).then(|| join(&join(app, ASSISTANTS), &id.replace('.', "/")))
}

/// The existing folder of the assistant with an id, in `app` or in the application of the working directory.
pub(crate) fn known_folder(files: &dyn Files, app: Option<&Path>, id: &str) -> Option<PathBuf> {
    let app = app.map(Path::to_path_buf).or_else(|| app_of(files, Path::new(".")))?;
    folder_of(&app, id).filter(|folder| is_assistant(files, folder))
}

/// All files below a folder, each with the components of its relative path.
pub(super) fn files_below(files: &dyn Files, folder: PathBuf) -> Vec<(Vec<String>, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![(folder, Vec::new())];
    while let Some((folder, above)) = folders.pop() {
        for entry in files.list(&folder).unwrap_or_default() {
            let path = join(&folder, &entry.name);
            let names: Vec<String> = above.iter().cloned().chain([entry.name]).collect();
            match entry.kind {
                FileKind::Folder if names.len() <= DEPTH_LIMIT => folders.push((path, names)),
                FileKind::Folder | FileKind::Unusable(_) => {}
                FileKind::File => found.push((names, path)),
            }
        }
    }
    found
}

/// Whether a folder contains an assistant.
pub(super) fn is_assistant(files: &dyn Files, folder: &Path) -> bool {
    files.kind(&join(folder, PACKAGE)) == Some(FileKind::File)
}

/// The ids of an application's assistants, for the help of an error.
pub(super) fn known_ids(files: &dyn Files, app: &Path) -> Vec<String> {
    let mut ids = Vec::new();
    below(files, &join(app, ASSISTANTS), "", 0, &mut 0, &mut ids);
    ids
}

fn below(files: &dyn Files, folder: &Path, before: &str, depth: usize, searched: &mut usize, ids: &mut Vec<String>) {
    *searched += 1;
    if depth > DEPTH_LIMIT || *searched > FOLDER_LIMIT {
        return;
    }
    for entry in files.list(folder).unwrap_or_default() {
        if *searched <= FOLDER_LIMIT && entry.kind == FileKind::Folder && !entry.name.starts_with('.') {
            let id = if before.is_empty() { entry.name.clone() } else { format!("{before}.{}", entry.name) };
            let inner = join(folder, &entry.name);
            if is_assistant(files, &inner) {
                ids.push(id.clone());
            }
            below(files, &inner, &id, depth + 1, searched, ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn assistant_search_is_limited() {
        let package = |files: MemoryFiles, id: &str| files.with(format!("assistants/{id}/{PACKAGE}"), "{}");
        let deep = |levels: usize| vec!["a"; levels].join("/");
        let files = package(package(MemoryFiles::default(), &deep(DEPTH_LIMIT + 1)), &deep(DEPTH_LIMIT + 2));
        assert_eq!(known_ids(&files, Path::new("")), [deep(DEPTH_LIMIT + 1).replace('/', ".")]);
        let many =
            (0..2 * FOLDER_LIMIT).fold(MemoryFiles::default(), |files, number| package(files, &number.to_string()));
        assert_eq!(known_ids(&many, Path::new("")).len(), FOLDER_LIMIT);
    }

    #[test]
    fn parent_search_is_limited() {
        let deep = |levels: usize| vec!["a"; levels].join("/");
        let files = MemoryFiles::default().with("app.yao", "{}");
        assert_eq!(app_of(&files, Path::new(&deep(UP_LIMIT - 1))), Some(PathBuf::from(".")));
        assert_eq!(app_of(&files, Path::new(&deep(UP_LIMIT))), None);
    }

    #[test]
    fn ids_map_to_folders_and_back() {
        let files = MemoryFiles::default()
            .with("app/app.yao", "{}")
            .with("app/assistants/workers/system/keyword/package.yao", "{}")
            .with("app/assistants/workers/system/keyword/tests/inputs.jsonl", "")
            .with("lone/package.yao", "{}");
        let folder = assistant_of(&files, Path::new("app/assistants/workers/system/keyword/tests")).unwrap();
        let app = app_of(&files, &folder).unwrap();
        assert_eq!(app, Path::new("app"));
        assert_eq!(id_of(&files, &folder, &app), "workers.system.keyword");
        assert_eq!(folder_of(&app, "workers.system.keyword"), Some(folder));
        assert_eq!(id_of(&files, Path::new("lone"), Path::new("lone")), "lone");
        assert_eq!(known_ids(&files, &app), ["workers.system.keyword"]);
        for id in ["", ".", "..", "a..b", "a/../b"] {
            assert_eq!(folder_of(&app, id), None, "{id}");
        }
    }

    #[test]
    fn app_is_found_without_app_file() {
        let files = MemoryFiles::default().with("x/assistants/a/package.yao", "{}");
        assert_eq!(app_of(&files, Path::new("x/assistants/a")), Some("x".into()));
        assert_eq!(app_of(&MemoryFiles::default().with("a/package.yao", ""), Path::new("a")), None);
    }
}
