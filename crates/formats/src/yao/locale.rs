//! Replaces `{{key}}` in an assistant's name and description by the words of a locale.

use std::path::Path;

use agentci_source::{FileKind, Node, Reading, join};
use serde_json::Value;

use crate::document::Loading;

/// The words of a locale, then those of its language without the country.
pub(super) fn words(folder: &Path, locale: &str, loading: &mut Loading<'_>) -> Vec<(String, String)> {
    let language = locale.split('-').next().unwrap_or(locale);
    let mut words = Vec::new();
    for name in [locale, language] {
        let path = join(&join(folder, "locales"), &format!("{name}.yml"));
        if loading.files.kind(&path) == Some(FileKind::File) {
            let root = loading.open(&path);
            loading.report(root).iter().for_each(|root| gather(root, "", &mut words));
        }
    }
    words
}

fn gather(node: &Node, before: &str, words: &mut Vec<(String, String)>) {
    for pair in node.pairs().unwrap_or_default() {
        let key = format!("{before}{}", pair.key.text);
        if let Some(Value::String(text)) = pair.value.scalar().and_then(|scalar| scalar.value(Reading::Core)) {
            words.push((key, text));
        } else {
            gather(&pair.value, &format!("{key}."), words);
        }
    }
}

/// Replaces placeholders; those without a word are kept.
pub(super) fn resolve(text: &str, words: &[(String, String)]) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((key, behind)) = after.split_once("}}") else { break };
        whole.push_str(before);
        match words.iter().find(|(known, _)| known == key.trim()) {
            Some((_, word)) => whole.push_str(word),
            None => whole.extend(["{{", key, "}}"]),
        }
        rest = behind;
    }
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_placeholders_without_translation() {
        let words = [("name".to_owned(), "Keywords".to_owned())];
        assert_eq!(resolve("{{ name }} of {{none}} {{name", &words), "Keywords of {{none}} {{name");
    }
}
