//! Tests of model answers from Rust: a scripted model, tests in YAML or Rust, and their results.
//!
//! It is the pipeline of `agentci run` with a smaller API: the same files, the same checks, the same reports. All of it
//! can be called inside and outside an async runtime.
//!
//! ```
//! use agentci::{AgentTestCase, AgentTestRunner, JsonReporter, SuiteReporter, TestSuiteResult, create_mock_openai};
//! use serde_json::json;
//!
//! let test = AgentTestCase::new("greets")?
//!     .message("user", "Hello")
//!     .expecting(json!({ "max_tokens": 50, "no_pii": true }))?;
//! let result = AgentTestRunner::new().run_test(&test, &create_mock_openai());
//! assert!(result.passed, "{:?}", result.assertions_failed);
//!
//! let suite = TestSuiteResult::new("tests", vec![result], 0.0);
//! assert_eq!(serde_json::from_str::<TestSuiteResult>(&JsonReporter::default().report(&suite))?, suite);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assertions;
mod case;
mod config;
mod error;
mod events;
mod fixtures;
mod provider;
mod reporters;
mod response;
mod runner;

pub use agentci_formats::aumai::MAX_YAML_SIZE;
pub use agentci_report::{AgentTestResult, TestSuiteResult};
pub use assertions::{
    assert_calls_tool, assert_contains_text, assert_matches_schema, assert_max_latency, assert_max_tokens,
    assert_no_pii, assert_valid_json,
};
pub use case::{AgentTestCase, Message};
pub use config::AgentTestConfig;
pub use error::{InvalidModelError, LoadError, SimulatedError};
pub use fixtures::{create_mock_anthropic, create_mock_openai, load_test_suite, mock_anthropic, mock_openai};
pub use provider::MockLlmProvider;
pub use reporters::{ConsoleReporter, JsonReporter, JunitReporter, SuiteReporter};
pub use response::{MockLlmConfig, MockLlmResponse};
pub use runner::AgentTestRunner;
