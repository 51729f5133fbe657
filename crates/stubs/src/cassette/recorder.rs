//! Records tool calls.

use std::io;
use std::path::{Path, PathBuf};

use agentci_trace::Redactor;
use serde_json::{Value, json};

/// The calls of one attempt; they are written when it has ended.
#[derive(Debug)]
pub struct CassetteRecorder {
    path: PathBuf,
    calls: Vec<RecordedCall>,
}

#[derive(Debug)]
struct RecordedCall {
    tool: String,
    args: Value,
    /// The result, or the error of the tool.
    answer: Result<Value, String>,
}

impl CassetteRecorder {
    /// Starts a recording for a file; nothing is written yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), calls: Vec::new() }
    }

    /// Adds a call and its answer, with the exact arguments.
    pub fn add(&mut self, tool: &str, args: &Value, answer: Result<&Value, &str>) {
        let answer = answer.cloned().map_err(str::to_owned);
        self.calls.push(RecordedCall { tool: tool.to_owned(), args: args.clone(), answer });
    }

    /// Replaces the recording file atomically. A value that is secret anywhere in the recording is redacted everywhere
    /// in it, such as a token that one call returns and the next one sends.
    pub fn save(self, secrets: &Redactor) -> io::Result<()> {
        let mut secrets = secrets.clone();
        for call in &self.calls {
            secrets.learn(&call.args);
            if let Ok(result) = &call.answer {
                secrets.learn(result);
            }
        }
        let mut text = String::new();
        for call in self.calls {
            text.push_str(&entry(call, &secrets).to_string());
            text.push('\n');
        }
        replace_file(&self.path, &text)
    }
}

fn entry(mut call: RecordedCall, secrets: &Redactor) -> Value {
    secrets.value(&mut call.args);
    let RecordedCall { tool, args, answer } = call;
    match answer {
        Ok(mut result) => {
            secrets.value(&mut result);
            json!({ "tool": tool, "args": args, "ok": true, "result": result })
        }
        Err(error) => json!({ "tool": tool, "args": args, "ok": false, "error": secrets.text(&error) }),
    }
}

/// Replaces a file atomically; missing parent folders are created.
pub fn replace_file(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    // A link is kept; the file that it points at is replaced.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let mut aside = path.file_name().unwrap_or_default().to_os_string();
    aside.push(format!(".{}.tmp", std::process::id()));
    let aside = folder.join(aside);
    let written = fs_err::write(&aside, contents).and_then(|()| fs_err::rename(&aside, &path));
    if written.is_err() {
        let _ = fs_err::remove_file(&aside);
    }
    written
}
