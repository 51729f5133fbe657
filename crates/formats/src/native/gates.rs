//! Reads `gates` of a suite: the baseline and thresholds that its runs must meet.

use std::path::Path;

use agentci_plan::Gates;
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Reading, Spanned, join, read};

use crate::gates::{SHARED_GATES, gate_keys, pass_rate, shared_gates, warn_of_idle_gates};
use crate::noise_gates::{NOISE_GATES, noise_gates};
use crate::quantity::{parse_percentage, tidy};

pub(super) static GATES: Shape = Shape::new(
    "`gates`",
    "Baseline and thresholds that runs of the suite must meet.",
    &[
        optional("baseline", Kind::Name, "Summary of an earlier run to compare with."),
        optional("min_pass_rate", Kind::Range(0.0, 1.0), "Minimum share of cases that must pass."),
        optional(
            "max_avg_wall_ms_delta_pct",
            Kind::Number,
            "Maximum increase of the average wall time of cases, in percent.",
        ),
        optional(
            "max_p95_wall_ms_delta_pct",
            Kind::Number,
            "Maximum increase of the 95th percentile of wall times, in percent.",
        ),
    ],
)
.with(&[SHARED_GATES, NOISE_GATES]);

/// Reads the gates; all of them are optional.
pub(super) fn gates(node: &Node, folder: &Path, problems: &mut Diagnostics) -> Gates {
    let gates = GATES.read(node, problems, |fields| {
        let baseline = fields.optional("baseline", read::name);
        let shared = shared_gates(fields);
        let shared = noise_gates(fields, shared);
        Some(Gates {
            baseline: baseline.map(|path| Spanned::new(join(folder, &path.value), path.span)),
            min_pass_rate: fields.optional("min_pass_rate", pass_rate),
            max_avg_wall_ms_delta_pct: fields.optional("max_avg_wall_ms_delta_pct", percentage),
            max_p95_wall_ms_delta_pct: fields.optional("max_p95_wall_ms_delta_pct", percentage),
            keys: gate_keys(fields, &GATES),
            ..shared
        })
    });
    let Some(gates) = gates else { return Gates::default() };
    let written = read::data(node, "gates", Reading::Core, problems).unwrap_or_default();
    let gates = Gates { written, ..gates };
    warn_of_idle_gates(&gates, problems);
    gates
}

/// Reads a percentage as a fraction.
fn percentage(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let percent = read::number(node, name, problems)?;
    if percent > 0.0 && percent < 1.0 {
        let message = format!("`{name}` is a percentage: {percent} allows {percent} % more");
        let help = format!("write {} for {} %", tidy(percent * 100.0), tidy(percent * 100.0));
        problems.warning(node.span, message, "less than one percent").help(help);
    }
    let digits = node.scalar()?.value(Reading::Core)?;
    Some(Spanned::new(parse_percentage(&digits)?, node.span))
}

/// Writes a fraction as a percentage that is read back as the same fraction.
pub(super) fn print_percentage(fraction: f64) -> String {
    let shortest = format!("{fraction:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let moved = format!("{mantissa}e{}", exponent.parse::<i32>().unwrap_or_default() + 2);
    let same = |text: &str| {
        let number = serde_json::from_str(text).ok();
        number.and_then(|number| parse_percentage(&number)).is_some_and(|read| read.to_bits() == fraction.to_bits())
    };
    let plain = moved.parse::<f64>().map(|percent| percent.to_string()).unwrap_or_default();
    if same(&plain) { plain } else { moved }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_round_trip() {
        for (fraction, written) in
            [(0.1, "10"), (0.07, "7"), (0.29, "29"), (0.145, "14.5"), (0.0, "0"), (-0.05, "-5"), (10.0, "1000")]
        {
            assert_eq!(print_percentage(fraction), written);
            assert_eq!(parse_percentage(&serde_json::from_str(written).unwrap()), Some(fraction));
        }
        let odd = [0.123_456_789_012_345_67, 0.1 + 0.2, 1.0 / 3.0, 2.0 / 3.0, f64::MIN_POSITIVE, 1e300];
        for fraction in odd {
            let written = serde_json::from_str(&print_percentage(fraction)).unwrap();
            assert_eq!(parse_percentage(&written).map(f64::to_bits), Some(fraction.to_bits()));
        }
        assert_eq!(parse_percentage(&serde_json::from_str("1.5e1").unwrap()), Some(0.15));
    }
}
