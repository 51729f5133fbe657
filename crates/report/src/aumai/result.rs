//! The result as data.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// What came of one test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentTestResult {
    /// The name of the test.
    pub test_case_name: String,
    /// Whether nothing that was expected is missing.
    pub passed: bool,
    /// What was answered.
    pub actual_output: String,
    /// A label for each expectation that was met.
    #[serde(default)]
    pub assertions_passed: Vec<String>,
    /// A sentence for each that was not.
    #[serde(default)]
    pub assertions_failed: Vec<String>,
    /// How long the call took, in milliseconds.
    #[serde(deserialize_with = "milliseconds")]
    pub duration_ms: f64,
    /// The tokens of the answer.
    #[serde(default)]
    pub tokens_used: u64,
}

/// What came of a suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestSuiteResult {
    /// The name of the suite.
    pub suite_name: String,
    /// One for each test, in the order of the suite.
    #[serde(default)]
    pub results: Vec<AgentTestResult>,
    /// How many tests were run.
    pub total: usize,
    /// How many of them passed.
    pub passed: usize,
    /// How many did not.
    pub failed: usize,
    /// How long all of it took, in milliseconds.
    #[serde(deserialize_with = "milliseconds")]
    pub duration_ms: f64,
}

impl TestSuiteResult {
    /// The result of a suite, counted.
    pub fn new(suite_name: impl Into<String>, results: Vec<AgentTestResult>, duration_ms: f64) -> Self {
        let passed = results.iter().filter(|result| result.passed).count();
        let total = results.len();
        Self { suite_name: suite_name.into(), results, total, passed, failed: total - passed, duration_ms }
    }
}

/// A duration is never less than nothing.
fn milliseconds<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if number >= 0.0 { Ok(number) } else { Err(D::Error::custom("a duration must be 0 or more")) }
}
