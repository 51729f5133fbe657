//! Classifies YAML files: tests in one of three shapes, the script of a model, an empty file, or something else.

use agentci_source::shape::{KeyRule, Kind, Shape as Mapping, UnknownKeys, filled};
use agentci_source::{Diagnostics, Node, did_you_mean, read};

use super::test::TEST;

/// A file of tests: one test, a list of tests, or a list under `tests`.
pub(crate) const FILE: Kind =
    Kind::Either(&[Kind::Having("tests", &TESTS, &TEST), Kind::List(&Kind::Shape(&TEST)), Kind::Nothing]);

static TESTS: Mapping = Mapping::new(
    "a file of tests",
    "A list of tests.",
    &[filled("tests", Kind::Either(&[Kind::List(&Kind::Shape(&TEST)), Kind::Nothing]), "The tests.")],
)
.unknown(UnknownKeys::Warned)
.rules(&[KeyRule::OneWritten(&["tests"])]);

/// Keys that no other format has.
const MARKS: [&str; 2] = ["input_messages", "expected_behavior"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AumaiFile {
    Tests,
    Empty,
    /// The script of a model.
    MockConfig,
    Other,
}

/// Classifies a file next to files of tests.
pub(crate) fn shape(root: &Node) -> AumaiFile {
    let has = |key: &str| root.get(key).is_some();
    // A test without messages and expectations has none of `MARKS`.
    let bare = |node: &Node| {
        node.get("name").is_some() && node.pairs().unwrap_or_default().iter().all(|pair| TEST.declares(&pair.key.text))
    };
    if root.is_null() {
        AumaiFile::Empty
    } else if has_tests(root) || bare(root) || root.items().is_some_and(|items| items.iter().any(bare)) {
        AumaiFile::Tests
    } else if (has("model_name") || has("responses")) && !has("name") {
        AumaiFile::MockConfig
    } else {
        AumaiFile::Other
    }
}

/// Whether a file contains at least one test that cannot be anything else.
pub(crate) fn has_tests(root: &Node) -> bool {
    let listed = root.get("tests").and_then(Node::items).or(root.items());
    match listed {
        Some(items) => items.iter().any(is_test),
        None => is_test(root),
    }
}

/// Whether a mapping has one of `MARKS`, misspelt or not.
fn is_test(node: &Node) -> bool {
    let marked = |key: &str| MARKS.contains(&key) || did_you_mean(key, MARKS).is_some();
    node.pairs().is_some_and(|pairs| pairs.iter().any(|pair| marked(&pair.key.text)))
}

/// The nodes of the tests of a file; a list item that is not a mapping is an error.
pub fn tests<'n>(root: &'n Node, problems: &mut Diagnostics) -> Vec<&'n Node> {
    if root.is_null() {
        return Vec::new();
    }
    let items = match (root.items(), root.pairs()) {
        (Some(items), _) => items,
        (None, Some(pairs)) => {
            let Some(tests) = root.get("tests") else { return vec![root] };
            for pair in pairs.iter().filter(|pair| pair.key.text != "tests") {
                problems
                    .warning(pair.key.span, format!("`{}` next to `tests` is ignored", pair.key.text), "unknown key")
                    .help("the keys of a test belong in the list under `tests`");
            }
            if tests.is_null() {
                return Vec::new();
            }
            read::list(tests, "tests", problems).unwrap_or_default()
        }
        (None, None) => {
            let message = format!("a file of tests must be a mapping or a list, found {}", root.describe());
            let help = "write `tests:` and a list under it";
            problems.error(root.span, message, "expected a test, or a list of tests").help(help);
            return Vec::new();
        }
    };
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        if item.pairs().is_some() {
            found.push(item);
        } else {
            problems.mismatch(item, "a test must be a mapping", "not a test").help("remove it, or give it a `name:`");
        }
    }
    found
}
