//! Follows a newcomer's path: the README from its first command to the first failing test, and then the first guide,
//! using only what these pages say. The output must match the pages, and the explanation of the failure must name the
//! right line.

use std::fs;

use crate::docs_page::{Block, Item, Page};
use crate::docs_reader::Reader;

/// A command with its exit code and output.
struct Step {
    command: String,
    code: i32,
    printed: String,
}

/// Follows a page in one folder, until a command fails on purpose, or to the end.
fn walk(page: &Page, reader: &mut Reader, to_the_end: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut printed = String::new();
    for item in &page.items {
        match item {
            Item::Block(block) if block.output => {
                let place = format!("{}:{}", page.path, block.line);
                reader.compare(block, &printed).unwrap_or_else(|both| panic!("{place} shows something else\n{both}"));
            }
            Item::Block(block) if block.file.is_some() => reader.write(block.file.as_ref().unwrap(), &block.text),
            // The second command of the README runs this test.
            Item::Block(block) if block.language != "sh" || block.text == "./test\n" => {}
            Item::Block(block) if block.background => {
                assert!(reader.start(block.text.trim()).is_some(), "`{}` did not start", block.text);
            }
            Item::Block(block) => {
                // The command that failed on purpose was the last step.
                if !to_the_end && steps.last().is_some_and(|step: &Step| step.code != 0) {
                    return steps;
                }
                let ran = run(page, block, reader);
                printed = ran.iter().map(|step| step.printed.as_str()).collect();
                steps.extend(ran);
            }
            Item::Copy { from, to } => reader.copy(from, to),
            Item::Given { name, text } => reader.write(name, text),
            Item::Port(number) => reader.port(number),
        }
    }
    steps
}

fn run(page: &Page, block: &Block, reader: &mut Reader) -> Vec<Step> {
    let commands = block.commands();
    let last = commands.len() - 1;
    let mut steps = Vec::new();
    for (number, command) in commands.into_iter().enumerate() {
        let came = reader.run(&command);
        let wanted = if number == last { block.exit } else { 0 };
        assert_eq!(came.code, Some(wanted), "{}:{}: `{command}`\n{}", page.path, block.line, came.printed);
        steps.push(Step { command, code: wanted, printed: came.printed });
    }
    steps
}

/// Asserts that a failure is explained: it points at the line of the check, and shows the actual answer.
#[track_caller]
fn is_explained(step: &Step, reader: &Reader) {
    let arrow = step.printed.lines().find_map(|line| line.trim().strip_prefix("--> "));
    let place = arrow.unwrap_or_else(|| panic!("no place in {}", step.printed));
    let parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let [column, line, path] = parts[..] else { panic!("{place} is no place") };
    let text = fs::read_to_string(reader.work().join(path)).unwrap();
    let line = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
    let (before, asked) = line.split_at(column.parse::<usize>().unwrap() - 1);
    assert_eq!(before.trim(), "- contains:", "{line}");
    for part in [line, &format!("the answer does not contain `{asked}`"), "the answer is: {\"answer\":"] {
        assert!(step.printed.contains(part), "no {part:?} in {}", step.printed);
    }
    assert!(step.printed.contains("FAIL "), "{}", step.printed);
}

#[test]
fn readme_leads_to_a_failing_test_with_explanation() {
    let page = Page::read("README.md");
    let mut reader = Reader::of(&page);
    let steps = walk(&page, &mut reader, false);
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(commands.first(), Some(&"cargo run --release --locked -- run examples/quickstart"));
    assert!(commands[1].contains("-- init ") && commands[2].contains("-- run "), "{commands:?}");
    assert!(commands.len() <= 5, "a newcomer has to type this much: {commands:#?}");
    let last = steps.last().unwrap();
    assert_eq!(last.code, 1, "nothing fails in the README: {commands:?}");
    is_explained(last, &reader);
}

#[test]
fn first_guide_creates_passing_suite_for_every_agent_kind() {
    let page = Page::read("docs/guides/first-suite.md");
    let mut reader = Reader::of(&page);
    let steps = walk(&page, &mut reader, true);
    let failing: Vec<&Step> = steps.iter().filter(|step| step.code == 1).collect();
    assert_eq!(failing.len(), 1, "one test fails, and is explained");
    is_explained(failing[0], &reader);
    for kind in ["command", "http", "agui", "a2a", "mcp", "sdk", "prompts", "answers"] {
        let flag = format!("--kind {kind}");
        let made = steps.iter().filter(|step| step.command.contains(&flag));
        let folders: Vec<&str> = made.filter_map(|step| step.command.split_whitespace().nth(2)).collect();
        assert!(!folders.is_empty(), "no suite of the kind {kind}");
        for folder in folders {
            let ran = format!("agentci run {folder}");
            assert!(steps.iter().any(|step| step.command == ran && step.printed.contains("PASS ")), "{ran}");
        }
    }
}

#[test]
fn introductory_pages_have_at_most_5000_words() {
    let words = |path: &str| crate::docs_page::text_of(path).split_whitespace().count();
    let frameworks = crate::docs_page::files_below("docs/guides/frameworks", "md");
    let longest = frameworks.iter().map(|path| words(path)).max().unwrap();
    let pages = ["README.md", "docs/guides/first-suite.md", "docs/guides/ci.md"];
    let all = pages.iter().map(|path| words(path)).sum::<usize>() + longest;
    assert!(all <= 5_000, "{all} words in {pages:?} and the longest framework page");
}
