//! Labelled pairs: a file with one JSON object per line.
//!
//! ```text
//! # What a customer may be told.
//! {"expected": "Your refund was approved.", "answer": "We approved it.", "same": true}
//! {"expected": "Your refund was approved.", "answer": "It was denied.", "same": false, "kind": "denials"}
//! ```

use std::path::Path;

use agentci::DiskFiles;
use agentci::source::Files as _;
use serde::Deserialize;

use super::super::CliError;

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 64 << 20;

/// What a line must look like.
const HELP: &str = "write `{\"expected\": \"..\", \"answer\": \"..\", \"same\": true}`, with an optional `kind`";

/// An expected text and an answer, and whether the answer is right.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelledAnswer {
    pub(super) expected: String,
    pub(super) answer: String,
    pub(super) same: bool,
    /// The group in which it is counted.
    pub(super) kind: Option<String>,
    /// The number of its line, from 1.
    #[serde(skip)]
    pub(super) line: usize,
}

/// Reads a file of labelled pairs. Blank lines and lines that begin with `#` are left out.
pub(super) fn read(path: &Path) -> Result<Vec<LabelledAnswer>, CliError> {
    let shown = path.display();
    let bytes = DiskFiles.read(path, FILE_LIMIT).map_err(|error| {
        CliError::new(format!("the pairs in `{shown}` cannot be read: {error}"), "pass a file with one pair per line")
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|error| CliError::new(format!("`{shown}` is not text: {error}"), "save it as UTF-8"))?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let pairs = lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let labels = pairs.map(|(at, line)| {
        label(line, at + 1).map_err(|(column, why)| {
            CliError::new(format!("{shown}:{}:{column}: not a labelled pair: {why}", at + 1), HELP)
        })
    });
    let labels: Vec<LabelledAnswer> = labels.collect::<Result<_, _>>()?;
    if labels.is_empty() {
        return Err(CliError::new(format!("`{shown}` contains no pairs"), HELP));
    }
    Ok(labels)
}

/// A pair from its line, or the column and the reason why it is none.
fn label(line: &str, number: usize) -> Result<LabelledAnswer, (usize, String)> {
    let label: LabelledAnswer = serde_json::from_str(line).map_err(|error| {
        let why = error.to_string();
        (error.column().max(1), why.split(" at line ").next().expect("a split has at least one part").to_owned())
    })?;
    if label.expected.trim().is_empty() {
        return Err((1, "`expected` is blank".to_owned()));
    }
    Ok(LabelledAnswer { line: number, ..label })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_oversized_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(FILE_LIMIT + 1).unwrap();
        let error = read(file.path()).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{}", error.message);
    }

    #[test]
    fn line_that_is_not_a_pair_is_refused_with_its_column() {
        assert_eq!(label(r#"{"expected":"a","answer":"","same":true}"#, 7).unwrap().line, 7);
        for (line, expected) in [
            (r#"{"expected":"a","answer":"b"}"#, "missing field `same`"),
            (r#"{"expected":"a","answer":"b","same":"yes"}"#, "invalid type: string \"yes\", expected a boolean"),
            (r#"{"expected":"a","answer":"b","same":true,"label":1}"#, "unknown field `label`"),
            (r#"{"expected":" ","answer":"b","same":true}"#, "`expected` is blank"),
            ("expected,answer,same", "expected value"),
        ] {
            let (column, why) = label(line, 1).unwrap_err();
            assert!(why.starts_with(expected) && column > 0, "{why}");
        }
    }
}
