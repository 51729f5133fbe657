//! Help texts of common flags that have another meaning in one of the formats.

/// The headings of flags that apply to some formats only.
pub(crate) const FORMAT_HEADINGS: [&str; 3] = ["Suite formats", "Scenario format", "Yao format"];

/// `--timeout`.
pub(crate) const TIMEOUT: &str = "Timeout per case, such as `90s`; in the aumai format, per suite";

/// `--json`.
pub(crate) const JSON: &str = "Print the result as JSON to standard output, and all other output to standard error";

/// `--out`, with a list of extensions.
pub(crate) fn out_help(extensions: &str) -> String {
    format!("Write a report by extension: {extensions}; scenario format: a directory (may be repeated)")
}

/// The remedy for a folder after `--out` if no suite writes its results to one.
pub(crate) const RESULTS_FOLDER: &str =
    "only suites in the scenario format write their results to a folder; for others use `--output-dir`";
