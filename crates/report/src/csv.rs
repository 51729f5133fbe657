//! `report.csv`, for spreadsheets: one line per case.
//!
//! ```text
//! suite,case,status,cause,runs,runs_passed,wall_ms,tool_calls,tool_errors,tokens_in,tokens_out,cost_usd,checks,checks_failed,tags,reason,file,line,pass_rate,stability,mean_ms,min_ms,max_ms,std_deviation_ms,identical_outputs,similarity,embedder,model_calls
//! demo,t2,fail,check,1,0,12,2,1,,,,3,2,docs money,`must_call` failed: `create_issue` was never called,evals/demo/cases/t2.yaml,9,,,,,,,,,
//! ```
//!
//! Seven columns are for cases that are run more than once, and `similarity` and `embedder` for semantic checks. The
//! format is that of RFC 4180: lines end in CR LF, and a text that contains a comma, a quote or a line end is quoted. A
//! text that a spreadsheet would treat as a formula is prefixed with an apostrophe.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use agentci_verdict::{CaseRow, CaseStatus, Cause, Measure, Stability};

use crate::{DocumentReport, PIECE, ReportedRun, RunDocument, cut, findings, printable};

const COLUMNS: &str = "suite,case,status,cause,runs,runs_passed,wall_ms,tool_calls,tool_errors,tokens_in,tokens_out,cost_usd,\
    checks,checks_failed,tags,reason,file,line,pass_rate,stability,mean_ms,min_ms,max_ms,std_deviation_ms,identical_outputs,\
    similarity,embedder,model_calls";
/// The maximum length of a text in a cell, in bytes: spreadsheets accept 32,767 characters.
const TEXT_LIMIT: usize = 8 * 1024;

/// Writes `report.csv`. Several runs are written one below another.
pub type Csv = DocumentReport<CsvDocument>;

/// The table of all cases.
#[derive(Debug, Default)]
pub struct CsvDocument;

impl RunDocument for CsvDocument {
    const REPORT: &'static str = "csv";
    const JOINS_RUNS: bool = true;

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(PIECE, out);
        write!(out, "{COLUMNS}\r\n")?;
        for run in runs {
            run.rows.iter().try_for_each(|row| out.write_all(line(&run.suite, &row).as_bytes()))?;
        }
        out.flush()
    }
}

fn line(suite: &str, row: &CaseRow) -> String {
    let end = row.decisive();
    let usage = &end.metrics.usage;
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let finding = findings::decisive(end);
    let place = finding.and_then(|finding| finding.place.as_ref()).or(end.place.as_ref());
    let cells = [
        cell(suite),
        cell(row.id()),
        end.status.name().to_owned(),
        end.cause.map(Cause::name).unwrap_or_default().to_owned(),
        row.runs().to_string(),
        row.attempts.iter().filter(|end| end.status == CaseStatus::Pass).count().to_string(),
        row.wall_ms().to_string(),
        end.metrics.tool_calls.to_string(),
        end.metrics.tool_errors.to_string(),
        number(usage.tokens_in),
        number(usage.tokens_out),
        usage.cost_usd.map(|cost| cost.to_string()).unwrap_or_default(),
        end.assertions.total.to_string(),
        end.assertions.failed.to_string(),
        cell(&end.tags.join(" ")),
        cell(&findings::reason(end).unwrap_or_default()),
        cell(place.map(|place| &*place.path).unwrap_or_default()),
        number(place.map(|place| u64::from(place.line)).filter(|line| *line > 0)),
    ];
    let more = stability(row).into_iter().chain(similarity(row)).chain([number(end.metrics.model_calls)]);
    cells.into_iter().chain(more).collect::<Vec<_>>().join(",") + "\r\n"
}

/// The similarity of the answer to the expected one, and the embedder.
fn similarity(row: &CaseRow) -> [String; 2] {
    let Some(measure) = Measure::of(row.decisive()) else { return Default::default() };
    [measure.shown(), cell(&measure.embedder)]
}

/// The stability of a case that is run more than once.
fn stability(row: &CaseRow) -> [String; 7] {
    let Some(stability) = Stability::of_several(row) else { return Default::default() };
    [
        stability.pass_rate.to_string(),
        stability.stability_class.name().to_owned(),
        stability.avg_duration_ms.to_string(),
        stability.min_duration_ms.to_string(),
        stability.max_duration_ms.to_string(),
        stability.std_deviation_ms.to_string(),
        stability.identical_outputs.map(|share| share.to_string()).unwrap_or_default(),
    ]
}

/// An untrusted text as a cell.
pub(crate) fn cell(text: &str) -> String {
    let text = printable(cut::head(text, TEXT_LIMIT).0);
    // Some spreadsheets also detect formulas after leading blanks.
    let formula = text.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']);
    let text = if formula || text.starts_with('\t') { Cow::Owned(format!("'{text}")) } else { text };
    if text.contains([',', '"', '\n', '\r', ';', '\t']) || text.starts_with(' ') {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_formulas_and_separators() {
        assert_eq!(cell("=HYPERLINK(\"http://e.example\")"), "\"'=HYPERLINK(\"\"http://e.example\"\")\"");
        for text in ["+1", "-1", "@SUM(A1)", " =1", "\n=1", "＝1"] {
            assert!(cell(text).trim_start_matches('"').starts_with('\''), "{text:?}");
        }
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("a\nb"), "\"a\nb\"");
        assert_eq!(cell("a\r=1"), "a\\u{d}=1");
        assert_eq!(cell("plain - text"), "plain - text");
        assert_eq!(cell(""), "");
    }
}
