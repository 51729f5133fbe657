//! The results of the `scenario` dialect: one line per scenario.
//!
//! ```text
//! test_name,status,similarity,error
//! why_net_lower,PASS,0.9123,
//! wrong_region,FAIL,0.4312,the answer is not near enough to the expected text: ...
//! missing_stub,STUB_MISS,,no fixture of `paySlips` fits this request
//! ```
//!
//! The status is one of `PASS`, `FAIL`, `TIMEOUT`, `EMBEDDING_ERROR` and `STUB_MISS`. The similarity has four decimals
//! and is empty if none was measured; the error is empty if and only if the status is `PASS`. A skipped scenario has no
//! line.

use std::io::{self, BufWriter, Write};

use agentci_verdict::{CaseEnd, CaseRow, CaseStatus, Cause, Measure};

use crate::csv::cell;
use crate::{DocumentReport, OwnReports, PIECE, ReportKind, ReportedRun, RunDocument, cut, one_line};

/// The reports of the dialect.
pub(crate) static REPORTS: OwnReports = OwnReports {
    dialect: "scenario",
    kinds: &[ReportKind::new("csv", "results.csv", &["csv"], |output| Box::new(ScenarioResults::streamed(output)))],
    words_in_junit: false,
};

/// The maximum length of an error, in bytes.
const ERROR_LIMIT: usize = 500;

/// Writes the results of a run. Several runs are written one below another.
pub type ScenarioResults = DocumentReport<ScenarioTable>;

#[derive(Debug, Default)]
pub struct ScenarioTable;

impl RunDocument for ScenarioTable {
    const REPORT: &'static str = "results";
    const JOINS_RUNS: bool = true;

    fn write(&mut self, runs: &[ReportedRun], out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(PIECE, out);
        out.write_all(b"test_name,status,similarity,error\r\n")?;
        let rows = runs.iter().flat_map(|run| run.rows.iter()).filter(|row| row.status() != CaseStatus::Skipped);
        rows.into_iter().try_for_each(|row| out.write_all(line(&row).as_bytes()))?;
        out.flush()
    }
}

fn line(row: &CaseRow) -> String {
    let end = row.decisive();
    let status = status(end);
    let similarity = Measure::of(end).filter(|_| matches!(status, "PASS" | "FAIL")).map(|measure| measure.shown());
    format!("{},{status},{},{}\r\n", cell(row.id()), similarity.unwrap_or_default(), cell(&error(end)))
}

/// The status of a scenario. If there are several causes, the one that explains the others counts: an invalid scenario,
/// an unanswered request, a timeout, the agent, the embeddings, and only then the checks.
fn status(end: &CaseEnd) -> &'static str {
    if end.status == CaseStatus::Pass {
        return "PASS";
    }
    let causes: Vec<Cause> = end.findings.iter().map(|finding| finding.cause).chain(end.cause).collect();
    let word = |cause: &Cause| match cause {
        Cause::Config => (0, "FAIL"),
        Cause::StubMiss => (1, "STUB_MISS"),
        Cause::Timeout => (2, "TIMEOUT"),
        Cause::Embedding => (4, "EMBEDDING_ERROR"),
        Cause::Check | Cause::Limit => (5, "FAIL"),
        Cause::ReplayMiss
        | Cause::ToolNotAllowed
        | Cause::ProviderWouldRefuse
        | Cause::ToolNotOffered
        | Cause::ArgumentsDoNotFit
        | Cause::FormatNotMet
        | Cause::ModelMiss
        | Cause::ModelNeverAsked
        | Cause::Protocol
        | Cause::AgentExited
        | Cause::AgentError
        | Cause::Unreachable
        | Cause::CheckTimeout
        | Cause::Hook
        | Cause::Interrupted
        | Cause::NotRechecked => (3, "FAIL"),
    };
    causes.iter().map(word).min().map_or("FAIL", |(_, word)| word)
}

/// Why it did not pass, in one line.
fn error(end: &CaseEnd) -> String {
    if end.status == CaseStatus::Pass {
        return String::new();
    }
    let mut told: Vec<&str> = Vec::new();
    for finding in &end.findings {
        // The agent's own message is in the following lines.
        let lines = if finding.cause == Cause::AgentError { usize::MAX } else { 1 };
        for line in finding.message.lines().map(str::trim).take(lines) {
            if !line.is_empty() && !told.contains(&line) {
                told.push(line);
            }
        }
    }
    if told.is_empty() {
        told.push(end.cause.map_or("no reason was recorded", Cause::name));
    }
    one_line(&cut::name(&told.join("; "), ERROR_LIMIT)).into_owned()
}

#[cfg(test)]
mod tests {
    use agentci_verdict::Similarity;
    use agentci_verdict::{Finding, settle};

    use super::*;

    fn written(causes: &[(Cause, &str)], similarity: Option<f64>) -> String {
        let findings: Vec<Finding> = causes
            .iter()
            .map(|(cause, message)| Finding { cause: *cause, message: (*message).into(), ..Finding::default() })
            .collect();
        let (status, cause) = settle(&findings);
        let measured = |similarity| Similarity { similarity, embedder: "x".into(), ..Similarity::default() };
        let similarities = similarity.map(measured).into_iter().collect();
        let end = CaseEnd { runs: 1, status, cause, findings, similarities, ..CaseEnd::default() };
        line(&CaseRow::new(&"t".into(), [end]))
    }

    #[test]
    fn maps_every_status() {
        let seen = |causes: &[Cause], similarity| {
            written(&causes.iter().map(|cause| (*cause, "it went wrong")).collect::<Vec<_>>(), similarity)
        };
        assert_eq!(seen(&[], Some(0.912_34)), "t,PASS,0.9123,\r\n");
        assert_eq!(seen(&[Cause::Check], Some(0.4)), "t,FAIL,0.4000,it went wrong\r\n");
        assert_eq!(seen(&[Cause::Check], Some(-0.2)), "t,FAIL,0.0000,it went wrong\r\n");
        assert_eq!(seen(&[Cause::Check], None), "t,FAIL,,it went wrong\r\n");
        for (causes, word) in [
            (&[Cause::Embedding][..], "EMBEDDING_ERROR"),
            (&[Cause::Check, Cause::Embedding], "EMBEDDING_ERROR"),
            (&[Cause::AgentError, Cause::Embedding], "FAIL"),
            (&[Cause::Timeout], "TIMEOUT"),
            (&[Cause::Timeout, Cause::StubMiss], "STUB_MISS"),
            (&[Cause::StubMiss, Cause::Config], "FAIL"),
            (&[Cause::Unreachable], "FAIL"),
        ] {
            assert!(seen(causes, None).starts_with(&format!("t,{word},,")), "{causes:?}");
        }
        assert!(seen(&[Cause::StubMiss], Some(0.9)).starts_with("t,STUB_MISS,,"));
    }

    #[test]
    fn errors_are_one_short_line_without_formulas() {
        assert_eq!(
            written(&[(Cause::StubMiss, "nothing fits\nmore"), (Cause::Timeout, "too late")], None),
            "t,STUB_MISS,,\"nothing fits; too late\"\r\n"
        );
        assert_eq!(
            written(&[(Cause::AgentError, "status 500\nit says: no model")], None),
            "t,FAIL,,\"status 500; it says: no model\"\r\n"
        );
        assert_eq!(written(&[(Cause::Check, "=1+1")], None), "t,FAIL,,'=1+1\r\n");
        assert_eq!(written(&[(Cause::Check, "")], None), "t,FAIL,,check\r\n");
        assert!(written(&[(Cause::Check, &"x".repeat(9999))], None).len() < 600);
    }
}
