//! Paths into a value: plain paths with dots and indexes (`items[0].name`, with or without `$.` before it), and those
//! of RFC 9535.

use serde_json::Value;
use serde_json_path::{JsonPath, ParseError};

use crate::bounded::tokens;

/// A path into a value.
#[derive(Debug)]
pub(crate) enum PathWalk {
    /// A plain path of names and indexes.
    Steps(Vec<PathStep>),
    /// A path of RFC 9535.
    Standard {
        path: JsonPath,
        /// Whether it can match several places.
        several: bool,
        /// The path with its `$`, as a worker parses it.
        written: String,
    },
}

/// One step of a plain path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Name(String),
    Index(usize),
}

impl PathWalk {
    /// Reads a path. A plain path is always valid.
    pub(crate) fn read(path: &str) -> Result<Self, ParseError> {
        match path.strip_prefix('$') {
            Some(rest) if is_plain(rest) => Ok(PathWalk::Steps(steps(rest))),
            Some(_) => Self::parse(path),
            None if has_selectors(path) => {
                let root = if path.starts_with(['[', '.']) { "$" } else { "$." };
                Self::parse(&format!("{root}{}", path.trim_end_matches('.')))
            }
            None => Ok(PathWalk::Steps(steps(path))),
        }
    }

    fn parse(written: &str) -> Result<Self, ParseError> {
        let several = can_branch(written);
        JsonPath::parse(written).map(|path| PathWalk::Standard { path, several, written: written.to_owned() })
    }

    /// The source of a path of RFC 9535; `None` for a plain path.
    pub(crate) fn standard(&self) -> Option<&str> {
        match self {
            PathWalk::Steps(_) => None,
            PathWalk::Standard { written, .. } => Some(written),
        }
    }

    /// Whether it can match several places, by a wildcard, a filter, a slice, a list of selectors or `..`.
    pub(crate) fn can_branch(&self) -> bool {
        matches!(self, PathWalk::Standard { several: true, .. })
    }

    /// All values that it matches.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match self {
            PathWalk::Steps(steps) => {
                let found = steps.iter().try_fold(value, |value, step| match (step, value) {
                    // A list has no keys, so this can only be an index.
                    (PathStep::Name(name), Value::Array(items)) => items.get(name.parse::<usize>().ok()?),
                    (PathStep::Name(name), _) => value.get(name),
                    (PathStep::Index(index), _) => value.get(index),
                });
                found.into_iter().collect()
            }
            PathWalk::Standard { path, .. } => path.query(value).all(),
        }
    }
}

/// Whether a path without `$` is more than a plain path. A key that contains brackets must be quoted: `['a[x]']`.
pub(crate) fn has_selectors(path: &str) -> bool {
    let path = path.trim_end_matches('.');
    path.contains("..")
        || steps(path)
            .iter()
            .any(|step| matches!(step, PathStep::Name(name) if name == "*" || name.contains(['[', ']'])))
}

/// Whether a path of RFC 9535 has selectors that can match several values; anything quoted is a name.
fn can_branch(path: &str) -> bool {
    tokens(path).any(|token| matches!(token, "*" | "?" | ":" | "," | ".."))
}

/// Whether the part after `$` is a plain path.
fn is_plain(rest: &str) -> bool {
    let named = rest.is_empty() || rest.starts_with(['.', '[']);
    named
        && !rest.contains("..")
        && steps(rest).iter().all(|step| match step {
            PathStep::Name(name) => !name.contains(['[', ']', '*', '?', '@', '(', '\'', '"', ',', ':', ' ']),
            PathStep::Index(_) => true,
        })
}

/// Splits a plain path. Empty parts between dots are skipped; brackets that contain no number belong to the name.
fn steps(path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut name = part;
        let mut indexes = Vec::new();
        while let Some((before, index)) = name.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
            let Ok(index) = index.parse() else { break };
            indexes.push(PathStep::Index(index));
            name = before;
        }
        steps.extend((!name.is_empty()).then(|| PathStep::Name(name.into())));
        steps.extend(indexes.into_iter().rev());
    }
    steps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_the_expected_values() {
        let value = json!({
            "need_search": false, "a": {"b": {"c": 1}}, "items": [{"k": "x"}, {"k": "y"}, [7]], "a[x]": 2, "*": 3, "first name": 4, "n": null,
        });
        for (path, found) in [
            ("need_search", Some(json!(false))),
            ("a.b.c", Some(json!(1))),
            ("$.a.b.c", Some(json!(1))),
            ("$.a..c", Some(json!(1))),
            ("a..b.c", Some(json!(1))),
            ("a.b.c.", Some(json!(1))),
            ("items[0].k", Some(json!("x"))),
            ("$.items[1].k", Some(json!("y"))),
            ("$['items'][1]['k']", Some(json!("y"))),
            ("items[2][0]", Some(json!(7))),
            ("items[9].k", None),
            ("items.k", None),
            ("items.1.k", Some(json!("y"))),
            ("['a[x]']", Some(json!(2))),
            ("$['*']", Some(json!(3))),
            ("first name", Some(json!(4))),
            ("n", Some(json!(null))),
            ("$.items[?@.k == 'y'].k", Some(json!("y"))),
            ("items[?@.k == 'y'].k", Some(json!("y"))),
            ("items[-1][0]", Some(json!(7))),
            ("$.items[0:1].k", Some(json!("x"))),
            ("$.items[?@.k == 'z'].k", None),
            ("$.none[*]", None),
            ("", Some(value.clone())),
            ("$", Some(value.clone())),
            ("$.", Some(value.clone())),
            ("nowhere.at.all", None),
        ] {
            let walk = PathWalk::read(path).unwrap();
            assert_eq!(walk.find(&value), found.iter().collect::<Vec<_>>(), "{path}");
        }
        assert_eq!(PathWalk::read("[1]").unwrap().find(&json!([1, 2])), [&json!(2)]);
        assert_eq!(PathWalk::read("$[1]").unwrap().find(&json!([1, 2])), [&json!(2)]);
    }

    #[test]
    fn selectors_are_parsed_with_and_without_root() {
        let value = json!({"items": [{"k": "x"}, {"k": "y"}]});
        for path in ["items[*].k", "items.*.k", ".items[*].k", "..k", "items[?@.k].k", "items[0,1].k", "items[0:2].k"] {
            let root = if path.starts_with('.') { "$" } else { "$." };
            for path in [path.to_owned(), format!("{root}{path}")] {
                let walk = PathWalk::read(&path).unwrap();
                assert!(walk.can_branch(), "{path}");
                assert_eq!(walk.find(&value), [&json!("x"), &json!("y")], "{path}");
            }
        }
        for path in ["items[-1]", "$['a.*']", r#"$["a\"?"]"#, "a.b[0]", "$['a:b,c..d'][0]", "items[-1].k"] {
            assert!(!PathWalk::read(path).unwrap().can_branch(), "{path}");
        }
    }

    #[test]
    fn refuses_invalid_selectors() {
        for path in
            ["$[", "$.a[?]", "$.a[b]", "$x", "$..", "$.a[?@.b ==]", "a[x]", "a[", "a[0]b", "a]", "a-b[*]", "a[?]"]
        {
            assert!(PathWalk::read(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn plain_path_equals_its_jsonpath_form(names in prop::collection::vec("[a-c]", 1..4), index in 0_usize..3) {
            let value = json!({"a": {"a": [1, {"b": 2}], "b": [[3], 4], "c": 5}, "b": [{"a": 6}, {"b": {"c": 7}}], "c": 8});
            let plain = format!("$.{}[{index}]", names.join("."));
            let standard = format!("$['{}'][{index}]", names.join("']['"));
            prop_assert_eq!(PathWalk::read(&plain).unwrap().find(&value), PathWalk::read(&standard).unwrap().find(&value));
        }
    }
}
