//! Reads files of environment variables: `NAME=value` lines, as shells and containers read them.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::EnvironmentFile;
use agentci_source::Span;

use crate::document::Loading;

/// Maximum size of such a file in bytes.
const SIZE_LIMIT: u64 = 1024 * 1024;

pub(super) fn read(path: &Path, loading: &mut Loading<'_>) -> Option<Arc<EnvironmentFile>> {
    // The text may contain secrets, so no message shows a line of it.
    let file = loading.sources.add(path, "");
    let text = loading.files.read_text(path, SIZE_LIMIT).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        loading.problems.error(Span::whole(file), message, "").help("pass a file of `NAME=value` lines with `-e`");
    });
    let (values, wrong) = variables(&text.ok()?);
    for line in wrong {
        let span = Span { file, line, column: 1, width: 1 };
        let message = format!("line {line} of `{}` is not a variable", path.display());
        loading.problems.warning(span, message, "").help("write `NAME=value`");
    }
    Some(Arc::new(EnvironmentFile { path: path.to_path_buf(), values }))
}

/// The variables of a text, and the numbers of the lines that are not variables.
pub(crate) fn variables(text: &str) -> (Vec<(String, String)>, Vec<u32>) {
    let (mut values, mut wrong) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match variable(line) {
            Some((name, value)) => values.push((name.to_owned(), value)),
            None => wrong.push(number),
        }
    }
    (values, wrong)
}

fn variable(line: &str) -> Option<(&str, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let good = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    good.then(|| (name, unquoted(value.trim())))
}

/// A value without its quotes, or without a trailing comment.
fn unquoted(value: &str) -> String {
    if let Some(inner) = value.strip_prefix('\'') {
        return inner.split('\'').next().expect("a split has a first part").to_owned();
    }
    let Some(inner) = value.strip_prefix('"') else {
        return value.split(" #").next().expect("a split has a first part").trim_end().to_owned();
    };
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => text.push(match letters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            }),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use agentci_source::{Diagnostics, MemoryFiles, Sources};

    use super::*;

    #[test]
    fn reads_env_lines_like_a_shell() {
        let text = "# note\nA=one\nexport B = two # why\nC='#x y'\nD=\"a\\n\\\"b\\\"\" # no\nE=\n\nnothing\nF=a=b\n";
        let files = MemoryFiles::default().with(".env", text);
        let mut problems = Diagnostics::default();
        let loading = &mut Loading { files: &files, sources: &mut Sources::default(), problems: &mut problems };
        let file = read(Path::new(".env"), loading).unwrap();
        let values: Vec<_> = file.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(values, [("A", "one"), ("B", "two"), ("C", "#x y"), ("D", "a\n\"b\""), ("E", ""), ("F", "a=b")]);
        let told: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, ["line 8 of `.env` is not a variable"]);
    }
}
