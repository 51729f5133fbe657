//! Reports: consumers of the run event stream.
//!
//! A report is a [`Reporter`]: it consumes run events and writes text to an output that the caller provides. Nothing
//! here opens a file or reads the clock, so replaying a stored run gives the same bytes as the run itself. [`FanOut`]
//! feeds several reports at once, and [`REPORTS`] lists the reports by name. What most reports need about a run is
//! collected once for all of them, in [`SharedRuns`].

mod agents;
mod ananke;
mod annotation;
mod aumai;
mod buffer;
mod console;
mod csv;
mod cut;
mod document;
mod duration;
mod failures;
mod fan_out;
mod findings;
mod gates;
mod github;
mod html;
mod json_object;
mod jsonl;
mod junit;
mod markdown;
mod matrix;
mod overall;
mod paint;
mod recheck;
mod registry;
mod reporter;
mod rounding;
mod run;
mod run_rows;
mod scenario;
mod score;
mod shared_runs;
mod similarity;
mod snippet;
mod stability;
mod summary;
mod trajectory_diff;
mod yao;

pub use agentci_text::{and_more, count_of, first_of, html_text, one_line, printable, xml_attribute, xml_text};
pub use agents::HELP as NO_AGENT_HELP;
pub use ananke::TestList;
pub use annotation::{Checkout, not_loaded_annotations};
pub use aumai::{AgentTestResult, TestSuite, TestSuiteCollector, TestSuiteResult, label};
pub use buffer::Buffer;
pub use console::{Console, ConsoleOptions};
pub use csv::Csv;
pub use document::{DocumentReport, PieceSink, RunDocument};
pub use fan_out::FanOut;
pub use gates::{baseline_problem, changes, comparison_table, gate, regression};
pub use github::Github;
pub use html::Html;
pub use jsonl::Jsonl;
pub use junit::Junit;
pub use markdown::Markdown;
pub use paint::{Paint, Tone};
pub use registry::{REPORTS, ReportKind};
pub use reporter::{ReportError, ReportOutput, Reporter};
pub use run::ReportedRun;
pub use run_rows::{JournalReader, RowRef, RunRows};
pub use scenario::ScenarioResults;
pub use shared_runs::SharedRuns;
pub use snippet::{Heading, Snippet, diagnostic, not_loaded};
pub use summary::{RUNLEDGER_VERSION, Summary};
pub use trajectory_diff::{DiffDocument, DiffOrigin, diff_html, diff_json, diff_markdown, diff_table};
pub use yao::{YaoDocument, YaoLines, YaoMarkdown};

// Helpers that most reports use are available under one name.
use buffer::BufferedReporter;
use document::{PIECE, in_one_piece, of_pieces, write_json};
use duration::{duration, duration_of};
use findings::decisive_attempt;
use overall::gate_lines;
use registry::OwnReports;
use rounding::percent;
