//! A page of the documentation, as a sequence of things to do.
//!
//! Code blocks are told apart by their language, and by comments above them, which no reader sees:
//!
//! ```text
//! <!-- copy: examples/evals evals -->   these files of the project are there, and not the examples
//! <!-- port: 8080 -->                   this number stands for any port that is free
//! <!-- given: schema.json {} -->        a small file that the page takes for granted, and what is in it
//! <!-- file: suite/agentci.yaml -->     the next block is this file
//! <!-- exit: 1 -->                      the last command of the next block ends with this code, rather than 0
//! <!-- background -->                   the next block's command runs until the page ends; it is ready when it says something
//! <!-- output -->                       the next block is what the block before it prints; `...` is any number of lines
//! ```

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the project.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// The text of a file of the project.
pub(crate) fn text_of(path: &str) -> String {
    let file = project().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every file with this extension at or below a path of the project, by its path from there, sorted; all files without one.
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
    /// Its path in the project.
    pub(crate) path: String,
    /// What it says, from top to bottom.
    pub(crate) items: Vec<Item>,
}

/// Something on a page.
#[derive(Debug)]
pub(crate) enum Item {
    /// Files of the project are needed by another name.
    Copy { from: String, to: String },
    /// A small file is taken for granted.
    Given { name: String, text: String },
    /// A number that stands for a port.
    Port(String),
    /// A code block.
    Block(Block),
}

/// A code block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The line it begins at.
    pub(crate) line: usize,
    pub(crate) language: String,
    /// What is in it.
    pub(crate) text: String,
    pub(crate) file: Option<String>,
    /// The code that its last command ends with.
    pub(crate) exit: i32,
    /// Whether its command goes on.
    pub(crate) background: bool,
    /// Whether it is what the block before it prints.
    pub(crate) output: bool,
}

impl Page {
    /// Reads a page of the project.
    pub(crate) fn read(path: &str) -> Self {
        Self::parse(path, &text_of(path))
    }

    /// Reads the text of a page.
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

    /// Its code blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(|item| match item {
            Item::Block(block) => Some(block),
            Item::Copy { .. } | Item::Given { .. } | Item::Port(_) => None,
        })
    }
}

impl Block {
    /// Its commands: one a line, unless a line ends in `\` or begins a text that is handed to a command. In a block of the language
    /// `console` they stand after `$ `, between what they print.
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
fn commands_may_have_several_lines() {
    let text = "# first\nagentci run \\\n  evals\n\ncat > a <<'END'\none\nEND\nls\n".to_owned();
    let block = Block { language: "sh".into(), text, ..Block::default() };
    assert_eq!(block.commands(), ["agentci run \\\n  evals", "cat > a <<'END'\none\nEND", "ls"]);
    let typed = Block { language: "console".into(), text: "$ ls\na b\n".into(), ..Block::default() };
    assert_eq!(typed.commands(), ["ls"]);
}
