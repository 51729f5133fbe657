//! The path of a test's recording.

use std::path::{Component, Path, PathBuf};

use agentci_source::{FileKind, join, relative};

use super::target::SuiteFolder;

/// The path of a test's recording: the path of the test relative to the config, in the folder of recordings. The path
/// of a test outside the config's folder is flattened to one file name.
pub(super) fn path(place: SuiteFolder<'_>, recordings: &str, test: &Path) -> PathBuf {
    let from = relative(place.folder, test);
    let within = from.components().all(|part| matches!(part, Component::Normal(_)));
    let name = if within { from.to_string_lossy().into_owned() } else { flat(&from) };
    // If `a.yaml` exists too, `a.yml` needs a separate recording.
    let twin = test.extension().is_some_and(|extension| extension == "yml")
        && place.files.kind(&test.with_extension("yaml")) == Some(FileKind::File);
    let name = match name.rsplit_once('.') {
        Some((stem, _)) if !twin && test.extension().is_some() => format!("{stem}.jsonl"),
        _ => format!("{name}.jsonl"),
    };
    join(&join(place.folder, recordings), &name)
}

fn flat(path: &Path) -> String {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    #[test]
    fn recording_path_stays_within_the_recordings_folder() {
        let files = MemoryFiles::default().with("p/t/a.yaml", "").with("p/t/a.yml", "");
        for (folder, test, found) in [
            ("p", "p/t/checkout.test.yaml", "p/recordings/t/checkout.test.jsonl"),
            ("p", "p/t/a.yaml", "p/recordings/t/a.jsonl"),
            ("p", "p/t/a.yml", "p/recordings/t/a.yml.jsonl"),
            ("p", "p/b.yml", "p/recordings/b.jsonl"),
            ("p", "p/no-extension", "p/recordings/no-extension.jsonl"),
            ("p", "other/x.yaml", "p/recordings/other-x.jsonl"),
            ("p", "/abs/x.yaml", "p/recordings/abs-x.jsonl"),
            (".", "t/x.yaml", "recordings/t/x.jsonl"),
            ("..", "t/x.yaml", "../recordings/t/x.jsonl"),
        ] {
            let place = SuiteFolder { files: &files, folder: Path::new(folder) };
            assert_eq!(path(place, "recordings", Path::new(test)), PathBuf::from(found), "{test}");
        }
    }
}
