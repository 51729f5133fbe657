//! `regression` of a suite: what its runs are held against.

use agentci_plan::Gates;
use agentci_source::shape::{Kind, Shape, Unknown, optional};
use agentci_source::{Diagnostic, Diagnostics, Node, Reading, Spanned, read};

use crate::pass_rate::pass_rate;
use crate::quantity::tidy;

/// A wall-time threshold from which on a percentage was probably meant: it allows runs to take six times as long.
const SUSPICIOUS: f64 = 5.0;

pub(super) static REGRESSION: Shape = Shape::new(
    "`regression`",
    "What runs of the suite are held against.",
    &[
        optional("min_pass_rate", Kind::Range(0.0, 1.0), "The least share of cases that must pass."),
        optional("min_success_rate", Kind::Range(0.0, 1.0), "Another name for `min_pass_rate`."),
        optional(
            "max_avg_wall_ms_delta_pct",
            Kind::Number,
            "How much longer cases may take on average, as a fraction.",
        ),
        optional(
            "max_p95_wall_ms_delta_pct",
            Kind::Number,
            "How much longer the slowest cases may take, as a fraction.",
        ),
        optional("max_p95_wall_ms_increase_pct", Kind::Number, "Another name for `max_p95_wall_ms_delta_pct`."),
        optional("no_new_failures", Kind::Truth, "Whether a case that fails must have failed before."),
        optional("no_missing_cases", Kind::Truth, "Whether a case that was there before must be there."),
        optional("no_changed_steps", Kind::Truth, "Whether a case must call the tools that it called before."),
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
    let mut truth = |key| {
        let node = fields.optional(key)?;
        Some(Spanned::new(read::truth(node, key, problems)?, node.span))
    };
    let (no_new_failures, no_missing_cases) = (truth("no_new_failures"), truth("no_missing_cases"));
    let (no_changed_steps, decide) = (truth("no_changed_steps"), truth("decide"));
    fields.end();
    let gates = Gates {
        baseline: None,
        min_pass_rate: rate.and_then(|(key, node)| pass_rate(node, key, problems)),
        max_avg_wall_ms_delta_pct: mean.and_then(|(key, node)| fraction(node, key, problems)),
        max_p95_wall_ms_delta_pct: p95.and_then(|(key, node)| fraction(node, key, problems)),
        no_new_failures,
        no_missing_cases,
        no_changed_steps,
        decide,
        written: read::data(node, "regression", Reading::Legacy, problems).unwrap_or_default(),
    };
    gates.blind().into_iter().for_each(|warning| problems.push(warning));
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
        problems.push(
            Diagnostic::warning(span, format!("`{alias}` is another name for `{name}`, which is set as well"))
                .label("without effect")
                .help("keep one of them"),
        );
    }
    named.map(|node| (name, node)).or(aliased.map(|node| (alias, node)))
}

/// How much more a wall time may be: a fraction, whatever the key's name says.
fn fraction(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let fraction = read::number(node, name, problems)?;
    if fraction >= SUSPICIOUS {
        problems.push(
            Diagnostic::warning(
                node.span,
                format!("`{name}` is a fraction: {fraction} allows {} % more", tidy(fraction * 100.0)),
            )
            .label("a fraction, not a percentage")
            .help(format!("write {} for {fraction} %", tidy(fraction / 100.0))),
        );
    }
    Some(Spanned::new(fraction, node.span))
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
    fn percentages_are_told_apart_from_fractions() {
        let (gates, problems) = read("{ max_avg_wall_ms_delta_pct: 10.0, max_p95_wall_ms_delta_pct: 4.9 }");
        assert_eq!(value(gates.max_avg_wall_ms_delta_pct.as_ref()), Some(10.0));
        assert_eq!(problems, ["`max_avg_wall_ms_delta_pct` is a fraction: 10 allows 1000 % more"]);
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
