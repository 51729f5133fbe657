//! Reads `regression` of a suite: the thresholds that its runs must meet.

use agentci_plan::Gates;
use agentci_source::shape::{Kind, Shape, UnknownKeys, optional};
use agentci_source::{Diagnostics, Node, Reader, Reading, Spanned, read};

use crate::gates::{SHARED_GATES, gate_keys, pass_rate, shared_gates, warn_of_idle_gates};
use crate::noise_gates::{NOISE_GATES, noise_gates};
use crate::quantity::parse_percentage;

pub(super) static REGRESSION: Shape = Shape::new(
    "`regression`",
    "Thresholds that runs of the suite must meet.",
    &[
        optional("min_pass_rate", Kind::Range(0.0, 1.0), "Minimum share of cases that must pass."),
        optional("min_success_rate", Kind::Range(0.0, 1.0), "Another name for `min_pass_rate`."),
        optional(
            "max_avg_wall_ms_delta_pct",
            Kind::Number,
            "How much the average wall time may increase: a percentage if 1 or more, a fraction if less.",
        ),
        optional(
            "max_p95_wall_ms_delta_pct",
            Kind::Number,
            "How much the 95th percentile of wall times may increase: a percentage if 1 or more, a fraction if less.",
        ),
        optional("max_p95_wall_ms_increase_pct", Kind::Number, "Another name for `max_p95_wall_ms_delta_pct`."),
    ],
)
.with(&[SHARED_GATES, NOISE_GATES])
.unknown(UnknownKeys::Ignored);

/// Thresholds with a second name.
const ALIASES: [(&str, &str); 2] =
    [("min_pass_rate", "min_success_rate"), ("max_p95_wall_ms_delta_pct", "max_p95_wall_ms_increase_pct")];

/// Reads the thresholds; all are optional. Unknown keys are kept in [`Gates::written`].
pub(super) fn regression(node: &Node, problems: &mut Diagnostics) -> Gates {
    let Some(mut fields) = REGRESSION.reader(node, problems) else { return Gates::default() };
    let rate = either(&mut fields, "min_pass_rate", "min_success_rate");
    let mean = fields.node("max_avg_wall_ms_delta_pct");
    let p95 = either(&mut fields, "max_p95_wall_ms_delta_pct", "max_p95_wall_ms_increase_pct");
    let gates = shared_gates(&mut fields);
    let gates = noise_gates(&mut fields, gates);
    let mut keys = gate_keys(&fields, &REGRESSION);
    for (name, alias) in ALIASES {
        if let Some(span) = keys.remove(alias) {
            keys.entry(name.to_owned()).or_insert(span);
        }
    }
    fields.end();
    let gates = Gates {
        min_pass_rate: rate.and_then(|(key, node)| pass_rate(node, key, problems)),
        max_avg_wall_ms_delta_pct: mean.and_then(|node| fraction(node, "max_avg_wall_ms_delta_pct", problems)),
        max_p95_wall_ms_delta_pct: p95.and_then(|(key, node)| fraction(node, key, problems)),
        written: read::data(node, "regression", Reading::Legacy, problems).unwrap_or_default(),
        keys,
        ..gates
    };
    warn_of_idle_gates(&gates, problems);
    gates
}

/// The value of a key that has two names.
fn either<'n>(
    fields: &mut Reader<'n, '_>,
    name: &'static str,
    alias: &'static str,
) -> Option<(&'static str, &'n Node)> {
    let (named, aliased) = (fields.node(name), fields.node(alias));
    if named.is_some() && aliased.is_some() {
        let span = fields.key_span(alias).unwrap_or(fields.span());
        let message = format!("`{alias}` is another name for `{name}`, which is also set");
        fields.problems.warning(span, message, "has no effect").help("keep one of them");
    }
    named.map(|node| (name, node)).or(aliased.map(|node| (alias, node)))
}

/// The allowed increase of a wall time, as a fraction. The key says percent but `RunLedger` takes fractions, so values
/// of 1 and more are read as percentages.
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
    fn accepts_both_names_of_a_threshold() {
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
        assert_eq!(problems, ["`min_success_rate` is another name for `min_pass_rate`, which is also set"]);
    }

    #[test]
    fn key_of_a_threshold_is_found_under_either_name() {
        let lines = |text: &str| {
            let keys = read(text).0.keys;
            keys.into_iter().map(|(name, span)| format!("{name} {}:{}", span.line, span.column)).collect::<Vec<_>>()
        };
        assert_eq!(
            lines("mine: 1\nmin_success_rate:\n  0.9\nno_new_failures: yes\n"),
            ["min_pass_rate 2:1", "no_new_failures 4:1"]
        );
        // The alias has no effect.
        assert_eq!(lines("min_success_rate: 0.9\nmin_pass_rate: 0.8\n"), ["min_pass_rate 2:1"]);
    }

    #[test]
    fn reads_boolean_words_and_keeps_unknown_keys() {
        let (gates, problems) = read("{ no_new_failures: yes, no_missing_cases: 'off', mine: [1] }");
        assert_eq!((value(gates.no_new_failures.as_ref()), value(gates.no_missing_cases.as_ref())), (Some(true), None));
        assert_eq!(gates.written, json!({"no_new_failures": true, "no_missing_cases": "off", "mine": [1]}));
        assert_eq!(problems, ["`no_missing_cases` must be a boolean, found the string `off`"]);
    }

    #[test]
    fn wall_time_delta_from_one_is_a_percentage() {
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
    fn minimum_delta_requires_a_wall_time_gate() {
        let (gates, problems) = read("{ max_avg_wall_ms_delta_pct: 10, min_wall_ms_delta: 0 }");
        assert_eq!((value(gates.min_wall_ms_delta.as_ref()), problems), (Some(0.0), vec![]));
        let (gates, problems) = read("{ max_avg_wall_ms_delta_pct: 10, min_wall_ms_delta: -1 }");
        assert_eq!(value(gates.min_wall_ms_delta.as_ref()), None);
        assert_eq!(problems, ["`min_wall_ms_delta` must be 0 or more, found the number -1"]);
        let (_, problems) = read("{ min_wall_ms_delta: 5 }");
        assert_eq!(problems, ["`min_wall_ms_delta` has no effect: no gate compares wall times"]);
    }

    #[test]
    fn pass_rate_must_be_from_zero_to_one() {
        for (rate, message) in [
            ("95", "`min_pass_rate` must be from 0 to 1, found the number 95"),
            ("-1", "`min_pass_rate` must be from 0 to 1, found the number -1"),
            ("most", "`min_pass_rate` must be a number, found the string `most`"),
        ] {
            let (gates, problems) = read(&format!("{{ min_pass_rate: {rate} }}"));
            assert_eq!((gates.min_pass_rate, problems), (None, vec![message.to_owned()]));
        }
    }
}
