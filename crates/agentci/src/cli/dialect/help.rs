//! Help texts of flags for all formats that mean something else in one of them.

/// `--timeout`.
pub(crate) const TIMEOUT: &str = "How long a case may take, e.g. `90s`; in the aumai format, the whole suite";

/// `--json`.
pub(crate) const JSON: &str = "Print the summary (in the aumai format the result) as JSON to standard output, and everything \
                               else to standard error";

/// `--out`, with a list of extensions.
pub(crate) fn out_help(extensions: &str) -> String {
    format!(
        "Make the report that the extension of PATH asks for: {extensions} (may be repeated); in the scenario format also the \
         folder for the results and `runner.log`"
    )
}

/// What to do about a folder after `--out` where no suite leaves its results in one.
pub(crate) const RESULTS_FOLDER: &str =
    "only suites of the scenario format leave their results in a folder; others have `--output-dir`";
