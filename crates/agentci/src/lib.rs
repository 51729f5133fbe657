//! Tests AI agents in CI: record model and tool calls once, replay them for free, and see which step changed.
//!
//! This is the library behind the `agentci` binary: the stages of the pipeline, each in its own crate, and [`Suites`],
//! which combines them.
//!
//! ```no_run
//! use agentci::{Settings, Suites, verdict::CaseStatus};
//!
//! let suites = Suites::load(["evals/demo"]);
//! assert!(!suites.problems().has_errors());
//! let status = suites.run(&Settings::default(), |event| println!("{}", event.body.name()))?;
//! assert_eq!(status, CaseStatus::Pass);
//! # Ok::<(), std::io::Error>(())
//! ```

// The published API. Other crates document what a name does not say.
#![warn(missing_docs)]

// The command line refers to the library in the same way as other callers.
extern crate self as agentci;

/// The command line. It is public for `main.rs` and for `crates/dev`, which documents it. It is not part of the
/// library's API: anything in it may change in any version.
#[doc(hidden)]
pub mod cli;
mod disk;
mod environment;
pub mod mock;
mod policies;
mod programs;
mod project;
mod python_scripts;
mod recheck;
mod recording;
mod resume;
mod scripts;
pub mod shards;
mod suites;

pub use agentci_checks as checks;
pub use agentci_drivers as drivers;
pub use agentci_embed as embed;
pub use agentci_formats as formats;
pub use agentci_ledger as ledger;
pub use agentci_mock_llm as mock_llm;
pub use agentci_mock_mcp as mock_mcp;
pub use agentci_plan as plan;
pub use agentci_report as report;
pub use agentci_runner as runner;
pub use agentci_runner::Settings;
pub use agentci_script as script;
pub use agentci_source as source;
pub use agentci_stubs as stubs;
pub use agentci_stubs::Tool;
pub use agentci_trace as trace;
pub use agentci_trajectory as trajectory;
pub use agentci_verdict as verdict;
pub use disk::{DiskFiles, NotedFiles};
pub use environment::{environment, environment_secrets};
pub use mock::{
    AgentTestCase, AgentTestConfig, AgentTestResult, AgentTestRunner, ConsoleReporter, JsonReporter, JunitReporter,
    MockLlmConfig, MockLlmProvider, MockLlmResponse, SuiteReporter, TestSuiteResult, assert_calls_tool,
    assert_contains_text, assert_matches_schema, assert_max_latency, assert_max_tokens, assert_no_pii,
    assert_valid_json, create_mock_anthropic, create_mock_openai, load_test_suite,
};
pub use policies::read_baseline;
pub use project::real as real_path;
pub use recheck::{RecheckError, RecheckedRun};
pub use resume::{ResumeError, Resumption, StoredProgress};
pub use suites::{LoadedSuite, Suites};
