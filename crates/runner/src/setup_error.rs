//! Why an attempt could not be started.

use agentci_verdict::Finding;

/// Why something that an attempt needs could not be opened.
#[derive(Debug, Default)]
pub(crate) struct SetupError {
    pub(crate) findings: Vec<Finding>,
    /// The output of the program that failed.
    pub(crate) stderr_tail: Vec<String>,
}

impl From<Finding> for SetupError {
    fn from(finding: Finding) -> Self {
        vec![finding].into()
    }
}

impl From<Vec<Finding>> for SetupError {
    fn from(findings: Vec<Finding>) -> Self {
        Self { findings, stderr_tail: Vec::new() }
    }
}
