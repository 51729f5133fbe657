//! `regression` of a suite: what its runs are held against.

use agentci_plan::Gates;
use agentci_source::shape::{Kind, Shape, Unknown, optional};
use agentci_source::{Diagnostics, Node, Reading, Spanned, read};

use crate::pass_rate::pass_rate;
use crate::quantity::{milliseconds, parse_percentage};

pub(super) static REGRESSION: Shape = Shape::new(
    "`regression`",
    "What runs of the suite are held against.",
    &[
        optional("min_pass_rate", Kind::Range(0.0, 1.0), "The least share of cases that must pass."),
        optional("min_success_rate", Kind::Range(0.0, 1.0), "Another name for `min_pass_rate`."),
        optional(
            "max_avg_wall_ms_delta_pct",
            Kind::Number,
            "How much longer cases may take on average: a percentage from 1 on, a fraction below.",
        ),
        optional(
            "max_p95_wall_ms_delta_pct",
            Kind::Number,
            "How much longer the slowest cases may take: a percentage from 1 on, a fraction below.",
        ),
        optional("max_p95_wall_ms_increase_pct", Kind::Number, "Another name for `max_p95_wall_ms_delta_pct`."),
        optional(
            "min_wall_ms_delta",
            Kind::Number,
            "How many milliseconds longer cases must take to fail one of these two; 50 by default.",
        ),
        optional("no_new_failures", Kind::Truth, "Whether a case that fails must have failed before."),
        optional("no_missing_cases", Kind::Truth, "Whether a case that was there before must be there."),
        optional("no_changed_steps", Kind::Truth, "Whether a case must call the tools that it called before."),
        optional(
            "no_changed_prompts",
            Kind::Truth,
            "Whether models must be asked with the same system prompts, tools and parameters as before.",
        ),
        optional("decide", Kind::Truth, "Whether the gates alone decide the exit code, whatever cases failed."),
    ],
)
.unknown(Unknown::Ignored);

/// Reads the thresholds; none of them is needed, and keys that are not known here are kept for those who know them.
pub(super) fn regression(node: &Node, problems: &mut Diagnostics) -> Gates {
    let Some(mut fields) = REGRESSION.open(node, problems) else { return Gates::default() };
    let rate = either(&mut fields, "min_pass_rate", "min_success_rate", problems);
    let mean = fields.optional("max_avg_wall_ms_delta_pct").map(|node| ("max_avg_wall_ms_delta_pct", node));
    let p95 = either(&mut fields, "max_p95_wall_ms_delta_pct", "max_p95_wall_ms_increase_pct", problems);
    let least = fields.optional("min_wall_ms_delta").and_then(|node| milliseconds(node, "min_wall_ms_delta", problems));
    let mut truth = |key| {
        let node = fields.optional(key)?;
        Some(Spanned::new(read::truth(node, key, problems)?, node.span))
    };
    let (no_new_failures, no_missing_cases) = (truth("no_new_failures"), truth("no_missing_cases"));
    let (no_changed_steps, no_changed_prompts) = (truth("no_changed_steps"), truth("no_changed_prompts"));
    let decide = truth("decide");
    fields.end();
    let gates = Gates {
        baseline: None,
        min_pass_rate: rate.and_then(|(key, node)| pass_rate(node, key, problems)),
        max_avg_wall_ms_delta_pct: mean.and_then(|(key, node)| fraction(node, key, problems)),
        max_p95_wall_ms_delta_pct: p95.and_then(|(key, node)| fraction(node, key, problems)),
        min_wall_ms_delta: least,
        no_new_failures,
        no_missing_cases,
        no_changed_steps,
        no_changed_prompts,
        decide,
        written: read::data(node, "regression", Reading::Legacy, problems).unwrap_or_default(),
    };
    gates.blind().into_iter().chain(gates.idle_difference()).for_each(|warning| problems.push(warning));
    gates
}

/// The value of a key that has two names.
fn either<'n>(
    fields: &mut read::Fields<'n>,
    name: &'static str,
    alias: &'static str,
    problems: &mut Diagnostics,
) -> Option<(&'static str, &'n Node)> {
    let (named, aliased) = (fields.optional(name), fields.optional(alias));
    if named.is_some() && aliased.is_some() {
        let span = fields.key_span(alias).unwrap_or(fields.span());
        let message = format!("`{alias}` is another name for `{name}`, which is set as well");
        problems.warning(span, message, "without effect").help("keep one of them");
    }
    named.map(|node| (name, node)).or(aliased.map(|node| (alias, node)))
}

/// How much more a wall time may be, as a fraction. The key says percent, and `RunLedger` takes fractions: 1 and more are percent.
fn fraction(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let written = read::number(node, name, problems)?;
    let percent = Gates::is_percentage(written);
    let digits = if percent { node.scalar().and_then(|scalar| scalar.value(Reading::Legacy)) } else { None };
    let fraction = digits.and_then(|digits| parse_percentage(&digits));
    Some(Spanned::new(fraction.unwrap_or(if percent { written / 100.0 } else { written }), node.span))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Sources;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> (Gates, Vec<String>) {
        let file = Sources::default().add(Path::new("suite.yaml"), text);
        let mut problems = Diagnostics::default();
        let gates = regression(&agentci_source::yaml::parse(text, file).unwrap(), &mut problems);
        (gates, problems.into_iter().map(|problem| problem.message).collect())
    }

    fn value<T: Copy>(spanned: Option<&Spanned<T>>) -> Option<T> {
        spanned.map(|spanned| spanned.value)
    }

    #[test]
    fn both_names_of_a_threshold_are_known() {
        let (old, problems) = read("{ min_success_rate: 0.9, max_p95_wall_ms_increase_pct: 0.5 }");
        let (new, _) = read("{ min_pass_rate: 0.9, max_p95_wall_ms_delta_pct: 0.5, max_avg_wall_ms_delta_pct: .1 }");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(
            (value(old.min_pass_rate.as_ref()), value(old.max_p95_wall_ms_delta_pct.as_ref())),
            (Some(0.9), Some(0.5))
        );
        assert_eq!(
            (value(new.min_pass_rate.as_ref()), value(new.max_p95_wall_ms_delta_pct.as_ref())),
            (Some(0.9), Some(0.5))
        );
        assert_eq!(value(new.max_avg_wall_ms_delta_pct.as_ref()), Some(0.1));
        let (both, problems) = read("{ min_pass_rate: 0.9, min_success_rate: 0.5 }");
        assert_eq!(value(both.min_pass_rate.as_ref()), Some(0.9));
        assert_eq!(problems, ["`min_success_rate` is another name for `min_pass_rate`, which is set as well"]);
    }

    #[test]
    fn words_count_as_truth_and_other_keys_are_kept() {
        let (gates, problems) = read("{ no_new_failures: yes, no_missing_cases: 'off', mine: [1] }");
        assert_eq!((value(gates.no_new_failures.as_ref()), value(gates.no_missing_cases.as_ref())), (Some(true), None));
        assert_eq!(gates.written, json!({"no_new_failures": true, "no_missing_cases": "off", "mine": [1]}));
        assert_eq!(problems, ["`no_missing_cases` must be true or false, found the text `off`"]);
    }

    #[test]
    fn from_one_on_a_wall_time_is_a_percentage() {
        let mean = |written: &str| {
            let (gates, problems) = read(&format!("{{ max_avg_wall_ms_delta_pct: {written} }}"));
            assert!(problems.is_empty(), "{written}: {problems:?}");
            value(gates.max_avg_wall_ms_delta_pct.as_ref()).unwrap()
        };
        for (written, fraction) in [
            ("10.0", 0.1),
            ("1", 0.01),
            ("1.0", 0.01),
            ("0.99", 0.99),
            ("0.2", 0.2),
            ("0", 0.0),
            ("12.3", 0.123),
            ("250", 2.5),
            ("-5", -0.05),
        ] {
            assert_eq!(mean(written).to_bits(), f64::to_bits(fraction), "{written}");
        }
    }

    #[test]
    fn a_least_difference_is_in_milliseconds_and_needs_a_gate_on_time() {
        let (gates, problems) = read("{ max_avg_wall_ms_delta_pct: 10, min_wall_ms_delta: 0 }");
        assert_eq!((value(gates.min_wall_ms_delta.as_ref()), problems), (Some(0.0), vec![]));
        let (gates, problems) = read("{ max_avg_wall_ms_delta_pct: 10, min_wall_ms_delta: -1 }");
        assert_eq!(value(gates.min_wall_ms_delta.as_ref()), None);
        assert_eq!(problems, ["`min_wall_ms_delta` must be 0 or more, found the number -1"]);
        let (_, problems) = read("{ min_wall_ms_delta: 5 }");
        assert_eq!(problems, ["`min_wall_ms_delta` has no effect: no gate compares wall times"]);
    }

    #[test]
    fn a_pass_rate_is_a_share() {
        for (rate, message) in [
            ("95", "`min_pass_rate` must be from 0 to 1, found the number 95"),
            ("-1", "`min_pass_rate` must be from 0 to 1, found the number -1"),
            ("most", "`min_pass_rate` must be a number, found the text `most`"),
        ] {
            let (gates, problems) = read(&format!("{{ min_pass_rate: {rate} }}"));
            assert_eq!((gates.min_pass_rate, problems), (None, vec![message.to_owned()]));
        }
    }
}
