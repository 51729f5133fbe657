//! The baseline: what later runs are compared with, and the results of recent runs.
//!
//! A baseline file is JSON with one line per case, per run, and per distinct prompt, so that it diffs and merges well:
//!
//! ```json
//! {
//! "schema_version": 2,
//! "suite": {"name":"demo","suite_path":"evals/demo/suite.yaml","tool_mode":"replay","tool_steps_rule":3},
//! "cases": [
//! {"id":"t1","status":"pass","assertions":{"failed":0,"total":1},"tool_calls":1,"tool_errors":0,"tool_steps":[{"tool":"search_docs","args_hash":"9f86d081884c7d65"}]}
//! ],
//! "runs": {
//! "5": [
//! {"id":"5be7b3d9-20251115-030640","at":"2025-11-15T03:06:41.000000Z","mode":"replay","pass_rate":1.0,"wall_ms":{"mean":56.0,"p95":56.0},"cases":{"t1":[1,1,56,812,0.0031]}}
//! ]
//! },
//! "prompts": {}
//! }
//! ```
//!
//! The line of a case changes only if the case behaves differently. What differs from run to run is in the line of the
//! run: the passes, runs, and medians of wall time, tokens and cost of each case. Runs are grouped by the first digit of
//! their id, which is that of a digest, so that two branches that each add a run rarely change the same place.
//!
//! Version 1 is the `summary.json` of a run, as `RunLedger` and earlier versions write it. It is read as a history of
//! one run.

mod case;
mod history;
mod past_run;
mod print;
mod promote;
mod read;
mod record;
mod summary;

pub use case::{BaselineCase, CaseHistory, Measure};
pub use history::{History, KEPT_RUNS};
pub use past_run::{CaseSample, PastRun};
pub use print::print_baseline;
pub use promote::{incomplete, promote};
pub(crate) use read::VERSION as BASELINE_VERSION;
pub(crate) use record::mode_of;
pub use record::{Baseline, BaselineError, SCHEMA_VERSION, STEPS_RULE};
