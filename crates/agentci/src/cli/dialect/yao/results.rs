//! The results that are written beside the tests they are of: `tests/output-20241217100000.jsonl`.

use std::path::{Path, PathBuf};

use agentci::DiskFiles;
use agentci::formats::YaoInput;
use agentci::plan::{Dialect, Suite};
use jiff::Zoned;

use crate::cli::run::RunArguments;

/// Where the results of a suite go that was named with `-i`, unless `-o` says otherwise. A file that is there stays as it is.
pub(crate) fn default_out(arguments: &RunArguments, suite: &Suite) -> Option<PathBuf> {
    let written = arguments.dialects.yao().input.as_ref().filter(|_| suite.dialect == Dialect::Yao)?;
    let YaoInput::File(path) = YaoInput::of(&DiskFiles, written) else { return None };
    if arguments.reports.first_out().is_some() {
        return None;
    }
    // Where other tests are run as well, theirs stay in their run folders.
    let same = path.canonicalize().ok().is_some_and(|path| suite.path.canonicalize().is_ok_and(|own| own == path));
    same.then(|| free(path.parent().unwrap_or(Path::new("")), &Zoned::now().strftime("%Y%m%d%H%M%S").to_string()))
}

/// The first name with this time that nothing has yet.
fn free(folder: &Path, stamp: &str) -> PathBuf {
    let named = |more: &str| folder.join(format!("output-{stamp}{more}.jsonl"));
    let mut path = named("");
    let mut count = 1;
    while path.exists() && count < 1000 {
        count += 1;
        path = named(&format!("-{count}"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_the_same_second_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["output-20241217100000.jsonl", "output-20241217100000-2.jsonl", "output-20241217100000-3.jsonl"] {
            let path = free(folder.path(), "20241217100000");
            assert_eq!(path.file_name().unwrap(), name);
            std::fs::write(path, "").unwrap();
        }
    }
}
