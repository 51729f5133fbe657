//! Replaces the parts of a text that differ from run to run: durations, run ids, timestamps and the test's folder.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\b\d{8}-\d{6}(-\d+)?\b", "[run]"),
        (r"\b\d{4}-\d{2}-\d{2}T[\d:.]+Z", "[moment]"),
        (r"_results_\d{4}-\d{2}-\d{2}T[\d-]+Z", "_results_[moment]"),
        (r#"time="[\d.]+""#, r#"time="[time]""#),
        (r"\b\d+(\.\d+)? (ms|s|min|h)\b", "[time]"),
        (r"\bactual=\d{3,}\b", "actual=[ms]"),
    ]
    .map(|(pattern, instead)| (Regex::new(pattern).unwrap(), instead))
    .into()
});

/// Replaces the varying parts; `root` is the folder of the test.
pub(crate) fn filter(text: &str, root: &Path) -> String {
    let mut text = text.to_owned();
    // The folder may have a second path, as on macOS.
    for path in [root.canonicalize().unwrap(), root.to_path_buf()] {
        text = text.replace(path.to_str().unwrap(), "[root]");
    }
    for (pattern, instead) in PATTERNS.iter() {
        text = pattern.replace_all(&text, *instead).into_owned();
    }
    text
}

#[test]
fn filters_only_times_paths_and_run_names() {
    let root = std::env::temp_dir();
    let text = format!("PASS t1 (56 ms, 1 tool call)\n1 case in 1.2 s\n{}/x/20260102-030405-2", root.display());
    let shown = filter(&text, &root);
    assert!(shown.starts_with("PASS t1 ([time], 1 tool call)\n1 case in [time]\n[root]"), "{shown}");
    assert!(shown.ends_with("x/[run]"), "{shown}");
}
