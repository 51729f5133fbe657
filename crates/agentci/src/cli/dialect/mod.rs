//! What the command line has for one format alone: flags, result files, and words in help texts.
//!
//! A format has one file or folder here, and a line in [`DialectFlags`] or [`DialectRunFlags`] if it has flags. Nothing else in the
//! command line names a format: what a suite's format takes for granted is in [`Suite::habits`](agentci::plan::Suite::habits).

mod ananke;
mod aumai;
mod flags;
mod format_flag;
mod help;
mod own_results;
mod run_flags;
mod scenario;
mod yao;

pub(crate) use aumai::OF_ANSWERS;
pub(crate) use flags::DialectFlags;
pub(crate) use help::{JSON, OUT, RESULTS_FOLDER, TIMEOUT};
pub(crate) use own_results::{OutPaths, OwnResults};
pub(crate) use run_flags::DialectRunFlags;
pub(crate) use scenario::PlayedSuites;

/// The format that everything can be converted to.
pub(crate) const NATIVE: agentci::plan::Dialect = agentci::plan::Dialect::Native;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Where formats may be named: here, in the library of one of them, and in the pages that are made of all of them.
    const ALLOWED: [&str; 3] = ["cli/dialect", "cli/reference", "mock"];

    fn files(folder: &Path, found: &mut Vec<(String, String)>, root: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !ALLOWED.contains(&name.as_str()) {
                files(&path, found, root);
            } else if path.is_file() {
                found.push((name, fs::read_to_string(&path).unwrap().to_lowercase()));
            }
        }
    }

    #[test]
    fn nothing_else_names_a_format() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        files(&root, &mut found, &root);
        assert!(found.len() > 50, "{}", found.len());
        for (name, text) in found {
            for word in ["dialect::native", "runledger", "aumai", "ananke", "dialect::scenario", "yao"] {
                assert!(!text.contains(word), "{name} names {word}");
            }
        }
    }
}
