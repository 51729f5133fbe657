//! `report.html`, one file for a browser: no server, no network.
//!
//! ```text
//! ┌──────────────────────────────────────────────────────────────┐   ┌──────────────────────────────────────────────┐
//! │ refunds                                               failed │   │ ← all cases              [previous] [next]   │
//! │ pass rate 50 %   total time 70 ms   mean 34 ms   p95 56 ms   │   │ fail partial-refund                    12 ms │
//! │ ███████████████████░░░░   ▁▂▅█▇▃▂▁                           │   │ check `tool_called` did not hold             │
//! │ gates · since the baseline                                   │ → │   14 │ - tool_called: { name: refund_order } │
//! │ [search   ] [failed 1] [passed 1] [flaky] [tag] [changed]    │   │ checks · runs · against the baseline         │
//! │ status  case          why                    time   checks   │   │ lanes ▆▆▆▆▁▁▆▆▆▆▆▆                           │
//! │ fail    partial-ref   check did not hold    12 ms     1/3    │   │ trace: turns, calls, results, final output   │
//! └──────────────────────────────────────────────────────────────┘   └──────────────────────────────────────────────┘
//! ```
//!
//! The overview is plain HTML. Without a script there follow a row for every case and the evidence of the first 200 that did
//! not pass, in a `noscript` element, which a browser with scripts does not even build. With one, the page's own script makes
//! the table and a view of each case out of data that is packed into the page (`pack`). The policy in the page allows that
//! script and the style, by their hashes, and nothing else; texts from outside only ever become text.
//!
//! Of cases that passed little is kept, of those that did not as much as there is room for (`gathered`); the page says what
//! is missing, and `run.jsonl` has it. Case number *n* of the suite has the anchor `#cn`.

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
mod step;
mod steps;
mod table;
mod value;

pub use page::Html;
