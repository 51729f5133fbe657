//! The data types of the result.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The result of one test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentTestResult {
    /// The name of the test.
    pub test_case_name: String,
    /// Whether all assertions passed.
    pub passed: bool,
    /// The answer of the agent.
    pub actual_output: String,
    /// A label for each assertion that passed.
    #[serde(default)]
    pub assertions_passed: Vec<String>,
    /// A sentence for each assertion that failed.
    #[serde(default)]
    pub assertions_failed: Vec<String>,
    /// The duration of the call, in milliseconds.
    #[serde(deserialize_with = "milliseconds")]
    pub duration_ms: f64,
    /// The number of tokens of the answer.
    #[serde(default)]
    pub tokens_used: u64,
}

/// The result of a suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestSuiteResult {
    /// The name of the suite.
    pub suite_name: String,
    /// The results of all tests, in the order of the suite.
    #[serde(default)]
    pub results: Vec<AgentTestResult>,
    /// The number of tests that were run.
    pub total: usize,
    /// The number of tests that passed.
    pub passed: usize,
    /// The number of tests that did not pass.
    pub failed: usize,
    /// The total duration, in milliseconds.
    #[serde(deserialize_with = "milliseconds")]
    pub duration_ms: f64,
}

impl TestSuiteResult {
    /// The result of a suite with its counts.
    pub fn new(suite_name: impl Into<String>, results: Vec<AgentTestResult>, duration_ms: f64) -> Self {
        let passed = results.iter().filter(|result| result.passed).count();
        let total = results.len();
        Self { suite_name: suite_name.into(), results, total, passed, failed: total - passed, duration_ms }
    }
}

/// A duration is never negative.
fn milliseconds<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(deserializer)?;
    if number >= 0.0 { Ok(number) } else { Err(D::Error::custom("a duration must be 0 or more")) }
}
