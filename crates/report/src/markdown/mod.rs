//! `report.md`, for a comment on a change or the summary of a CI job.
//!
//! ````markdown
//! ## ❌ `demo`: failed
//!
//! | cases | passed | failed | errors | skipped | pass rate | time |
//! |--:|--:|--:|--:|--:|--:|--:|
//! | 2 | 1 | 1 | 0 | 0 | 50 % | 70 ms |
//!
//! ### Gates
//!
//! | gate | status | details |
//! |:--|:--|:--|
//! | min_pass_rate | fail | `0.50 is below 0.90 (baseline 1.00)` |
//!
//! ### Cases that did not pass
//!
//! <details><summary><b>FAIL</b> <code>t2</code> <code>`must_call` failed: ..</code></summary>
//!
//! ```text
//! FAIL demo/t2: `must_call` failed: `create_issue` was never called
//!   --> evals/demo/cases/t2.yaml:9:13
//!    |
//!  9 |     tools: [create_issue]
//!    |             ^^^^^^^^^^^^ never called
//! ```
//!
//! </details>
//!
//! ### Stability
//!
//! 2 cases in 6 runs: 1 stable, 1 not; 83.3 % passed on average
//!
//! | case | class | passed | pass rate | mean | min | max | deviation | same output |
//! |:--|:--|--:|--:|--:|--:|--:|--:|--:|
//! | `t2` | unstable | 2 of 3 | 66.7 % | 10 ms | 10 ms | 11 ms | 0.5 ms | 66.7 % |
//!
//! ### Slowest cases
//!
//! | case | time | tool calls |
//! |:--|--:|--:|
//! | `t1` | 56 ms | 1 |
//!
//! mode replay, run `20251115-030640`, commit `0123abcd`, agentci 0.1.0
//! ````
//!
//! Untrusted text is always formatted as code: nothing in it becomes markup, a link or a mention.

pub(crate) mod code;
mod report;

pub use report::Markdown;
pub(crate) use report::stability;
