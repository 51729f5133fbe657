//! The console report.
//!
//! ```text
//! suite demo (runledger, replay, 4 cases)
//! PASS t1 (56 ms, 1 tool call)
//! FAIL t2 (12 ms, 2 tool calls): `must_call` failed: `create_issue` was never called
//! SKIP t3: not ready yet
//! ERROR t4 (30.0 s): the agent sent nothing for 30 s (timeout)
//!
//! FAIL demo/t2: `must_call` failed: `create_issue` was never called
//!   --> evals/demo/cases/t2.yaml:9:13
//!    |
//!  9 |     tools: [create_issue]
//!    |             ^^^^^^^^^^^^ never called
//!    = the agent called search_docs, search_docs
//!
//! ERROR demo/t4: the agent sent nothing for 30 s (timeout)
//!   --> evals/demo/cases/t4.yaml
//!    = stderr: still thinking
//!
//! 4 cases: 1 passed, 1 failed, 1 error, 1 skipped in 30.1 s (mean 10.0 s, p50 56 ms, p95 30.0 s; 3 tool calls, 0 tool errors)
//! ```
//!
//! Cases are printed in the order of the suite, whichever finished first: a case is shown when all cases before it are
//! complete. With more than 50 cases, passes are only counted, and failures are grouped by what they have in common. On a
//! terminal the last line shows the progress: `[2/4] 1 failed in 5.2 s, running: t4, did not pass: t2`.

mod detail;
mod grouped;
mod lines;
mod progress;
mod report;

pub use report::{Console, ConsoleOptions};
