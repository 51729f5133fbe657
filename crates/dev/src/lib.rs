//! The pages and schemas of `docs/reference` that are made from the code: what is documented there is what there is.
//!
//! The program `agentci-dev` writes them, and the test `kept` fails if one is not as it is made. Nothing comes in but the code
//! itself: the flags and checks of the library, and the sources of this repository.

#![expect(clippy::unwrap_used, reason = "a page that cannot be made is a mistake in the code it is made of")]

mod checks;
mod commands;
mod dialects;
mod pieces;
mod schemas;
mod types;

use std::io;
use std::path::{Path, PathBuf};

/// The command that writes every file anew.
pub const WRITE: &str = "cargo run --locked -p agentci-dev";

/// A file of `docs/reference`, as the code has it.
#[derive(Debug)]
pub struct Generated {
    /// Its path below that folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Generated {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The text of the file that is there; empty if there is none.
    pub fn kept(&self) -> String {
        fs_err::read_to_string(reference().join(&self.path)).unwrap_or_default()
    }

    /// Writes the file.
    pub fn write(&self) -> io::Result<()> {
        fs_err::write(reference().join(&self.path), &self.text)
    }
}

/// Makes every file.
pub fn files() -> Vec<Generated> {
    let mut files = vec![checks::page(), commands::page(), dialects::page()];
    files.extend(schemas::all());
    files
}

/// The folder `docs/reference` of this repository.
pub fn reference() -> PathBuf {
    project().join("docs/reference")
}

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands at the top of a page, below its title.
fn generated_from(what: &str) -> String {
    format!("<!-- generated from {what}; write it anew with `{WRITE}` -->\n\n")
}

/// A text for the cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
