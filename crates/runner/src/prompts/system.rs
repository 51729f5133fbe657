//! Records a system prompt, line by line.

use std::collections::BTreeMap;

use agentci_verdict::SystemPrompt;

use super::print::{FingerprintMaker, hash};

/// The maximum number of lines of a prompt that are kept separately; the rest is kept as one.
const LINES: usize = 2000;
/// The number of bytes that are kept verbatim, of a line and of a whole prompt: a baseline is a file that people read
/// and commit.
const LINE_TEXT: usize = 2000;
const PROMPT_TEXT: usize = 64 * 1024;

/// The system prompt of a request, if it has one.
pub(super) fn of(text: &str, printer: &FingerprintMaker<'_>) -> Option<SystemPrompt> {
    if text.trim().is_empty() {
        return None;
    }
    // A key may span several lines.
    let clean = printer.secrets.text(text);
    let mut rest = clean.lines();
    let mut texts: Vec<String> = rest.by_ref().take(LINES).map(|line| line.trim_end().to_owned()).collect();
    let more: Vec<&str> = rest.collect();
    let last_is = (!more.is_empty()).then_some(more.len());
    if last_is.is_some() {
        texts.push(more.join("\n"));
    }
    let (mut lines, mut times, mut ids) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut kept = 0;
    for (number, text) in texts.iter().enumerate() {
        let print = printer.text(text);
        ids.push(print.id());
        let whole = number < LINES && kept < PROMPT_TEXT;
        let text = if whole { &print.shown[..print.shown.floor_char_boundary(LINE_TEXT)] } else { "" };
        kept += text.len();
        lines.push(if whole { format!("{} {text}", print.hash) } else { print.hash });
        if !print.times.is_empty() {
            times.insert(number.to_string(), print.times);
        }
    }
    Some(SystemPrompt { id: hash(&ids.join("\n")), lines, times, last_is })
}
