//! Paths into a value: plain ones with dots and indexes (`items[0].name`, with or without `$.` before it), and those of RFC 9535.

use std::borrow::Cow;

use serde_json::Value;
use serde_json_path::{JsonPath, ParseError};

/// A path into a value.
#[derive(Debug)]
pub(crate) enum Walk {
    /// Names and indexes, one after the other.
    Steps(Vec<Step>),
    /// Whatever the standard has; it may lead to several places.
    Standard {
        path: JsonPath,
        /// As a worker reads it.
        written: String,
    },
}

/// One step of a plain path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Index(usize),
}

impl Walk {
    /// Reads a path. Only one that begins with `$` and is more than dots and indexes can be wrong.
    pub(crate) fn read(path: &str) -> Result<Self, ParseError> {
        match path.strip_prefix('$') {
            Some(rest) if !is_plain(rest) => {
                JsonPath::parse(path).map(|read| Walk::Standard { path: read, written: path.to_owned() })
            }
            Some(rest) => Ok(Walk::Steps(steps(rest))),
            None => Ok(Walk::Steps(steps(path))),
        }
    }

    /// What stands there; a list where the path leads to several places.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Option<Cow<'v, Value>> {
        match self {
            Walk::Steps(steps) => {
                let found = steps.iter().try_fold(value, |value, step| match step {
                    Step::Name(name) => value.get(name),
                    Step::Index(index) => value.get(index),
                });
                found.map(Cow::Borrowed)
            }
            Walk::Standard { path, .. } => together(&path.query(value).all()),
        }
    }

    /// The path of the standard that it is, if it is more than names and indexes.
    pub(crate) fn standard(&self) -> Option<&str> {
        match self {
            Walk::Steps(_) => None,
            Walk::Standard { written, .. } => Some(written),
        }
    }
}

/// What stands at these places; a list where there are several.
pub(crate) fn together<'v>(found: &[&'v Value]) -> Option<Cow<'v, Value>> {
    match found {
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        several => Some(Cow::Owned(several.iter().map(|value| (*value).clone()).collect())),
    }
}

/// Whether what follows `$` is dots, names and indexes only.
fn is_plain(rest: &str) -> bool {
    let named = rest.is_empty() || rest.starts_with(['.', '[']);
    named
        && !rest.contains("..")
        && steps(rest).iter().all(|step| match step {
            Step::Name(name) => !name.contains(['[', ']', '*', '?', '@', '(', '\'', '"', ',', ':', ' ']),
            Step::Index(_) => true,
        })
}

/// Parts between dots that are empty are none. What is between brackets and no number belongs to the name.
fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut name = part;
        let mut indexes = Vec::new();
        while let Some((before, index)) = name.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
            let Ok(index) = index.parse() else { break };
            indexes.push(Step::Index(index));
            name = before;
        }
        steps.extend((!name.is_empty()).then(|| Step::Name(name.into())));
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
    fn paths_lead_where_they_say() {
        let value = json!({
            "need_search": false, "a": {"b": {"c": 1}}, "items": [{"k": "x"}, {"k": "y"}, [7]], "a[x]": 2, "*": 3, "n": null,
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
            ("a[x]", Some(json!(2))),
            ("*", Some(json!(3))),
            ("n", Some(json!(null))),
            ("$.items[*].k", Some(json!(["x", "y"]))),
            ("$..k", Some(json!(["x", "y"]))),
            ("$.items[?@.k == 'y'].k", Some(json!("y"))),
            ("$.items[0:1].k", Some(json!("x"))),
            ("$.items[?@.k == 'z'].k", None),
            ("$.none[*]", None),
            ("", Some(value.clone())),
            ("$", Some(value.clone())),
            ("$.", Some(value.clone())),
            ("nowhere.at.all", None),
        ] {
            let walk = Walk::read(path).unwrap();
            assert_eq!(walk.find(&value).map(Cow::into_owned), found, "{path}");
        }
        assert_eq!(Walk::read("[1]").unwrap().find(&json!([1, 2])).as_deref(), Some(&json!(2)));
        assert_eq!(Walk::read("$[1]").unwrap().find(&json!([1, 2])).as_deref(), Some(&json!(2)));
    }

    #[test]
    fn a_path_that_is_more_than_dots_can_be_wrong() {
        for path in ["$[", "$.a[?]", "$.a[b]", "$x", "$..", "$.a[?@.b ==]"] {
            assert!(Walk::read(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_path_is_the_same_in_the_standard(names in prop::collection::vec("[a-c]", 1..4), index in 0_usize..3) {
            let value = json!({"a": {"a": [1, {"b": 2}], "b": [[3], 4], "c": 5}, "b": [{"a": 6}, {"b": {"c": 7}}], "c": 8});
            let plain = format!("$.{}[{index}]", names.join("."));
            let standard = format!("$['{}'][{index}]", names.join("']['"));
            prop_assert_eq!(Walk::read(&plain).unwrap().find(&value), Walk::read(&standard).unwrap().find(&value));
        }
    }
}
