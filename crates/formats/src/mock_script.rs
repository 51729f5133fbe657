//! Reads a scripted model from YAML: `model_name`, `responses`, `default_latency_ms`, `failure_rate`. The `mock` target
//! of a native suite and `mock_config.yaml` have this form.

use crate::printer::Printer;
use agentci_plan::{MockResponse, MockScript};
use agentci_source::shape::{Field, Kind, Shape, UnknownKeys, optional, required};
use agentci_source::{Diagnostics, Node, Reader, Reading, Scalar, Severity, read};
use serde_json::Value;

/// The required keys of a script.
pub(crate) static SCRIPT: &[Field] = &[required("model_name", Kind::Text, "The name of the model.")];

/// The responses of a script in which unknown keys are errors.
pub(crate) static RESPONSES: Field = optional("responses", Kind::List(&Kind::Shape(&RESPONSE)), WHAT);
/// The same, with warnings for unknown keys.
pub(crate) static LAX_RESPONSES: Field = optional("responses", Kind::List(&Kind::Shape(&LAX_RESPONSE)), WHAT);
const WHAT: &str = "Answers of the model, used in order and then from the start again.";

/// The keys for latency and failures.
pub(crate) static MANNER: &[Field] = &[
    optional(
        "default_latency_ms",
        Kind::Spelt(f64::INFINITY),
        "Latency in milliseconds when `responses` is empty. Default: 50.",
    ),
    optional("failure_rate", Kind::Spelt(1.0), "Share of calls that fail, from 0 to 1. Default: 0."),
];

static RESPONSE: Shape = Shape::new("a response", "One answer of the model.", RESPONSE_KEYS);
static LAX_RESPONSE: Shape = RESPONSE.unknown(UnknownKeys::Warned);
static RESPONSE_KEYS: &[Field] = &[
    required("content", Kind::Text, "Text of the answer."),
    required("model", Kind::Text, "Model name of the answer."),
    required("tokens_used", Kind::SpeltCount, "Number of tokens used."),
    required("latency_ms", Kind::Spelt(f64::INFINITY), "Latency in milliseconds."),
    optional("finish_reason", Kind::Text, "Why the model stopped. Default: `stop`."),
];

/// Reads the keys of a script; `None` if it is invalid. `unknown` is the severity of unknown keys of a response.
pub(crate) fn script(fields: &mut Reader<'_, '_>, unknown: Severity) -> Option<MockScript> {
    let before = fields.problems.count(Severity::Error);
    let model_name = fields.required("model_name", read::text);
    let script = MockScript {
        model_name: String::new(),
        responses: fields.or_default("responses", |node, problems| responses(node, unknown, problems)),
        default_latency_ms: fields.optional("default_latency_ms", latency).unwrap_or(MockScript::DEFAULT_LATENCY_MS),
        failure_rate: fields.optional("failure_rate", rate).unwrap_or_default(),
    };
    if fields.problems.count(Severity::Error) > before {
        return None;
    }
    Some(MockScript { model_name: model_name?, ..script })
}

fn responses(node: &Node, unknown: Severity, problems: &mut Diagnostics) -> Vec<MockResponse> {
    let shape = if unknown == Severity::Error { &RESPONSE } else { &LAX_RESPONSE };
    read::each(node, "responses", problems, |item, problems| shape.read(item, problems, response))
}

fn response(fields: &mut Reader<'_, '_>) -> Option<MockResponse> {
    let content = fields.required("content", read::text);
    let model = fields.required("model", read::text);
    let tokens_used = fields.required("tokens_used", tokens);
    let latency_ms = fields.required("latency_ms", latency);
    let finish_reason = fields.text("finish_reason").unwrap_or_else(|| MockScript::DEFAULT_FINISH_REASON.into());
    let (content, model) = (content?, model?);
    Some(MockResponse { content, model, tokens_used: tokens_used?, latency_ms: latency_ms?, finish_reason })
}

/// A number, or a string that consists of a number.
pub(crate) fn lax_number(node: &Node) -> Option<f64> {
    let scalar = node.scalar()?;
    let number = Scalar::plain(scalar.text.trim()).value(Reading::Core).as_ref().and_then(Value::as_f64)?;
    number.is_finite().then_some(number)
}

fn tokens(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u64> {
    let tokens = node.scalar().and_then(|scalar| scalar.text.trim().parse().ok());
    if tokens.is_none() {
        problems.mismatch(node, format_args!("`{name}` must be 0 or more"), "expected an integer");
    }
    tokens
}

fn latency(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let latency = lax_number(node).filter(|latency| *latency >= 0.0);
    if latency.is_none() {
        problems.mismatch(node, format_args!("`{name}` must be 0 or more"), "expected a number of milliseconds");
    }
    latency
}

fn rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let rate = lax_number(node).filter(|rate| (0.0..=1.0).contains(rate));
    if rate.is_none() {
        problems
            .mismatch(node, format_args!("`{name}` must be from 0 to 1"), "expected a share of all calls")
            .help("write `0.1` to let one call in ten fail");
    }
    rate
}

impl Printer<'_> {
    /// The pairs that [`script`] reads, without defaults.
    pub(crate) fn mock_script(&self, script: &MockScript) -> Vec<(&'static str, Option<Node>)> {
        let response = |response: &MockResponse| {
            let usual = response.finish_reason == MockScript::DEFAULT_FINISH_REASON;
            self.map([
                ("content", Some(self.text(&response.content))),
                ("model", Some(self.text(&response.model))),
                ("tokens_used", Some(self.plain(response.tokens_used))),
                ("latency_ms", Some(self.plain(response.latency_ms))),
                ("finish_reason", (!usual).then(|| self.text(&response.finish_reason))),
            ])
        };
        let latency = Some(script.default_latency_ms);
        let latency = latency.filter(|latency| latency.total_cmp(&MockScript::DEFAULT_LATENCY_MS).is_ne());
        vec![
            ("model_name", Some(self.text(&script.model_name))),
            ("responses", self.list(&script.responses, response)),
            ("default_latency_ms", latency.map(|latency| self.plain(latency))),
            ("failure_rate", (script.failure_rate > 0.0).then(|| self.plain(script.failure_rate))),
        ]
    }
}
