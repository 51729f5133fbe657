//! The matrix in `summary.json`, with all its numbers.

use agentci_verdict::MatrixNumbers;
use serde_json::{Value, json};

use crate::ReportedRun;

/// The document; `None` for a run without a matrix.
pub(crate) fn document(run: &ReportedRun) -> Option<Value> {
    let results = run.rows.matrix()?;
    let combinations = results.combinations.iter().map(|found| json!({ "axes": found.axes, "numbers": found.numbers }));
    Some(json!({
        "confidence": MatrixNumbers::CONFIDENCE,
        "axes": results.axes,
        "combinations": combinations.collect::<Vec<_>>(),
    }))
}
