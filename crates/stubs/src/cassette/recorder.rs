//! Records tool calls.

use std::io;
use std::path::{Path, PathBuf};

use agentci_files::write_whole;
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
        write_whole(&self.path, text)
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
