//! Help texts of flags for all formats that mean something else in one of them.

/// `--timeout`.
pub(crate) const TIMEOUT: &str = "Timeout per case, such as `90s`; in the aumai format, per suite";

/// `--json`.
pub(crate) const JSON: &str = "Print the result as JSON to standard output, and all other output to standard error";

/// `--out`, with a list of extensions.
pub(crate) fn out_help(extensions: &str) -> String {
    format!("Write a report by extension: {extensions}; scenario format: a directory (may be repeated)")
}

/// What to do about a folder after `--out` where no suite leaves its results in one.
pub(crate) const RESULTS_FOLDER: &str =
    "only suites of the scenario format leave their results in a folder; others have `--output-dir`";
