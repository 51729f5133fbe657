//! The numbers of a matrix in words.

use agentci_verdict::{AxisResults, CaseStatus, GridCell, MatrixNumbers};

use super::label::distinct;
use crate::rounding::rounded;
use crate::{count_of, duration, percent};

/// The headings of [`columns`].
pub(super) const HEADINGS: [&str; 6] = ["passed", "pass rate", "95 % interval", "cost", "tokens in/out", "median time"];

/// The maximum length of a value in a sentence.
const VALUE_LIMIT: usize = 60;
/// The maximum number of differences in a sentence.
const DIFFERENCES: usize = 3;

/// The numbers of some runs.
pub(super) fn columns(numbers: &MatrixNumbers) -> [String; 6] {
    let errors = if numbers.errors > 0 { format!(", {}", count_of(numbers.errors, "error")) } else { String::new() };
    let interval = numbers.interval.map(|[low, high]| format!("{} to {}", percent(low), percent(high)));
    [
        format!("{} of {}{errors}", numbers.passes, numbers.runs),
        numbers.pass_rate.map(percent).unwrap_or_default(),
        interval.unwrap_or_default(),
        cost(numbers),
        tokens(numbers),
        numbers.wall_ms.map(duration).unwrap_or_default(),
    ]
}

/// `0.0012 USD`, `unknown`, `0.0012 USD (2 runs unknown)`
pub(super) fn cost(numbers: &MatrixNumbers) -> String {
    let known = numbers.cost_usd.map(|cost| format!("{} USD", rounded(cost, 4, &[0.0])));
    or_unknown(known, numbers.cost_unknown)
}

/// `120 / 30`, `unknown`, `120 / unknown`, `120 / 30 (2 runs unknown)`
pub(super) fn tokens(numbers: &MatrixNumbers) -> String {
    let word = |tokens: Option<u64>| tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string());
    let (input, output) = (numbers.tokens_in, numbers.tokens_out);
    let known = (input.is_some() || output.is_some()).then(|| format!("{} / {}", word(input), word(output)));
    // A part that no run reports is said to be unknown already.
    let part = |tokens: Option<u64>, unknown: u64| if tokens.is_some() { unknown } else { 0 };
    let unknown = part(input, numbers.tokens_in_unknown).max(part(output, numbers.tokens_out_unknown));
    or_unknown(known, if input.or(output).is_some() { unknown } else { numbers.runs })
}

/// A sum of which some runs may be unknown.
fn or_unknown(known: Option<String>, unknown: u64) -> String {
    match (known, unknown) {
        (Some(known), 0) => known,
        (Some(known), _) => format!("{known} ({} unknown)", count_of(unknown, "run")),
        (None, 0) => String::new(),
        (None, _) => "unknown".to_owned(),
    }
}

/// `pass`, or `fail, 2 of 3` if it ran more than once.
pub(super) fn result(cell: &GridCell) -> String {
    let MatrixNumbers { passes, runs, .. } = cell.numbers;
    let word = cell.status.name();
    if runs > 1 { format!("{word}, {passes} of {runs}") } else { word.to_owned() }
}

/// `pass, 12 ms, 0.0012 USD, 120 / 30`
pub(super) fn whole_cell(cell: &GridCell) -> String {
    if cell.status == CaseStatus::Skipped {
        return cell.status.name().to_owned();
    }
    let time = cell.numbers.wall_ms.map(duration).unwrap_or_default();
    let cost = match cost(&cell.numbers) {
        unknown if unknown == "unknown" => "cost unknown".to_owned(),
        known => known,
    };
    let tokens = match tokens(&cell.numbers) {
        unknown if unknown == "unknown" => "tokens unknown".to_owned(),
        known => format!("{known} tokens"),
    };
    [result(cell), time, cost, tokens].join(", ")
}

/// [`whole_cell`], or only the result if a cost or a number of tokens is unknown: these words would fill the table.
pub(super) fn known_cell(cell: &GridCell) -> String {
    let MatrixNumbers { cost_usd, tokens_in, tokens_out, .. } = cell.numbers;
    let unknown = cell.numbers.cost_unknown + cell.numbers.tokens_in_unknown + cell.numbers.tokens_out_unknown;
    let known = unknown == 0 && cost_usd.is_some() && tokens_in.is_some() && tokens_out.is_some();
    if known { whole_cell(cell) } else { result(cell) }
}

/// What can be said about the values of an axis.
pub(super) fn comparison(results: &AxisResults) -> Option<String> {
    if results.values.len() < 2 {
        return None;
    }
    let named = results.differences.iter().take(DIFFERENCES);
    let values: Vec<String> = named.flat_map(|found| [found.more.clone(), found.less.clone()]).collect();
    let mut said: Vec<String> = distinct(&values, VALUE_LIMIT)
        .chunks_exact(2)
        .map(|pair| format!("`{}` passed more often than `{}`", pair[0], pair[1]))
        .collect();
    let more = results.differences.len().saturating_sub(DIFFERENCES);
    if more > 0 {
        said.push(format!("the same holds for {more} more pairs"));
    }
    let mut sentence = match said.is_empty() {
        _ if results.compared == 0 => "not compared, since no two values ran the same cases".to_owned(),
        false => format!("{}: the 95 % intervals do not overlap", said.join(", ")),
        true => "no difference in pass rates beyond chance: the 95 % intervals overlap".to_owned(),
    };
    if !results.same_cases && results.compared > 0 {
        sentence += " (compared only where both ran the same cases)";
    }
    Some(format!("{}: {sentence}", results.axis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> MatrixNumbers {
        MatrixNumbers {
            cases: 3,
            skipped: 0,
            runs: 3,
            passes: 2,
            errors: 0,
            pass_rate: Some(2.0 / 3.0),
            interval: Some([0.2, 0.9]),
            cost_usd: None,
            cost_unknown: 3,
            tokens_in: None,
            tokens_in_unknown: 3,
            tokens_out: None,
            tokens_out_unknown: 3,
            wall_ms: Some(12),
        }
    }

    #[test]
    fn cell_without_known_cost_has_only_the_result() {
        let cell = |numbers| GridCell { index: 0, status: CaseStatus::Fail, numbers };
        assert_eq!(known_cell(&cell(numbers())), "fail, 2 of 3");
        let free = MatrixNumbers {
            cost_usd: Some(0.5),
            cost_unknown: 0,
            tokens_in: Some(12),
            tokens_in_unknown: 0,
            tokens_out: Some(7),
            tokens_out_unknown: 0,
            ..numbers()
        };
        assert_eq!(known_cell(&cell(free.clone())), whole_cell(&cell(free)));
    }

    #[test]
    fn unknown_cost_is_never_zero() {
        assert_eq!(columns(&numbers()), ["2 of 3", "66.7 %", "20 % to 90 %", "unknown", "unknown", "12 ms"]);
        let some = MatrixNumbers {
            cost_usd: Some(0.00002),
            cost_unknown: 1,
            tokens_out: Some(7),
            tokens_out_unknown: 0,
            errors: 1,
            ..numbers()
        };
        let [passed, _, _, known, tokens, _] = columns(&some);
        assert_eq!([passed, known, tokens], ["2 of 3, 1 error", "0.00002 USD (1 run unknown)", "unknown / 7"]);
        let free = MatrixNumbers { cost_usd: Some(0.0), cost_unknown: 0, ..numbers() };
        assert_eq!(cost(&free), "0.0000 USD");
    }
}
