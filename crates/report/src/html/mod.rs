//! `report.html`: one file for a browser, without a server or network.
//!
//! ```text
//! ┌──────────────────────────────────────────────────────────────┐   ┌──────────────────────────────────────────────┐
//! │ refunds                                               failed │   │ ← all cases              [previous] [next]   │
//! │ pass rate 50 %   total time 70 ms   mean 34 ms   p95 56 ms   │   │ fail partial-refund                    12 ms │
//! │ ███████████████████░░░░   ▁▂▅█▇▃▂▁                           │   │ `tool_called` failed: ..                     │
//! │ gates · since the baseline                                   │ → │   14 │ - tool_called: { name: refund_order } │
//! │ [search   ] [failed 1] [passed 1] [flaky] [tag] [changed]    │   │ checks · runs · baseline                     │
//! │ status  case          reason                 time   checks   │   │ lanes ▆▆▆▆▁▁▆▆▆▆▆▆                           │
//! │ fail    partial-ref   `tool_called` failed  12 ms     1/3    │   │ trace: turns, calls, results, final output   │
//! └──────────────────────────────────────────────────────────────┘   └──────────────────────────────────────────────┘
//! ```
//!
//! The overview is plain HTML. Without JavaScript it is followed by a row for every case and the evidence of the first
//! 200 that did not pass, in a `noscript` element, which a browser with JavaScript does not even build. With
//! JavaScript, the page's script builds the table and a view of each case from data that is packed into the page
//! (`page_data`). The policy in the page allows that script and the style, by their hashes, and nothing else; untrusted
//! text only ever becomes text.
//!
//! Little is kept about cases that passed, and as much as fits about those that did not (`case_details`). Of many cases,
//! only the first 10,000 and those that did not pass have a row (`shown_cases`). The page says what is missing, and
//! `run.jsonl` has it. Case number *n* of the suite has the anchor `#cn`.

mod assets;
mod attempt;
mod baseline;
mod bounded_texts;
mod case;
mod case_details;
mod charts;
mod check;
mod detail;
mod finding;
mod page;
mod page_data;
mod rows;
mod shown_cases;
mod step;
mod steps;
mod table;
mod value;

pub use page::Html;
pub(crate) use page::{name, shortened};
