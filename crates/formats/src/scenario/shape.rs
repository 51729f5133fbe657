//! Tells whether a YAML file is a scenario, or meant as one.

use std::path::Path;

use agentci_source::{Files, Node, did_you_mean};

use crate::document::SIZE_LIMIT;

/// Keys that are rare in other files.
const MARKS: [&str; 5] = ["test_name", "user_input", "expected_answer", "semantic_threshold", "tool_fixtures"];

/// Whether a file is a scenario, in any folder: two of its keys are enough.
pub(crate) fn is_scenario(root: &Node) -> bool {
    MARKS.iter().filter(|mark| root.get(mark).is_some()).count() >= 2
}

/// Whether a file in the folder of an agent is meant as a scenario, valid or not: it is empty, has a key that is or
/// resembles one of a scenario, or is a list with such a mapping. Such a file must not be skipped silently.
pub(crate) fn is_meant_as_scenario(root: &Node) -> bool {
    let near = |key: &str| MARKS.contains(&key) || did_you_mean(key, MARKS).is_some();
    let has_near = |node: &Node| node.pairs().is_some_and(|pairs| pairs.iter().any(|pair| near(&pair.key.text)));
    let listed = root.items().is_some_and(|items| items.iter().any(has_near));
    has_near(root) || listed || root.is_null()
}

/// Whether the text of a file contains two keys of a scenario; the file is not parsed.
pub(crate) fn reads_like_one(files: &dyn Files, path: &Path) -> bool {
    files.read_text(path, SIZE_LIMIT).is_ok_and(|text| MARKS.iter().filter(|mark| text.contains(**mark)).count() >= 2)
}
