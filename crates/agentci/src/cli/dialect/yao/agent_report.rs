//! An assistant that writes the report: `agentci run -i tests/inputs.jsonl -r report.beautiful -o report.html`.
//!
//! It is sent one message, whose content is JSON, and its answer is the report:
//!
//! ```json
//! {"report": {"summary": {}, "results": []}, "format": "html", "options": {"verbose": false}}
//! ```
//!
//! The built-in report is written first, and stays if the assistant fails.

use std::path::{Path, PathBuf};

use agentci::ledger::write_whole;
use agentci::report::{Buffer, Reporter, YaoDocument, printable};
use agentci::runner::Stop;
use agentci::{Settings, Suites};
use serde_json::{Value, json};

use crate::cli::CliContext;

/// The reports of a suite that an assistant writes.
pub(crate) struct AgentReport {
    /// The ID of the assistant.
    agent: String,
    /// The files to write.
    paths: Vec<PathBuf>,
    /// The report that is sent to the assistant, complete when the run is over.
    document: Buffer,
}

impl AgentReport {
    /// Creates the reports that the assistant writes to these files, and the reporter for the report that it is sent.
    pub(in super::super) fn new(agent: String, paths: Vec<PathBuf>) -> (Self, Box<dyn Reporter>) {
        let document = Buffer::default();
        let report = YaoDocument::new(document.output());
        (Self { agent, paths, document }, Box::new(report))
    }

    /// Lets the assistant, which the suite at `position` names, write every report. Returns false if it could not.
    pub(crate) async fn write(
        self,
        (suites, position): (&Suites, usize),
        settings: &Settings,
        verbose: bool,
        stop: &Stop,
        context: &CliContext,
    ) -> bool {
        let Ok(report) = serde_json::from_slice::<Value>(&self.document.take()) else {
            context.say("warning: an output is nested too deeply to send to an assistant; using built-in reports\n");
            return false;
        };
        let mut written = true;
        for path in self.paths {
            let message = message(&report, &path, verbose);
            let answer = suites.ask(position, &self.agent, message, settings, stop).await;
            let outcome = match answer {
                Ok(answer) => save(&answer, &path),
                Err(trouble) => Err((trouble.message, trouble.help)),
            };
            if let Err((trouble, help)) = outcome {
                let help = help.map(|help| format!("help: {help}\n")).unwrap_or_default();
                let shown = path.display();
                let words = format!("warning: {trouble}; `{shown}` contains the built-in report\n{help}");
                context.say(&printable(&context.without_secrets(&words)));
                written = false;
            }
        }
        written
    }
}

/// The message to the assistant.
fn message(report: &Value, path: &Path, verbose: bool) -> String {
    let options = json!({ "verbose": verbose, "include_inputs": verbose, "include_outputs": verbose });
    json!({ "report": report, "format": format(path), "options": options }).to_string()
}

/// The report format of a path, by its extension.
fn format(path: &Path) -> String {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "md" | "markdown" => "markdown".into(),
        "html" | "htm" => "html".into(),
        "txt" | "" => "text".into(),
        _ => extension,
    }
}

fn save(answer: &Value, path: &Path) -> Result<(), (String, Option<String>)> {
    let text = match answer {
        Value::Null => String::new(),
        Value::String(text) => unfenced(text).to_owned(),
        other => format!("{other:#}"),
    };
    if text.trim().is_empty() {
        return Err(("the reporter's answer is empty".into(), None));
    }
    write_whole(path, text.as_bytes()).map_err(|error| (format!("the report could not be written: {error}"), None))
}

/// A text without a code fence around all of it, which models often add.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("```").and_then(|rest| {
        let (info, rest) = rest.split_once('\n')?;
        let inner = rest.strip_suffix("```")?;
        let ends_line = inner.is_empty() || inner.ends_with('\n');
        (ends_line && !info.contains('`')).then_some(inner)
    });
    match inner {
        Some(inner) if is_whole(inner) => inner,
        _ => text,
    }
}

/// Whether all code fences in a text are balanced. An opening fence names a language.
fn is_whole(text: &str) -> bool {
    let mut open = false;
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("```")) {
        match (open, line.trim().is_empty()) {
            (false, true) => return false,
            (false, false) => open = true,
            (true, true) => open = false,
            (true, false) => {}
        }
    }
    !open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_only_a_fence_around_the_whole_text() {
        assert_eq!(unfenced("```html\n<p>1</p>\n```\n"), "<p>1</p>\n");
        assert_eq!(unfenced("```\n\n```"), "\n");
        assert_eq!(unfenced("```md\n# T\n```json\n{}\n```\nend\n```"), "# T\n```json\n{}\n```\nend\n");
        for kept in [
            "<p>1</p>\n",
            "Here:\n```html\n<p>\n```",
            "```js\na\n```\nand\n```js\nb\n```",
            "```html\nnever closed",
            "```a``` and ```b```",
        ] {
            assert_eq!(unfenced(kept), kept);
        }
    }

    #[test]
    fn infers_format_from_file_extension() {
        let format = |path: &str| format(Path::new(path));
        assert_eq!(
            [format("a.md"), format("a.HTM"), format("a.json"), format("a.txt")],
            ["markdown", "html", "json", "text"]
        );
        let told: Value = serde_json::from_str(&message(&json!({"results": []}), Path::new("r.md"), true)).unwrap();
        assert_eq!(told["format"], "markdown");
        assert_eq!(told["options"], json!({"verbose": true, "include_inputs": true, "include_outputs": true}));
    }
}
