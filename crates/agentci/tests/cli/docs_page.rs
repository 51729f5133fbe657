//! Parses a documentation page into a sequence of steps.
//!
//! The meaning of a code block depends on its language, and on HTML comments above it, which readers do not see:
//!
//! ```text
//! <!-- copy: examples/evals evals -->   copy these project files to the folder, instead of the examples
//! <!-- port: 8080 -->                   replace this number by a free port
//! <!-- given: schema.json {} -->        create a small file that the page assumes, with this content
//! <!-- file: suite/agentci.yaml -->     the next block is the content of this file
//! <!-- exit: 1 -->                      exit code of the last command of the next block [default: 0]
//! <!-- background -->                   the next block runs until the page ends; it is ready when it prints a line
//! <!-- output -->                       the next block is the output of the previous one; `...` is any number of lines
//! <!-- shown in: docs/x.md -->          the next block is also shown on that page
//! ```

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Reads a project file.
pub(crate) fn text_of(path: &str) -> String {
    let file = project().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every file with this extension at or below a path in the project, as a sorted list of paths relative to the project
/// folder. An empty extension matches all files.
pub(crate) fn files_below(path: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![project().join(path)];
    while let Some(next) = waiting.pop() {
        if next.is_dir() {
            waiting.extend(fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()));
        } else if extension.is_empty() || next.extension().is_some_and(|is| is == extension) {
            found.push(next.strip_prefix(project()).unwrap().to_str().unwrap().to_owned());
        }
    }
    found.sort();
    found
}

#[derive(Debug)]
pub(crate) struct Page {
    /// The path relative to the project folder.
    pub(crate) path: String,
    /// The items in order.
    pub(crate) items: Vec<Item>,
}

#[derive(Debug)]
pub(crate) enum Item {
    /// Project files to copy under another name.
    Copy {
        from: String,
        to: String,
    },
    /// A small file that the page assumes.
    Given {
        name: String,
        text: String,
    },
    /// A number to replace by a free port.
    Port(String),
    Block(Block),
}

#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The line number of the opening fence.
    pub(crate) line: usize,
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) file: Option<String>,
    /// The expected exit code of its last command.
    pub(crate) exit: i32,
    /// Whether its command runs until the page ends.
    pub(crate) background: bool,
    /// Whether it is the output of the previous block.
    pub(crate) output: bool,
}

impl Page {
    pub(crate) fn read(path: &str) -> Self {
        Self::parse(path, &text_of(path))
    }

    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let mut items = Vec::new();
        let mut next = Block::default();
        let mut lines = text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            let place = format!("{path}:{}", at + 1);
            let (indent, shown) = (line.len() - line.trim_start().len(), line.trim());
            if let Some(mark) = shown.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
                match mark.trim().split_once(": ").map_or((mark.trim(), ""), |(key, value)| (key, value.trim())) {
                    ("copy", names) => {
                        let (from, to) = names.split_once(' ').unwrap_or_else(|| panic!("{place}: two names"));
                        items.push(Item::Copy { from: from.into(), to: to.into() });
                    }
                    ("given", file) => {
                        let (name, text) = file.split_once(' ').unwrap_or((file, ""));
                        items.push(Item::Given { name: name.into(), text: text.into() });
                    }
                    ("port", port) => items.push(Item::Port(port.into())),
                    ("file", name) => next.file = Some(name.into()),
                    ("exit", code) => next.exit = code.parse().unwrap_or_else(|_| panic!("{place}: a number")),
                    ("background", "") => next.background = true,
                    ("output", "") => next.output = true,
                    // interop/frameworks.test.py compares the block with that page.
                    ("shown in", page) => assert!(project().join(page).is_file(), "{place}: there is no {page}"),
                    (key, _) => assert!(key.starts_with("generated"), "{place}: a comment that nobody knows: {shown}"),
                }
            } else if let Some(language) = shown.strip_prefix("```") {
                let mut block = std::mem::take(&mut next);
                (block.line, block.language) = (at + 1, language.trim().into());
                for (_, line) in lines.by_ref().take_while(|(_, line)| line.trim() != "```") {
                    block.text += line.get(indent..).unwrap_or_default();
                    block.text.push('\n');
                }
                items.push(Item::Block(block));
            }
        }
        Self { path: path.to_owned(), items }
    }

    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(|item| match item {
            Item::Block(block) => Some(block),
            Item::Copy { .. } | Item::Given { .. } | Item::Port(_) => None,
        })
    }
}

impl Block {
    /// Its commands: one per line, except for lines that end in `\` and here-documents. In a `console` block, commands
    /// follow `$ `; other lines are output.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        let typed = |line| match self.language.as_str() {
            "sh" => Some(line),
            "console" => str::strip_prefix(line, "$ "),
            _ => None,
        };
        let mut lines = self.text.lines().filter_map(typed);
        while let Some(line) = lines.next() {
            let mut command = line.trim_end().to_owned();
            let mut more = |command: &mut String| {
                let line = lines.next().unwrap_or_else(|| panic!("`{command}` has no end"));
                command.push('\n');
                command.push_str(line);
                line.to_owned()
            };
            while command.ends_with('\\') {
                more(&mut command);
            }
            if let Some((_, word)) = command.clone().split_once("<<") {
                let word = word.split_whitespace().next().unwrap_or_default().trim_matches('\'');
                while more(&mut command) != word {}
            }
            if !command.trim().is_empty() && !command.trim_start().starts_with('#') {
                commands.push(command);
            }
        }
        commands
    }
}

#[test]
fn parses_multiline_commands() {
    let text = "# first\nagentci run \\\n  evals\n\ncat > a <<'END'\none\nEND\nls\n".to_owned();
    let block = Block { language: "sh".into(), text, ..Block::default() };
    assert_eq!(block.commands(), ["agentci run \\\n  evals", "cat > a <<'END'\none\nEND", "ls"]);
    let typed = Block { language: "console".into(), text: "$ ls\na b\n".into(), ..Block::default() };
    assert_eq!(typed.commands(), ["ls"]);
}
