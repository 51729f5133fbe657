//! Checks that complete suites on a page are valid: `agentci check` finds no problem in them.

use crate::docs_page::{Block, Page, files_below, text_of};
use crate::docs_reader::Reader;

/// Sets of top-level keys that identify a suite, or one file of a suite.
const WHOLE: [&[&str]; 6] = [
    &["target", "cases"],
    &["suite_name", "agent_command"],
    &["version", "turns"],
    &["version", "target"],
    &["test_name", "user_input"],
    &["input_messages", "expected_behavior"],
];

/// Checks the suites of a page, after all its files have been written; returns the errors.
pub(crate) fn check(page: &Page, reader: &mut Reader) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, block) in page.blocks().enumerate() {
        let yaml = ["yaml", "yml"].contains(&block.language.as_str());
        if !yaml || block.output || !WHOLE.iter().any(|keys| keys.iter().all(|key| keys_of(block).any(|is| is == *key)))
        {
            continue;
        }
        if is_beginning_of_an_example(block) {
            continue;
        }
        let name = block.file.clone().unwrap_or_else(|| format!("block-{number}/agentci.yaml"));
        if block.file.is_none() {
            reader.write(&name, &block.text);
        }
        // Readers copy the suites of a guide, so they must not even have warnings.
        let strict = if page.path.starts_with("docs/guides/") { " --strict" } else { "" };
        let checked = reader.run(&format!("cd {} && agentci check {name}{strict}", reader.work().display()));
        if checked.code != Some(0) {
            let what =
                if block.file.is_none() { "; name it, and what it needs, with `<!-- file: NAME -->`" } else { "" };
            wrong.push(format!("{}:{}: this suite is wrong{what}\n{}", page.path, block.line, checked.printed));
        }
    }
    wrong
}

/// Whether the block is the beginning of an example file; those files are run by other tests.
fn is_beginning_of_an_example(block: &Block) -> bool {
    let without_comments = |path: &String| -> String {
        let text = text_of(path);
        text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect()
    };
    files_below("examples", "yaml").iter().any(|path| without_comments(path).starts_with(&block.text))
}

/// The top-level keys.
fn keys_of(block: &Block) -> impl Iterator<Item = &str> {
    let key = |line: &'_ str| line.split_once(':').map(|(key, _)| key.len());
    block.text.lines().filter_map(move |line| line.get(..key(line)?)).filter(|key| !key.starts_with([' ', '#', '-']))
}

#[test]
fn finds_only_top_level_keys() {
    let block = Block { text: "# a: b\nsuite: x\ncases:\n  - id: y\n".into(), ..Block::default() };
    assert_eq!(keys_of(&block).collect::<Vec<_>>(), ["suite", "cases"]);
}
