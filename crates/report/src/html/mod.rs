//! `report.html`, one file for a browser: no server, no network, no scripts.
//!
//! ```text
//! ┌──────────────────────────────────────────────────────────────┐
//! │ refunds                                               failed │
//! │ run 20251115-030640 · replay · python3 agent.py · 0123abcd   │
//! │ pass rate 50 %   total time 70 ms   mean 34 ms   p95 56 ms   │
//! │                                                              │
//! │ [all 2] [passed 1] [failed 1] [errors 0] [skipped 0]         │
//! │ status  case       time  tool calls  checks                  │
//! │ pass    t1        56 ms           1     2/2                  │
//! │ fail    t2        12 ms           2     1/3                  │
//! │                                                              │
//! │ ▼ FAIL t2                                              12 ms │
//! │   check `must_call` did not hold                             │
//! │     --> evals/demo/cases/t2.yaml:9:13 ...                    │
//! │   checks · standard error · final output · trace             │
//! └──────────────────────────────────────────────────────────────┘
//! ```
//!
//! Every case has a row. Up to 200 of them also have a section with their checks and their trace, those that did not pass
//! first; of each at most 200 events are shown, and at most 4 KB of a value. What is left out is said, and nothing that will be
//! left out is kept in memory.
//!
//! Cases have the anchors `#c1`, `#c2` and so on, in the order of the suite.

mod case;
mod gathered;
mod page;
mod report;
mod trace;
mod value;

pub use report::Html;
