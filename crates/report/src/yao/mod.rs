//! The results of a suite of the `yao` dialect, in the formats that its users know.
//!
//! As lines, each written as soon as it is known:
//!
//! ```json
//! {"type":"start","timestamp":"2025-11-15T03:06:40.123000Z","agent_id":"tests.keyword","total_cases":2}
//! {"type":"result","id":"T001","status":"passed","duration_ms":56,"output":"..."}
//! {"type":"result","id":"T002","status":"skipped","duration_ms":0}
//! {"type":"summary","total":2,"passed":1,"failed":0,"skipped":1,"errors":0,"timeouts":0,"duration_ms":70}
//! ```
//!
//! A case that is run more than once has a line of `"type":"stability"` instead of `result`, and the summary covers all
//! runs.
//!
//! As one JSON document: `summary`, `environment`, `results`, with several runs also `stability_results`, and
//! `metadata`. Every result has a `pass_rate`, whether the case was run once or more often, so that one query covers
//! both. A skipped case has 100: none of its runs failed.
//!
//! As Markdown: the same for readers.

mod document;
mod lines;
mod markdown;
mod record;
mod run_rows;

pub use document::YaoDocument;
pub use lines::YaoLines;
pub use markdown::YaoMarkdown;

use crate::registry::JSON;
use crate::{OwnReports, ReportKind, of_pieces};

/// The reports of the dialect.
pub(crate) static REPORTS: OwnReports = OwnReports {
    dialect: "yao",
    kinds: &[
        ReportKind::new(JSON, "result.json", &["json"], |output| Box::new(YaoDocument::streamed(output))),
        ReportKind::new("jsonl", "results.jsonl", &["jsonl"], |output| Box::new(YaoLines::new(of_pieces(output))))
            .streaming(),
        ReportKind::new("markdown", "report.md", &["md", "markdown"], |output| Box::new(YaoMarkdown::streamed(output)))
            .joining(),
    ],
    words_in_junit: false,
};
