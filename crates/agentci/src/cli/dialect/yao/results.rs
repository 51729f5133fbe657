//! Results that are written next to their tests: `tests/output-20241217100000.jsonl`.

use std::path::{Path, PathBuf};

use agentci::formats::YaoInput;
use agentci::plan::Suite;
use jiff::Zoned;

use crate::cli::dialect::OwnResults;
use crate::cli::dialect::own_results::{free_path, named, own_report};
use crate::cli::report_outputs::destination;

/// The results of a suite whose tests were passed on the command line. Existing files are not overwritten.
pub(super) fn beside(suite: &Suite, input: Option<YaoInput>) -> OwnResults {
    let Some((path, kind)) = input.and_then(|input| path(suite, input)).zip(own_report("jsonl", suite)) else {
        return OwnResults::default();
    };
    let reports = vec![named(&path, kind, destination(kind, &path))];
    OwnResults { path: Some(path), is_out: true, reports, writer: None }
}

fn path(suite: &Suite, input: YaoInput) -> Option<PathBuf> {
    let YaoInput::File(path) = input else { return None };
    // The results of other tests in the same run stay in their run folders.
    let same = path.canonicalize().ok().is_some_and(|path| suite.path.canonicalize().is_ok_and(|own| own == path));
    let folder = path.parent().unwrap_or(Path::new(""));
    same.then(|| free_path(folder, &format!("output-{}", Zoned::now().strftime("%Y%m%d%H%M%S")), "jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_from_the_same_second_get_distinct_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["output-20241217100000.jsonl", "output-20241217100000-2.jsonl", "output-20241217100000-3.jsonl"] {
            let path = free_path(folder.path(), "output-20241217100000", "jsonl");
            assert_eq!(path.file_name().unwrap(), name);
            std::fs::write(path, "").unwrap();
        }
    }
}
