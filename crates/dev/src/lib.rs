//! Generates the pages and schemas of `docs/reference` that are derived from the code.
//!
//! The program `agentci-dev` writes them, and the test `kept` fails if a file differs from the generated one. The only
//! input is the code itself: the flags and checks of the library, and the sources of this repository.

#![expect(clippy::unwrap_used, reason = "a page that cannot be made is a mistake in the code it is made of")]

mod checks;
mod commands;
mod dialects;
mod pieces;
mod schemas;
mod types;

use std::io;
use std::path::{Path, PathBuf};

/// The command that regenerates every file.
pub const WRITE: &str = "cargo run --locked -p agentci-dev";

/// A generated file of `docs/reference`.
#[derive(Debug)]
pub struct Generated {
    /// Its path below that folder.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Generated {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The content of the existing file; empty if there is none.
    pub fn kept(&self) -> String {
        fs_err::read_to_string(reference().join(&self.path)).unwrap_or_default()
    }

    /// Writes the file.
    pub fn write(&self) -> io::Result<()> {
        fs_err::write(reference().join(&self.path), &self.text)
    }
}

/// Generates every file.
pub fn files() -> Vec<Generated> {
    let mut files = vec![checks::page(), commands::page(), dialects::page()];
    files.extend(schemas::all());
    files
}

/// The folder `docs/reference` of this repository.
pub fn reference() -> PathBuf {
    project().join("docs/reference")
}

/// The root folder of the repository.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The comment at the top of a page, below its title.
fn generated_from(what: &str) -> String {
    format!("<!-- generated from {what}; regenerate it with `{WRITE}` -->\n\n")
}

/// Escapes a text for a table cell.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
