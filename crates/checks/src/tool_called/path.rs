//! Paths into arguments: `items.0.sku`. A key that contains dots or brackets takes precedence over the steps it could
//! also be read as. A path with brackets or a `*` that is not found this way is a `JSONPath` (RFC 9535).

use agentci_text::pointer;
use serde_json::Value;

use crate::bounded::{Weight, is_cheap, nests_too_deep};
use crate::value_path::{PathWalk, has_selectors};

/// A path into arguments.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) written: String,
    walk: Option<PathWalk>,
}

impl Path {
    /// Whether evaluating it may take too long, since arguments are evaluated in the process of the run.
    pub(super) fn is_costly(&self) -> bool {
        const ORDINARY: Weight = Weight { parts: 10_000, depth: 32, widest: 10_000 };
        let standard = self.walk.as_ref().and_then(PathWalk::standard);
        standard.is_some_and(|path| !is_cheap(path, ORDINARY))
    }

    /// Reads a path. The second value is the error if a path with brackets is not a `JSONPath` and can only be a key.
    pub(super) fn read(written: String) -> (Self, Option<String>) {
        let bracketed = written.contains(['[', ']']);
        let is_standard = bracketed || written.starts_with("$.") || has_selectors(&written);
        let read = (is_standard && !nests_too_deep(&written)).then(|| PathWalk::read(&written));
        let (walk, wrong) = match read {
            None => (None, None),
            Some(Ok(walk)) => (Some(walk), None),
            Some(Err(error)) => (None, bracketed.then(|| error.to_string())),
        };
        (Self { written, walk }, wrong)
    }

    /// All values that it matches.
    pub(super) fn find<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (walk(value, &self.written, &mut Vec::new()), &self.walk) {
            (Some(found), _) => vec![found],
            (None, Some(walk)) => walk.find(value),
            (None, None) => Vec::new(),
        }
    }

    /// The place that it matches, as a JSON pointer if possible.
    pub(super) fn place(&self, value: &Value) -> String {
        let mut steps = Vec::new();
        match (walk(value, &self.written, &mut steps), &self.walk) {
            (Some(_), _) => pointer::of(steps),
            (None, Some(_)) => self.written.clone(),
            (None, None) => pointer::of(self.written.split('.')),
        }
    }
}

/// The value at a path of keys and indexes; adds the steps that it consists of in this value to `steps`. Longer keys
/// are tried first. Each part of the value can be reached in only one way, so it is visited at most once.
fn walk<'v, 'p>(value: &'v Value, path: &'p str, steps: &mut Vec<&'p str>) -> Option<&'v Value> {
    let ends = std::iter::once(path.len()).chain(path.rmatch_indices('.').map(|(dot, _)| dot));
    for end in ends {
        let key = &path[..end];
        let Some(inner) = step(value, key) else { continue };
        steps.push(key);
        match path.get(end + 1..) {
            None => return Some(inner),
            Some(rest) => {
                if let Some(found) = walk(inner, rest, steps) {
                    return Some(found);
                }
            }
        }
        steps.pop();
    }
    None
}

fn step<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(key),
        // An index has only one spelling: neither `+1` nor `01` is one.
        Value::Array(items) => {
            key.parse::<usize>().ok().filter(|index| index.to_string() == key).and_then(|index| items.get(index))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<u8>().prop_map(Value::from), Just(json!("text"))];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[a01.~/]{0,3}", inner), 0..4).prop_map(|pairs| pairs.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn path_and_pointer_find_the_same_value(value in value(), path in "([a01~/]{0,2}\\.?){0,4}") {
            let mut steps = Vec::new();
            if let Some(found) = walk(&value, &path, &mut steps) {
                let pointer = pointer::of(steps);
                prop_assert_eq!(value.pointer(&pointer), Some(found));
            }
        }
    }

    #[test]
    fn paths_traverse_objects_lists_and_dotted_keys() {
        let value = json!({
            "items": [{"sku": "A"}, {"sku": null}],
            "a.b": 1, "a": {"b": 2, "c": 3, "b.c": {"d": 4}, "b.e": 5},
            "": {"": 6}, "0": 7, "x/y~": 8, "a[x]": 9,
        });
        for (path, found, place) in [
            ("items.0.sku", Some(json!("A")), "/items/0/sku"),
            ("items.1.sku", Some(json!(null)), "/items/1/sku"),
            ("items.1", Some(json!({"sku": null})), "/items/1"),
            ("items.2.sku", None, "/items/2/sku"),
            ("items.01.sku", None, "/items/01/sku"),
            ("items.+1.sku", None, "/items/+1/sku"),
            ("items.sku", None, "/items/sku"),
            ("items.0.sku.x", None, "/items/0/sku/x"),
            ("a.b", Some(json!(1)), "/a.b"),
            ("a.c", Some(json!(3)), "/a/c"),
            ("a.b.c.d", Some(json!(4)), "/a/b.c/d"),
            ("a.b.e", Some(json!(5)), "/a/b.e"),
            (".", Some(json!(6)), "//"),
            ("0", Some(json!(7)), "/0"),
            ("x/y~", Some(json!(8)), "/x~1y~0"),
            ("", Some(json!({"": 6})), "/"),
            ("nowhere", None, "/nowhere"),
        ] {
            assert_eq!(walk(&value, path, &mut Vec::new()), found.as_ref(), "{path}");
            assert_eq!(Path { written: path.to_owned(), walk: None }.place(&value), place, "{path}");
        }
        for (path, found) in [
            ("items[0].sku", vec![json!("A")]),
            ("items[*].sku", vec![json!("A"), json!(null)]),
            ("items.*.sku", vec![json!("A"), json!(null)]),
            ("items[-1].sku", vec![json!(null)]),
            ("$.items[?@.sku == 'A'].sku", vec![json!("A")]),
            ("a[x]", vec![json!(9)]),
            ("a.b", vec![json!(1)]),
            ("items[7].sku", vec![]),
        ] {
            let (path, wrong) = Path::read(path.to_owned());
            assert_eq!(wrong.is_some(), path.written == "a[x]");
            assert_eq!(path.find(&value), found.iter().collect::<Vec<_>>(), "{}", path.written);
        }
        assert_eq!(walk(&json!([[1, 2]]), "0.1", &mut Vec::new()), Some(&json!(2)));
        assert_eq!(walk(&json!("text"), "0", &mut Vec::new()), None);
    }
}
