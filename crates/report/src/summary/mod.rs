//! `summary.json`, for programs: the source of baselines.
//!
//! ```json
//! {
//!   "agentci_version": "0.1.0",
//!   "aggregates": { "cases_total": 2, "cases_pass": 1, "pass_rate": 0.5, "metrics": { "wall_ms": { "p95": 56.0 } } },
//!   "cases": [{ "id": "t1", "status": "pass", "wall_ms": 56, "tool_calls": 1 }],
//!   "generated_at": "2025-11-15T03:06:41.323000Z",
//!   "run": { "run_id": "20251115-030640", "mode": "replay", "exit_status": "failed" },
//!   "runledger_version": "0.2.3",
//!   "schema_version": 1,
//!   "suite": { "name": "demo", "suite_path": "evals/demo/suite.yaml", "tool_mode": "replay" }
//! }
//! ```
//!
//! (Shortened.) The field names are those of `RunLedger`, so that its baselines and tools keep working, with additional
//! fields of agentci. Keys are sorted and cases are ordered by id, so that two summaries can be compared line by line.

mod case;
mod report;

pub use report::{RUNLEDGER_VERSION, Summary};
