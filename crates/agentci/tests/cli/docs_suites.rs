//! Suites that stand as a whole on a page are right: `agentci check` finds nothing in them.

use crate::docs_page::{Block, Page, files_below, text_of};
use crate::docs_reader::Reader;

/// What tells a suite, or one file of a suite, by the keys at its top; all of them are there.
const WHOLE: [&[&str]; 6] = [
    &["target", "cases"],
    &["suite_name", "agent_command"],
    &["version", "turns"],
    &["version", "target"],
    &["test_name", "user_input"],
    &["input_messages", "expected_behavior"],
];

/// Checks the suites of a page, after all its files are there; what is wrong.
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
        // What a guide shows is copied: not even a warning is due.
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

/// Whether it is how a file of the examples begins; those are run.
fn is_beginning_of_an_example(block: &Block) -> bool {
    let without_comments = |path: &String| -> String {
        let text = text_of(path);
        text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect()
    };
    files_below("examples", "yaml").iter().any(|path| without_comments(path).starts_with(&block.text))
}

/// The keys at the top.
fn keys_of(block: &Block) -> impl Iterator<Item = &str> {
    let key = |line: &'_ str| line.split_once(':').map(|(key, _)| key.len());
    block.text.lines().filter_map(move |line| line.get(..key(line)?)).filter(|key| !key.starts_with([' ', '#', '-']))
}

#[test]
fn keys_at_the_top_are_told_from_others() {
    let block = Block { text: "# a: b\nsuite: x\ncases:\n  - id: y\n".into(), ..Block::default() };
    assert_eq!(keys_of(&block).collect::<Vec<_>>(), ["suite", "cases"]);
}
