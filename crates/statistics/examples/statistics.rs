//! Runs the statistical tests: reads one test per line, as JSON, and prints its p-value, or a list of them.
//!
//! ```sh
//! echo '{"test":"fisher","history":[45,50],"current":[2,5]}' | cargo run -p agentci-statistics --example statistics
//! ```
//!
//! prints `1.8363434567652111e-2`, with all its digits; `null` if there is nothing to test. The other tests:
//!
//! ```json
//! {"test":"mantel_haenszel","strata":[[45,50,2,5]]}
//! {"test":"benjamini_hochberg","p":[0.01,0.5]}
//! {"test":"rank_sum","history":[1.5,2],"current":[3]}
//! {"test":"stratified_rank_sum","strata":[{"history":[1.5,2],"current":[3]}]}
//! ```

use std::error::Error;
use std::io::{BufRead as _, BufWriter, Write as _, stdin, stdout};

use agentci_statistics::{
    Counts, benjamini_hochberg, fisher_lower, mantel_haenszel_lower, rank_sum, stratified_rank_sum,
};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let test: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&test).ok_or_else(|| format!("not a test: {test}"))?)?;
    }
    Ok(out.flush()?)
}

fn answer(test: &Value) -> Option<String> {
    Some(match test["test"].as_str()? {
        "fisher" => digits(fisher_lower(counts(test["history"].as_array()?)?, counts(test["current"].as_array()?)?)),
        "mantel_haenszel" => {
            let stratum = |stratum: &Value| {
                let (history, current) = stratum.as_array()?.split_at_checked(2)?;
                Some((counts(history)?, counts(current)?))
            };
            let strata: Option<Vec<_>> = test["strata"].as_array()?.iter().map(stratum).collect();
            optional(mantel_haenszel_lower(&strata?))
        }
        "benjamini_hochberg" => {
            let adjusted: Vec<String> = benjamini_hochberg(&numbers(&test["p"])?).into_iter().map(digits).collect();
            format!("[{}]", adjusted.join(","))
        }
        "rank_sum" => optional(rank_sum(&numbers(&test["history"])?, &numbers(&test["current"])?)),
        "stratified_rank_sum" => {
            let stratum = |stratum: &Value| Some((numbers(&stratum["history"])?, numbers(&stratum["current"])?));
            let strata: Option<Vec<_>> = test["strata"].as_array()?.iter().map(stratum).collect();
            optional(stratified_rank_sum(&strata?))
        }
        _ => return None,
    })
}

fn counts(pair: &[Value]) -> Option<Counts> {
    let [passes, runs] = pair else { return None };
    Some(Counts { passes: passes.as_u64()?, runs: runs.as_u64()? })
}

fn numbers(list: &Value) -> Option<Vec<f64>> {
    list.as_array()?.iter().map(Value::as_f64).collect()
}

fn digits(number: f64) -> String {
    format!("{number:.16e}")
}

fn optional(number: Option<f64>) -> String {
    number.map_or_else(|| "null".into(), digits)
}
