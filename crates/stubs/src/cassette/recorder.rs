//! Making a recording.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The calls of one attempt, to be written when it is over.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    lines: String,
}

impl Recorder {
    /// Begins a recording for a file; nothing is written yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), lines: String::new() }
    }

    /// Adds a call and its answer, with the exact arguments.
    pub fn add(&mut self, tool: &str, args: &Value, ok: bool, result: &Value, error: Option<&str>) {
        let mut entry = Map::new();
        entry.insert("tool".into(), tool.into());
        entry.insert("args".into(), args.clone());
        entry.insert("ok".into(), ok.into());
        if ok {
            entry.insert("result".into(), result.clone());
        } else {
            entry.insert("error".into(), error.unwrap_or_default().into());
        }
        self.lines.push_str(&Value::Object(entry).to_string());
        self.lines.push('\n');
    }

    /// Puts the recording in the place of the former one, whole or not at all.
    pub fn save(self) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs_err::create_dir_all(folder)?;
        let mut aside = self.path.file_name().unwrap_or_default().to_os_string();
        aside.push(format!(".{}.tmp", std::process::id()));
        let aside = folder.join(aside);
        let written = fs_err::write(&aside, self.lines).and_then(|()| fs_err::rename(&aside, &self.path));
        if written.is_err() {
            let _ = fs_err::remove_file(&aside);
        }
        written
    }
}
