//! # What it checks
//! The answer states this number, in any notation: `1234.5` is `1,234.50`, `1.234,5`, `1 234.5` and, in English words,
//! also `twelve` for 12 or `1.2 million`. Digits that are part of another number, a date, a time, an id, a version or an
//! ordinal do not count: 20 is not in `120`, `20.5`, `2026-11-20`, `v20` or `the 20th`.
//!
//! With `unit` a currency or a unit must be next to the number: `EUR` is `€` and `euros`, `USD` is `$`, `%` is `percent`;
//! others are compared by their name. `within` allows a difference, and `decimals` rounds the stated number to this many
//! decimals first. Under `not`, the answer must not state the number.
//!
//! A notation with two meanings counts, with a warning: `1.200` is 1.2 in some countries and 1200 in others. The answer
//! is the agent's text, or its final output as JSON. A check of a case looks at its last turn, also under `not`.
//!
//! # Why
//! `contains: "20"` passes for an answer that says 120, and fails for "twenty".
//!
//! # Example
//! ```yaml
//! checks:
//!   - number: 20
//!   - number: { value: 1234.5, unit: EUR, within: 0.01 }
//!   - not: { number: 100 }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde::Deserialize;
use serde_json::Value;

use crate::compiler::{Compiler, count, spanned};
use crate::evaluate::Evaluate;
use crate::output_words::quote;
use crate::{EvidenceQuestion, KeptAnswer};

/// The relative error of a float that is not a difference.
const EPSILON: f64 = 1e-9;
/// Names of the same unit, the first being the one in messages.
const UNITS: [&[&str]; 9] = [
    &["EUR", "€", "euro", "euros"],
    &["USD", "$", "US$", "dollar", "dollars"],
    &["GBP", "£", "pound", "pounds"],
    &["JPY", "¥", "yen"],
    &["INR", "₹", "rupee", "rupees", "rs"],
    &["CHF", "franc", "francs"],
    &["%", "percent", "per cent", "pct"],
    &["h", "hr", "hrs", "hour", "hours"],
    &["min", "mins", "minute", "minutes"],
];

#[derive(Debug)]
struct NumberStated {
    value: Spanned<f64>,
    unit: Option<String>,
    within: f64,
    decimals: Option<usize>,
}

/// A number of the answer, as the evidence has it.
#[derive(Debug, Deserialize)]
struct FoundNumber {
    text: String,
    readings: Vec<f64>,
    #[serde(default)]
    doubtful: bool,
    before: String,
    after: String,
}

/// How well the answer states the number.
enum Stated<'f> {
    Surely(&'f FoundNumber),
    /// Only under one of several readings.
    Perhaps(&'f FoundNumber),
    /// The number is there with another unit, or without one.
    OtherUnit(&'f FoundNumber),
    No,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "number",
    about: "The answer states this number.",
    arguments: Kind::Either(&[Kind::Number, Kind::Shape(&ARGUMENTS)]),
};

static ARGUMENTS: Shape = Shape::new(
    "`number`",
    "A number, and how exactly it must be stated.",
    &[
        required("value", Kind::Number, "The number."),
        optional("unit", Kind::Name, "The currency or unit next to it, such as `EUR`, `%` or `kg`."),
        optional("within", Kind::Range(0.0, f64::INFINITY), "The largest difference. Default: 0."),
        optional("decimals", Kind::Count(0), "Round the stated number to this many decimals first. Default: exact."),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let (mut unit, mut within, mut decimals) = (None, None, None);
    let mut node = arguments;
    if arguments.pairs().is_some() {
        let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
        let found = arguments.required_node("value");
        unit = arguments.optional("unit", read::name).map(|unit| unit.value);
        within = arguments.optional("within", difference);
        decimals = arguments.optional("decimals", count);
        arguments.finish();
        node = found?;
    }
    let value = spanned(read::number)(node, "value", &mut compiler.problems)?;
    Some(Arc::new(NumberStated { value, unit, within: within.unwrap_or_default(), decimals }))
}

fn difference(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let number = read::number(node, name, problems)?;
    if number < 0.0 {
        problems.error(node.span, format!("`{name}` must be 0 or more, found {number}"), "negative");
    }
    Some(number)
}

impl NumberStated {
    fn is_value(&self, reading: f64) -> bool {
        let rounded = self.decimals.and_then(|decimals| i32::try_from(decimals).ok()).map_or(reading, |decimals| {
            let scale = 10_f64.powi(decimals.min(15));
            (reading * scale).round() / scale
        });
        let tolerance = self.within + EPSILON * self.value.value.abs().max(1.0);
        (rounded - self.value.value).abs() <= tolerance
    }

    fn search<'f>(&self, found: &'f [FoundNumber]) -> Stated<'f> {
        let mut best = Stated::No;
        for number in found.iter().filter(|number| number.readings.iter().any(|reading| self.is_value(*reading))) {
            let with_unit = self.unit.as_ref().is_none_or(|unit| has_unit(number, unit));
            let sure = !number.doubtful && number.readings.iter().all(|reading| self.is_value(*reading));
            best = match (with_unit, sure, best) {
                (true, true, _) => return Stated::Surely(number),
                (true, false, _) => Stated::Perhaps(number),
                (false, _, Stated::No) => Stated::OtherUnit(number),
                (false, _, best) => best,
            };
        }
        best
    }

    /// The number as messages show it.
    fn shown(&self) -> String {
        let unit = self.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
        let within = if self.within > 0.0 { format!(" (within {})", self.within) } else { String::new() };
        format!("{}{unit}{within}", self.value.value)
    }

    /// Why a number of the answer may not be meant.
    fn doubt(&self, found: &FoundNumber) -> String {
        let readings: Vec<String> = found.readings.iter().map(f64::to_string).collect();
        if readings.len() > 1 {
            return format!("`{}` may mean {}", found.text, readings.join(" or "));
        }
        format!("`{}` may mean something else than the number {}", found.text, self.shown())
    }
}

/// Whether a unit is directly before or after a number.
fn has_unit(number: &FoundNumber, unit: &str) -> bool {
    let same = |names: &&&[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    let names = UNITS.iter().find(same).map_or_else(
        || vec![unit.to_owned(), format!("{unit}s")],
        |names| names.iter().map(|name| (*name).to_owned()).collect(),
    );
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let before = number.before.trim_end_matches([' ', '\u{a0}', '\u{202f}', '-', '−', '*']).to_lowercase();
    // A unit may be written directly after the digits, and then belongs to the text of the number.
    let glued = number.text.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let after = number.after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-', '*']).to_lowercase();
    names.iter().map(|name| name.to_lowercase()).any(|name| {
        let is_word = name.starts_with(char::is_alphabetic);
        let leads = before.strip_suffix(&name).is_some_and(|rest| !is_word || ends(rest.chars().next_back()));
        let follows = after.strip_prefix(&name).is_some_and(|rest| !is_word || ends(rest.chars().next()));
        leads || follows || glued == name
    })
}

impl Evaluate for NumberStated {
    /// Only an empty answer can be judged without reading its numbers.
    fn evaluate(&self, trace: &Trace) -> Outcome {
        if !trace.output().text().trim().is_empty() {
            return Outcome::NotEvaluated("the numbers of the answer were not read".into());
        }
        Outcome::Failed(Failure::new("the answer is empty").at(self.value.span, "no number"))
    }

    fn evaluate_negated(&self, trace: &Trace) -> Outcome {
        if trace.output().text().trim().is_empty() { Outcome::Passed } else { self.evaluate(trace) }
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let said = trace.output().text();
        (!said.trim().is_empty()).then_some(EvidenceQuestion::Numbers { said })
    }

    fn conclude(&self, trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        let Ok(found) = Vec::<FoundNumber>::deserialize(&answer["numbers"]) else {
            return Outcome::Error(Failure::new("the numbers of the answer could not be read"));
        };
        let shown = self.shown();
        let (message, label) = match (self.search(&found), negate) {
            (Stated::Surely(_) | Stated::Perhaps(_), false) | (Stated::OtherUnit(_) | Stated::No, true) => {
                return Outcome::Passed;
            }
            (Stated::Surely(number), true) => {
                (format!("the answer states `{}`, which `not` forbids", number.text), "in the answer")
            }
            (Stated::Perhaps(number), true) => {
                let doubt = self.doubt(number);
                (format!("the answer may state {shown}, which `not` forbids: {doubt}"), "perhaps in the answer")
            }
            (Stated::OtherUnit(number), false) => {
                let near = format!("{}{}{}", number.before, number.text, number.after);
                let near = agentci_text::one_line(near.trim()).into_owned();
                (
                    format!("the answer does not state {shown}: it has the number with another unit: `{near}`"),
                    "another unit",
                )
            }
            (Stated::No, false) => (format!("the answer does not state the number {shown}"), "not in the answer"),
        };
        Outcome::Failed(Failure::new(message).at(self.value.span, label).note(quote(&trace.output().text())))
    }

    fn keep(&self, answer: Value, negate: bool) -> KeptAnswer {
        let found = Vec::<FoundNumber>::deserialize(&answer["numbers"]).unwrap_or_default();
        let warnings = match self.search(&found) {
            Stated::Perhaps(number) if !negate => vec![format!("the number is ambiguous: {}", self.doubt(number))],
            _ => Vec::new(),
        };
        KeptAnswer { evidence: answer, warnings, ..KeptAnswer::default() }
    }
}
