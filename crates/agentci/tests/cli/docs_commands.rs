//! Runs every command in the documentation, page by page, in order, each page in its own folder. `docs_page` describes
//! the comments by which a page states the expected result of a command.

use crate::docs_page::{Block, Item, Page, files_below};
use crate::docs_reader::Reader;

/// Commands that cannot be run here: their prefix, and the reason.
const NOT_RUN: [(&str, &str); 6] = [
    ("./test", "it is what runs this test"),
    ("docker build", "it needs Docker and builds the whole project anew"),
    ("docker run", "it needs Docker"),
    ("AGENT=us_payroll docker compose", "it needs Docker"),
    ("agentci record --bind", "it needs Docker; interop/recorder.test.py runs its steps"),
    ("jq ", "it is not ours to install; interop/yao_results.test.py runs these"),
];

fn pages() -> Vec<String> {
    let examples = files_below("examples", "md").into_iter().filter(|path| path.ends_with("README.md"));
    // Those of frameworks need the frameworks: interop/frameworks.test.py follows them.
    let docs = files_below("docs", "md").into_iter().filter(|path| !path.starts_with("docs/guides/frameworks/"));
    std::iter::once("README.md".to_owned()).chain(docs).chain(examples).collect()
}

/// The index in `NOT_RUN` of the reason why a command is not run.
fn not_run(command: &str) -> Option<usize> {
    NOT_RUN.iter().position(|(begin, _)| command.trim_start().starts_with(begin))
}

/// Executes all items of a page; returns the errors.
fn follow(page: &Page) -> Vec<String> {
    let mut reader = Reader::of(page);
    let mut wrong = Vec::new();
    let mut printed = String::new();
    for item in &page.items {
        let block = match item {
            Item::Copy { from, to } => {
                reader.copy(from, to);
                continue;
            }
            Item::Given { name, text } => {
                reader.write(name, text);
                continue;
            }
            Item::Port(number) => {
                reader.port(number);
                continue;
            }
            Item::Block(block) => block,
        };
        let place = format!("{}:{}", page.path, block.line);
        if let Some(name) = &block.file {
            reader.write(name, &block.text);
        } else if block.output {
            if let Err(both) = reader.compare(block, &printed) {
                wrong.push(format!("{place}: this is not what is printed\n{both}"));
            }
        } else if ["sh", "console"].contains(&block.language.as_str()) {
            printed.clear();
            let commands: Vec<String> = block.commands().into_iter().filter(|it| not_run(it).is_none()).collect();
            for (at, command) in commands.iter().enumerate() {
                if block.background {
                    match reader.start(command) {
                        Some(line) => printed += &line,
                        None => wrong.push(format!("{place}: `{command}` ended, or said nothing")),
                    }
                    continue;
                }
                let wanted = if at + 1 == commands.len() { block.exit } else { 0 };
                let came = reader.run(command);
                if came.code != Some(wanted) {
                    let code = came.code.map_or("it was ended".to_owned(), |code| format!("exit code {code}"));
                    wrong.push(format!("{place}: `{command}`: {code} instead of {wanted}\n{}", came.printed));
                }
                printed += &came.printed;
            }
        }
    }
    wrong.extend(crate::docs_suites::check(page, &mut reader));
    wrong
}

#[track_caller]
fn follow_all(fits: impl Fn(&str) -> bool) {
    let paths: Vec<String> = pages().into_iter().filter(|path| fits(path)).collect();
    assert!(!paths.is_empty());
    let wrong: Vec<String> = paths.iter().flat_map(|path| follow(&Page::read(path))).collect();
    assert!(wrong.is_empty(), "{} of the commands do not do what the page says\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn readme_commands_work() {
    follow_all(|path| path == "README.md");
}

#[test]
fn example_commands_work() {
    follow_all(|path| path.starts_with("examples/"));
}

#[test]
fn reference_commands_work() {
    follow_all(|path| path.starts_with("docs/reference/"));
}

#[test]
fn guide_commands_work() {
    follow_all(|path| path.starts_with("docs/guides/") && !path.contains("/moving-from-"));
}

#[test]
fn migration_guide_commands_work() {
    follow_all(|path| path.starts_with("docs/guides/moving-from-"));
}

#[test]
fn other_page_commands_work() {
    follow_all(|path| {
        path.starts_with("docs/") && !["docs/reference/", "docs/guides/"].iter().any(|of| path.starts_with(of))
    });
}

#[test]
fn skipped_commands_list_has_no_stale_entries() {
    let mut seen = [false; NOT_RUN.len()];
    let pages: Vec<Page> = pages().iter().map(|path| Page::read(path)).collect();
    let commands = pages.iter().flat_map(Page::blocks).flat_map(Block::commands);
    for at in commands.filter_map(|command| not_run(&command)) {
        seen[at] = true;
    }
    let stale: Vec<&str> = NOT_RUN.iter().zip(seen).filter(|(_, seen)| !seen).map(|((begin, _), _)| *begin).collect();
    assert!(stale.is_empty(), "no page has these commands any more, so they need no reason: {stale:?}");
}

#[test]
fn shell_blocks_use_the_sh_language_tag() {
    for path in pages() {
        for block in Page::read(&path).blocks() {
            let language = block.language.as_str();
            assert!(!["bash", "shell", ""].contains(&language), "{path}:{}: write `sh`, or `text`", block.line);
        }
    }
}

/// The errors of a page with this text, shortened.
fn wrong_with(text: &str) -> Vec<String> {
    let wrong = follow(&Page::parse("page.md", text));
    wrong.into_iter().map(|it| it.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn detects_incorrect_pages() {
    let check = "<!-- given: a.yaml name: a -->\n```sh\nagentci check a.yaml\n```\n";
    assert_eq!(wrong_with(check), ["page.md:2: `agentci check a.yaml`: exit code 1 instead of 0"]);
    assert_eq!(wrong_with("```sh\ntrue\nfalse\n```\n"), ["page.md:1: `false`: exit code 1 instead of 0"]);
    assert_eq!(wrong_with("<!-- exit: 1 -->\n```sh\nfalse\ntrue\n```\n").len(), 2);
    let printed = "```sh\necho a\n```\n<!-- output -->\n```text\nb\n```\n";
    assert_eq!(wrong_with(printed), ["page.md:5: this is not what is printed"]);
    assert_eq!(wrong_with("<!-- background -->\n```sh\ntrue\n```\n"), ["page.md:2: `true` ended, or said nothing"]);
    let suite = "```yaml\nsuite: a\ntarget: {}\ncases: []\n```\n";
    assert_eq!(
        wrong_with(suite),
        ["page.md:1: this suite is wrong; name it, and what it needs, with `<!-- file: NAME -->`"]
    );
}

#[test]
fn accepts_correct_pages() {
    let folder = "```sh\nmkdir a && cd a\n```\n```sh\npwd | grep '/work/a$'\n```\n";
    assert_eq!(wrong_with(folder), [""; 0]);
    let served = "<!-- port: 8080 -->\n<!-- background -->\n```sh\nagentci serve llm --port 8080 --control-token t\n```\n<!-- output -->\n```text\n\
                  {\"url\":\"http://127.0.0.1:8080\",\"openai_base_url\":\"http://127.0.0.1:8080/v1\",\"anthropic_base_url\":\"http://127.0.0.1:8080\",\"azure_endpoint\":\"http://127.0.0.1:8080\",\"gemini_base_url\":\"http://127.0.0.1:8080\",\"ollama_host\":\"http://127.0.0.1:8080\",\"control_token\":\"t\"}\n```\n";
    assert_eq!(wrong_with(served), [""; 0]);
    let again = "<!-- exit: 1 -->\n```sh\ntrue\nfalse\n```\n";
    assert_eq!(wrong_with(again), [""; 0]);
}
