//! Reads recordings and looks up calls in them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{FaultKind, RecordedNumbers};
use agentci_protocols::{NotAnObjectError, ObjectFields};
use agentci_source::{FileError, Files, parse_duration};
use agentci_trace::{Redactor, canonical, same_value, sha256, value_key};
use serde_json::Value;

use crate::{closest::Same, wildcard};

/// Maximum size of a recording in bytes.
const TAPE_LIMIT: u64 = 512 << 20;

/// One recorded call and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TapeEntry {
    /// The line of the entry, from 1.
    pub line: usize,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, an object.
    pub args: Value,
    /// Whether the call succeeded.
    pub ok: bool,
    pub result: Arc<Value>,
    /// The error message of the tool.
    pub error: Option<String>,
    /// The fault to inject into the call.
    pub fault: Option<FaultKind>,
}

/// A recording, indexed by call.
#[derive(Debug, Clone)]
pub struct Tape {
    path: PathBuf,
    sha256: String,
    entries: Vec<TapeEntry>,
    by_call: HashMap<CallKey, Vec<usize>>,
    redactor: Redactor,
    numbers: RecordedNumbers,
}

/// Why a recording cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TapeError {
    /// The file cannot be read.
    #[error("the cassette `{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        reason: FileError,
    },
    /// A line is not a valid entry.
    #[error("line {line} of the cassette `{}` is invalid: {reason}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1; 1 if it is not known.
        column: usize,
        reason: String,
    },
}

impl TapeError {
    /// How to fix it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => {
                "record it with `agentci record`, or correct the path: it is relative to the suite's folder"
            }
            Self::BadLine { .. } => "each line is one JSON object with `tool`, `args`, `ok` and `result` or `error`",
        }
    }
}

impl Tape {
    /// Reads a recording. Both sides of a comparison are redacted, so that a call recorded without its secrets still
    /// matches.
    pub fn load(
        files: &dyn Files,
        path: &Path,
        redactor: &Redactor,
        numbers: RecordedNumbers,
    ) -> Result<Self, TapeError> {
        let bytes = files
            .read(path, TAPE_LIMIT)
            .map_err(|reason| TapeError::Unreadable { path: path.to_path_buf(), reason })?;
        Self::parse(path, &bytes, redactor, numbers)
    }

    fn parse(path: &Path, bytes: &[u8], redactor: &Redactor, numbers: RecordedNumbers) -> Result<Self, TapeError> {
        let sha256 = sha256(bytes);
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut entries: Vec<TapeEntry> = Vec::new();
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let number = index + 1;
            let entry = entry(line, number).map_err(|(column, reason)| TapeError::BadLine {
                path: path.to_path_buf(),
                line: number,
                column,
                reason,
            })?;
            entries.push(entry);
        }
        let (by_call, redactor) = (HashMap::new(), redactor.clone());
        let mut tape = Self { path: path.to_path_buf(), sha256, entries, by_call, redactor, numbers };
        let keys: Vec<CallKey> = tape.entries.iter().map(|entry| tape.key(&entry.tool, &entry.args)).collect();
        for (index, key) in keys.into_iter().enumerate() {
            tape.by_call.entry(key).or_default().push(index);
        }
        Ok(tape)
    }

    /// The file it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The SHA-256 of the file, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// All entries, in order.
    pub fn entries(&self) -> &[TapeEntry] {
        &self.entries
    }

    /// The key under which a call is indexed.
    pub(super) fn key(&self, tool: &str, args: &Value) -> CallKey {
        let args = self.redactor.clean(args);
        let args = match self.numbers {
            RecordedNumbers::ByValue => value_key(&args),
            RecordedNumbers::AsWritten => canonical(&args),
        };
        (tool.to_owned(), args)
    }

    /// The entries that match a call except for redacted secrets, by index.
    pub(super) fn fitting(&self, tool: &str, args: &Value) -> Vec<usize> {
        let fits = |entry: &TapeEntry| entry.tool == tool && wildcard::fits(&entry.args, args, self.same());
        (0..self.entries.len()).filter(|index| fits(&self.entries[*index])).collect()
    }

    /// How two arguments are compared.
    pub(super) fn same(&self) -> Same {
        match self.numbers {
            RecordedNumbers::ByValue => same_value,
            RecordedNumbers::AsWritten => |one, other| canonical(one) == canonical(other),
        }
    }

    /// A value with its secrets redacted, as it is compared.
    pub(super) fn redacted<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        self.redactor.clean(value)
    }

    /// The entries that match a call exactly, by index.
    pub(super) fn matching(&self, key: &CallKey) -> &[usize] {
        self.by_call.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The tool, and its arguments in canonical form.
pub(super) type CallKey = (String, String);

fn entry(line: &[u8], number: usize) -> Result<TapeEntry, (usize, String)> {
    let line = str::from_utf8(line).map_err(|wrong| (wrong.valid_up_to() + 1, "it is not UTF-8 text".into()))?;
    let mut fields = ObjectFields::read(line).map_err(|error| match &error {
        NotAnObjectError::Json(wrong) => (wrong.column().max(1), error.words(line)),
        NotAnObjectError::Other => (1, "an entry must be an object".into()),
    })?;
    let Value::String(tool) = need(&mut fields, "tool")? else { return Err((1, "`tool` must be a string".into())) };
    let args = need(&mut fields, "args")?;
    if !args.is_object() {
        return Err((1, "`args` must be an object".into()));
    }
    let Value::Bool(ok) = need(&mut fields, "ok")? else { return Err((1, "`ok` must be true or false".into())) };
    let result = fields.take("result").unwrap_or_default().into();
    let error = match fields.take("error") {
        Some(Value::String(error)) => Some(error),
        _ => None,
    };
    let fault = fields.take("fault").map(|fault| self::fault(&fault)).transpose().map_err(|why| (1, why))?;
    Ok(TapeEntry { line: number, tool, args, ok, result, error, fault })
}

/// `{"error": ".."}`, `{"delay": "2s"}`, `"malformed"`, `"truncated"` or `"hang"`.
fn fault(value: &Value) -> Result<FaultKind, String> {
    match (value.as_str(), value["error"].as_str(), value["delay"].as_str()) {
        (Some("malformed"), ..) => Ok(FaultKind::Malformed),
        (Some("truncated"), ..) => Ok(FaultKind::Truncated),
        (Some("hang"), ..) => Ok(FaultKind::Hang),
        (None, Some(words), None) => Ok(FaultKind::Error(words.to_owned())),
        (None, None, Some(time)) => parse_duration(time).map(FaultKind::Delay),
        _ => Err(r#"`fault` is {"error": ".."}, {"delay": "2s"}, "malformed", "truncated" or "hang""#.into()),
    }
}

fn need(fields: &mut ObjectFields<'_>, name: &str) -> Result<Value, (usize, String)> {
    fields.take(name).ok_or_else(|| (1, format!("the field `{name}` is missing")))
}

#[cfg(test)]
mod tests {
    use agentci_source::MemoryFiles;

    use super::*;

    fn load(text: &str) -> Result<Tape, TapeError> {
        Tape::load(
            &MemoryFiles::default().with("t.jsonl", text),
            Path::new("t.jsonl"),
            &Redactor::default(),
            RecordedNumbers::ByValue,
        )
    }

    #[test]
    fn unicode_line_separators_do_not_split_entries() {
        let text = "{\"tool\":\"a\",\"args\":{\"q\":\"x\u{2028}y\u{85}z\"},\"ok\":true}\r\n\n";
        let tape = load(text).unwrap();
        assert_eq!(tape.entries().len(), 1);
        assert_eq!(tape.entries()[0].args["q"], "x\u{2028}y\u{85}z");
        assert_eq!(*tape.entries()[0].result, Value::Null);
    }

    #[test]
    fn reports_invalid_line_with_reason() {
        let good = r#"{"tool":"a","args":{},"ok":true,"extra":1}"#;
        for (bad, why) in [
            ("{\"tool\":", "it is not JSON"),
            ("[]", "an entry must be an object"),
            (r#"{"args":{},"ok":true}"#, "the field `tool` is missing"),
            (r#"{"tool":"a","args":[],"ok":true}"#, "`args` must be an object"),
            (r#"{"tool":"a","args":{},"ok":"yes"}"#, "`ok` must be true or false"),
            (r#"{"tool":"a","args":{},"ok":true,"fault":"boom"}"#, "`fault` is "),
        ] {
            let error = load(&format!("{good}\n{bad}\n")).unwrap_err();
            let TapeError::BadLine { line, reason, .. } = error else { panic!("{error}") };
            assert_eq!(line, 2);
            assert!(reason.starts_with(why), "{reason}");
        }
        assert!(matches!(
            Tape::load(&MemoryFiles::default(), Path::new("none"), &Redactor::default(), RecordedNumbers::ByValue),
            Err(TapeError::Unreadable { reason: FileError::Missing, .. })
        ));
    }
}
