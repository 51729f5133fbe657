//! Normalizes values: irrelevant differences between runs are removed or replaced before values are compared.
//!
//! Keys are stripped first, then paths; then paths are replaced, then patterns in every string. Tool results are
//! normalized before they are recorded and before the agent sees them, and the final output before it is checked.

use std::fmt::Write as _;
use std::sync::Arc;

use agentci_plan::Normalization;
use regex::Regex;
use serde_json::Value;

/// A compiled normalization.
#[derive(Debug, Default)]
pub struct Normalizer {
    strip_keys: Vec<String>,
    strip_paths: Vec<Vec<String>>,
    replace_paths: Vec<(Vec<String>, Value)>,
    replace_text: Vec<(Regex, String)>,
}

impl Normalizer {
    /// Compiles a normalization; the error describes an invalid pattern.
    pub fn new(normalization: &Normalization) -> Result<Self, String> {
        let steps = |path: &str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
        let mut replace_text = Vec::new();
        for replacement in &normalization.replace_text {
            let pattern = Regex::new(&replacement.pattern).map_err(|error| error.to_string())?;
            replace_text.push((pattern, groups(&replacement.replacement)));
        }
        let replace_paths = normalization.replace_paths.iter().map(|(path, value)| (steps(path), value.clone()));
        Ok(Self {
            strip_keys: normalization.strip_keys.clone(),
            strip_paths: normalization.strip_paths.iter().map(|path| steps(path)).collect(),
            replace_paths: replace_paths.collect(),
            replace_text,
        })
    }

    /// Normalizes a value.
    pub fn value(&self, value: &mut Value) {
        each(value, &|value| {
            if let Value::Object(map) = value {
                map.retain(|key, _| !self.strip_keys.contains(key));
            }
        });
        self.strip_paths.iter().for_each(|path| at_path(value, path, None));
        self.replace_paths.iter().for_each(|(path, replacement)| at_path(value, path, Some(replacement)));
        each(value, &|value| {
            if let Value::String(text) = value {
                self.text(text);
            }
        });
    }

    /// Normalizes a shared value; other owners keep the original.
    pub fn shared(&self, value: &mut Arc<Value>) {
        let Self { strip_keys, strip_paths, replace_paths, replace_text } = self;
        let nothing =
            strip_keys.is_empty() && strip_paths.is_empty() && replace_paths.is_empty() && replace_text.is_empty();
        if !nothing {
            self.value(Arc::make_mut(value));
        }
    }

    /// Normalizes a text, such as an error.
    pub fn text(&self, text: &mut String) {
        for (pattern, with) in &self.replace_text {
            if pattern.is_match(text) {
                *text = pattern.replace_all(text, with.as_str()).into_owned();
            }
        }
    }
}

/// Changes a value, then all values inside it.
fn each(value: &mut Value, change: &dyn Fn(&mut Value)) {
    change(value);
    match value {
        Value::Object(map) => map.values_mut().for_each(|inner| each(inner, change)),
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, change)),
        _ => {}
    }
}

/// Translates a Python replacement, with `\1` or `\g<name>` for a group, to the syntax of the regex crate.
fn groups(replacement: &str) -> String {
    let mut text = String::new();
    let mut rest = replacement;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let named = rest.strip_prefix("g<").and_then(|named| named.split_once('>'));
        match (letter, named) {
            ('\\', Some((name, after))) => {
                let _ = write!(text, "${{{name}}}");
                rest = after;
            }
            ('\\', None) if digits > 0 => {
                let _ = write!(text, "${{{}}}", &rest[..digits]);
                rest = &rest[digits..];
            }
            ('\\', None) if rest.starts_with('\\') => {
                text.push('\\');
                rest = &rest[1..];
            }
            ('$', _) => text.push_str("$$"),
            _ => text.push(letter),
        }
    }
    text
}

/// Replaces the value at a path by `with`, or removes it if `with` is `None`. `*` matches any key or index.
fn at_path(value: &mut Value, path: &[String], with: Option<&Value>) {
    let Some((step, rest)) = path.split_first() else { return };
    let all = step == "*";
    let stays = |inner: &mut Value| match with {
        _ if !rest.is_empty() => {
            at_path(inner, rest, with);
            true
        }
        Some(new) => {
            inner.clone_from(new);
            true
        }
        None => false,
    };
    match value {
        Value::Object(map) => map.retain(|key, inner| !(all || key == step) || stays(inner)),
        Value::Array(items) => {
            let wanted: Option<usize> = step.parse().ok();
            let mut positions = 0..;
            items.retain_mut(|item| {
                let position = positions.next();
                !(all || position == wanted) || stays(item)
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::TextReplacement;
    use serde_json::json;

    use super::*;

    #[test]
    fn strips_then_replaces_then_rewrites() {
        let normalizer = Normalizer::new(&Normalization {
            strip_keys: vec!["id".into()],
            strip_paths: vec!["hits.*.score".into(), "list.0".into()],
            replace_paths: vec![("meta.at".into(), json!("T"))],
            replace_text: vec![TextReplacement { pattern: r"req-(\d)\d+".into(), replacement: r"req-\1".into() }],
        })
        .unwrap();
        let mut value = json!({
            "id": 1, "hits": [{"id": 2, "score": 0.5, "t": "req-17"}, {"score": 1}],
            "list": [1, 2], "meta": {"at": 123, "by": "me"},
        });
        normalizer.value(&mut value);
        assert_eq!(value, json!({"hits": [{"t": "req-1"}, {}], "list": [2], "meta": {"at": "T", "by": "me"}}));
        let mut error = "failed req-99".to_owned();
        normalizer.text(&mut error);
        assert_eq!(error, "failed req-9");
    }

    #[test]
    fn replacements_use_python_syntax() {
        for (written, ours) in [
            (r"req-\1", "req-${1}"),
            (r"\g<id>!", "${id}!"),
            ("cost $0.00", "cost $$0.00"),
            (r"a\\b", r"a\b"),
            (r"\n", r"\n"),
        ] {
            assert_eq!(groups(written), ours);
        }
    }

    #[test]
    fn path_without_match_changes_nothing() {
        let normalization = Normalization { strip_paths: vec!["a.b.c".into(), "5".into()], ..Normalization::default() };
        let mut value = json!({"a": [1]});
        Normalizer::new(&normalization).unwrap().value(&mut value);
        assert_eq!(value, json!({"a": [1]}));
    }
}
