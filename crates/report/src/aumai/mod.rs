//! The result of a suite of the `aumai` dialect, in that dialect's own format.
//!
//! ```json
//! {
//!   "suite_name": "tests",
//!   "results": [
//!     {
//!       "test_case_name": "greets",
//!       "passed": false,
//!       "actual_output": "Hello!",
//!       "assertions_passed": ["contains_text: 'hello'"],
//!       "assertions_failed": ["max_tokens: 60 exceeds limit 50"],
//!       "duration_ms": 0.071,
//!       "tokens_used": 60
//!     }
//!   ],
//!   "total": 1,
//!   "passed": 0,
//!   "failed": 1,
//!   "duration_ms": 1.204
//! }
//! ```

mod gather;
mod labels;
mod result;

pub use gather::{TestSuite, TestSuiteCollector};
pub use labels::label;
pub use result::{AgentTestResult, TestSuiteResult};

use crate::registry::JSON;
use crate::{OwnReports, ReportKind};

/// The reports of the dialect.
pub(crate) static REPORTS: OwnReports = OwnReports {
    dialect: "aumai",
    kinds: &[ReportKind::new(JSON, "result.json", &["json"], |output| Box::new(TestSuite::streamed(output)))],
    words_in_junit: true,
};
