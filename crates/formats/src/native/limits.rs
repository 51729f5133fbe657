//! Reads `limits` of a suite, a case or a turn.

use std::time::Duration;

use agentci_plan::{Limit, Limits};
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, parse_duration, print_duration};

use crate::quantity::{number, whole};

pub(super) static LIMITS: Shape = Shape::new(
    "`limits`",
    "Limits that stop a case or a turn and fail it when exceeded.",
    &[
        optional("wall", Kind::SignedDuration, "Maximum wall time."),
        optional("tool_calls", Kind::Unbroken, "Maximum number of tool calls."),
        optional("tool_errors", Kind::Unbroken, "Maximum number of failed tool calls."),
        optional(
            "model_calls",
            Kind::Unbroken,
            "Maximum number of requests to a model; retries of a request are not counted.",
        ),
        optional("tokens_in", Kind::Unbroken, "Maximum number of tokens sent to the model."),
        optional("tokens_out", Kind::Unbroken, "Maximum number of tokens written by the model."),
        optional("cost_usd", Kind::Number, "Maximum cost in US dollars."),
    ],
);

/// Reads limits; all of them are optional.
pub(super) fn limits(node: &Node, problems: &mut Diagnostics) -> Limits {
    let limits = LIMITS.read(node, problems, |fields| {
        Some(Limits {
            wall_ms: fields.optional("wall", wall),
            tool_calls: fields.optional("tool_calls", whole),
            tool_errors: fields.optional("tool_errors", whole),
            model_calls: fields.optional("model_calls", whole),
            tokens_in: fields.optional("tokens_in", whole),
            tokens_out: fields.optional("tokens_out", whole),
            cost_usd: fields.optional("cost_usd", number),
        })
    });
    limits.unwrap_or_default()
}

fn wall(node: &Node, name: &'static str, problems: &mut Diagnostics) -> Option<Limit> {
    let most = node.scalar().and_then(|scalar| parse_wall(&scalar.text));
    if most.is_none() {
        let help = "write a number and a unit: `300ms`, `20s`, `1m30s`";
        problems.mismatch(node, format_args!("`{name}` must be a duration"), "expected a duration").help(help);
    }
    Some(Limit { key: name, most: most?, span: node.span })
}

/// Parses milliseconds. Other dialects allow a negative limit, so a duration with a leading `-` is accepted here.
fn parse_wall(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // Milliseconds are parsed directly: the conversion via seconds loses the last digits of large numbers.
    let most = match rest.strip_suffix("ms").filter(|digits| plain(digits)) {
        Some(digits) => digits.parse().ok()?,
        None => parse_duration(rest).ok()?.div_duration_f64(Duration::from_millis(1)),
    };
    Some(sign * most)
}

/// Writes milliseconds so that they are read back as the same number.
pub(super) fn print_wall(most: f64) -> String {
    let pretty = Duration::try_from_secs_f64(most / 1000.0).map(print_duration).unwrap_or_default();
    if parse_wall(&pretty).is_some_and(|read| read.to_bits() == most.to_bits()) { pretty } else { format!("{most}ms") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_limits_round_trip() {
        for (most, written) in [
            (20_000.0, "20s"),
            (0.0, "0s"),
            (-5.0, "-5ms"),
            (1.5, "1500us"),
            (90_000.0, "1m30s"),
            (0.1, "100us"),
            (0.123_456_789, "0.123456789ms"),
            (-1e22, "-10000000000000000000000ms"),
        ] {
            assert_eq!(print_wall(most), written);
            assert_eq!(parse_wall(written).map(f64::to_bits), Some(most.to_bits()), "{written}");
        }
        for wrong in ["", "20", "fast", "1e3ms", "infms", "--1s"] {
            assert_eq!(parse_wall(wrong), None, "{wrong}");
        }
    }
}
