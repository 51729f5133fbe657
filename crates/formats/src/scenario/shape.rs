//! What a YAML file is in this dialect: a scenario, one that was meant to be, or something else.

use std::path::Path;

use agentci_source::{Files, Node, did_you_mean};

use crate::document::SIZE_LIMIT;

/// The keys that hardly any other file has.
const MARKS: [&str; 5] = ["test_name", "user_input", "expected_answer", "semantic_threshold", "tool_fixtures"];

/// Whether a file holds a scenario, wherever it lies: two of its keys are enough.
pub(crate) fn is_scenario(root: &Node) -> bool {
    MARKS.iter().filter(|mark| root.get(mark).is_some()).count() >= 2
}

/// Whether a file in the folder of an agent is a scenario, right or wrong. One that says nothing was meant to be one, and so was one
/// whose keys are nearly those of a scenario, or a list of such: it must not be left out without a word.
pub(crate) fn is_meant_as_scenario(root: &Node) -> bool {
    let near = |key: &str| MARKS.contains(&key) || did_you_mean(key, MARKS).is_some();
    let has_near = |node: &Node| node.pairs().is_some_and(|pairs| pairs.iter().any(|pair| near(&pair.key.text)));
    let listed = root.items().is_some_and(|items| items.iter().any(has_near));
    has_near(root) || listed || root.is_null()
}

/// Whether the text of a file has the marks of a scenario, without parsing it.
pub(crate) fn reads_like_one(files: &dyn Files, path: &Path) -> bool {
    files.read_text(path, SIZE_LIMIT).is_ok_and(|text| MARKS.iter().filter(|mark| text.contains(**mark)).count() >= 2)
}
