//! Texts that are analysed, and code that is compiled.

use std::path::Path;

use agentci_embed::{contradictions, facts};
use agentci_plan::ScriptFile;
use agentci_script::ScriptProgram;
use agentci_source::Sources;
use agentci_source::yaml;
use agentci_trace::Redactor;

pub(crate) fn facts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (expected, answer) = text.split_once('\0').unwrap_or((&text, &text));
    let differences = facts::compare(expected, answer);
    let contradiction = contradictions::find(expected, answer);
    let same = differences.is_empty() && contradiction.is_none();
    assert!(expected != answer || same, "{text:?}: {differences:?} {contradiction:?}");
    facts::numbers(&text);
}

pub(crate) fn redact(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut redactor = Redactor::default();
    // A secret that is part of the placeholder is found there again.
    if let Some((secret, _)) = text.split_once('\0').filter(|(secret, _)| !secret.contains(['[', ']', 'R', 'E', 'D'])) {
        redactor.learn_value(secret);
    }
    let once = redactor.text(&text).into_owned();
    assert_eq!(redactor.text(&once), once);
    if let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&text) {
        redactor.value(&mut value);
    }
}

pub(crate) fn yaml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = Sources::default().add(Path::new("a.yaml"), text);
    let _ = yaml::parse(text, file);
}

pub(crate) fn typescript(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = ScriptProgram::read(&ScriptFile { path: "a.ts".into(), source: text.into() });
}
