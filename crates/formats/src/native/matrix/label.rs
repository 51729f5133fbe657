//! Short names of axis values, for the ids of cases.

use std::collections::HashMap;

use agentci_text::fnv1a_32;

/// The maximum number of characters of a value in an id.
const SHORT: usize = 32;

/// A name for each value of an axis, unlike those of the others: `prompts/short.md` is `short`. A value that is
/// shortened more than that ends in a part of its hash, so that its name does not depend on the other values.
pub(super) fn labels(values: &[&str]) -> Vec<String> {
    let short: Vec<String> = values.iter().map(|value| limited(&clean(last_part(value)), value)).collect();
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for label in &short {
        *uses.entry(label).or_default() += 1;
    }
    let label = |(label, value): (&String, &&str)| match uses[label.as_str()] {
        1 if !label.is_empty() => label.clone(),
        _ => told_apart(&clean(value), value),
    };
    short.iter().zip(values).map(label).collect()
}

/// The name of the file, without folders and extension, if the value is a path.
fn last_part(value: &str) -> &str {
    let Some((_, name)) = value.rsplit_once('/') else { return value };
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_extension(ending) => stem,
        _ => name,
    }
}

/// Whether it is an extension and not a part of a version such as `gpt-4.1`.
fn is_extension(ending: &str) -> bool {
    ending.starts_with(|c: char| c.is_ascii_alphabetic()) && ending.len() <= 5
}

/// Only characters that are harmless in ids, patterns for shells and names of files.
fn clean(value: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_.:+@".contains(c) { c } else { '_' };
    value.chars().map(keep).collect()
}

fn limited(label: &str, value: &str) -> String {
    if label.chars().nth(SHORT).is_some() { told_apart(label, value) } else { label.to_owned() }
}

/// The beginning of the value and a part of its hash.
fn told_apart(label: &str, value: &str) -> String {
    let begin: String = label.chars().take(SHORT - 9).collect();
    format!("{begin}~{:08x}", fnv1a_32(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_names_of_files() {
        let values = ["prompts/short.md", "prompts/long.md", "openai/gpt-4.1", "gpt-5-mini", "3", "true", "a b/c"];
        assert_eq!(labels(&values), ["short", "long", "gpt-4.1", "gpt-5-mini", "3", "true", "c"]);
    }

    #[test]
    fn values_never_share_a_name() {
        let long = "x".repeat(40);
        let longer = "x".repeat(41);
        let values = ["a/short.md", "b/short.md", "short", "", "/", &long, &longer, "a b", "a_b"];
        let labels = labels(&values);
        let different: std::collections::HashSet<&String> = labels.iter().collect();
        assert_eq!(different.len(), values.len(), "{labels:?}");
        assert!(labels.iter().all(|label| !label.is_empty() && label.chars().count() <= SHORT), "{labels:?}");
        assert!(labels[0].starts_with("a_short.md~"), "{labels:?}");
    }

    #[test]
    fn name_of_a_long_value_does_not_depend_on_the_others() {
        let long = format!("{}1", "x".repeat(40));
        let other = format!("{}2", "x".repeat(40));
        assert_eq!(labels(&[&long])[0], labels(&[&other, &long])[1]);
    }
}
