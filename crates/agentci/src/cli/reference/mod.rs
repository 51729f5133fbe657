//! The pages of `docs/reference` that are made from the code: what is documented there is what there is.

mod checks;
mod commands;
mod dialects;
mod schemas;
mod types;

use std::fs;
use std::path::{Path, PathBuf};

/// What writes the pages anew.
const ACCEPT: &str = "AGENTCI_ACCEPT=1 cargo test -p agentci --bin agentci reference";

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// That a page is as it is made; with `AGENTCI_ACCEPT` it is written first.
#[track_caller]
fn is_kept(page: &str, made: &str) {
    let path = project().join("docs/reference").join(page);
    if std::env::var_os("AGENTCI_ACCEPT").is_some() {
        fs::write(&path, made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = || made.lines().zip(kept.lines().chain(std::iter::repeat(""))).find(|(made, kept)| made != kept);
    assert!(
        kept == made,
        "docs/reference/{page} is not what the code says, first at {:?}; write it anew with `{ACCEPT}`",
        differs().map(|(made, _)| made)
    );
}

/// What stands at the top of a page, below its title.
fn generated_from(what: &str) -> String {
    format!("<!-- generated from {what}; write it anew with `{ACCEPT}` -->\n\n")
}

/// A text for the cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}
