//! A scripted model as YAML: `model_name`, `responses`, `default_latency_ms`, `failure_rate`. Both the `mock` target of a native
//! suite and a `mock_config.yaml` are read here.

use agentci_plan::{MockResponse, MockScript};
use agentci_source::shape::{Field, Kind, Shape, Unknown, optional, required};
use agentci_source::{Content, Diagnostics, Key, Node, Pair, Reading, Scalar, Severity, Span, read};
use serde_json::Value;

/// The keys of a script, but for its responses.
pub(crate) static SCRIPT: &[Field] = &[required("model_name", Kind::Text, "The name of the model.")];

/// The responses of a script whose unknown keys are errors.
pub(crate) static RESPONSES: Field = optional("responses", Kind::List(&Kind::Shape(&RESPONSE)), WHAT);
/// The same, where unknown keys are warned about.
pub(crate) static LAX_RESPONSES: Field = optional("responses", Kind::List(&Kind::Shape(&LAX_RESPONSE)), WHAT);
const WHAT: &str = "What the model answers, one after another and then from the beginning.";

/// How the model behaves.
pub(crate) static MANNER: &[Field] = &[
    optional(
        "default_latency_ms",
        Kind::Spelt(f64::INFINITY),
        "The milliseconds an answer takes that no response is for.",
    ),
    optional("failure_rate", Kind::Spelt(1.0), "The share of calls that fail."),
];

static RESPONSE: Shape = Shape::new("a response", "One answer of the model.", RESPONSE_KEYS);
static LAX_RESPONSE: Shape = RESPONSE.unknown(Unknown::Warned);
static RESPONSE_KEYS: &[Field] = &[
    required("content", Kind::Text, "What the model says."),
    required("model", Kind::Text, "The name of the model that says it."),
    required("tokens_used", Kind::SpeltCount, "How many tokens it took."),
    required("latency_ms", Kind::Spelt(f64::INFINITY), "How many milliseconds it took."),
    optional("finish_reason", Kind::Text, "Why the model stopped, `stop` without it."),
];

/// Reads a script's keys; `None` when something is wrong. Unknown keys of a response are as bad as `unknown` says.
pub(crate) fn script(
    fields: &mut read::Fields<'_>,
    unknown: Severity,
    problems: &mut Diagnostics,
) -> Option<MockScript> {
    let before = problems.count(Severity::Error);
    let model_name = fields.required("model_name", problems).and_then(|node| read::text(node, "model_name", problems));
    let responses =
        fields.optional("responses").and_then(|node| responses(node, unknown, problems)).unwrap_or_default();
    let latency = fields.optional("default_latency_ms").and_then(|node| latency(node, "default_latency_ms", problems));
    let rate = fields.optional("failure_rate").and_then(|node| rate(node, problems));
    if problems.count(Severity::Error) > before {
        return None;
    }
    Some(MockScript {
        model_name: model_name?,
        responses,
        default_latency_ms: latency.unwrap_or(MockScript::DEFAULT_LATENCY_MS),
        failure_rate: rate.unwrap_or_default(),
    })
}

fn responses(node: &Node, unknown: Severity, problems: &mut Diagnostics) -> Option<Vec<MockResponse>> {
    let items = read::list(node, "responses", problems)?;
    Some(items.iter().filter_map(|item| response(item, unknown, problems)).collect())
}

fn response(node: &Node, unknown: Severity, problems: &mut Diagnostics) -> Option<MockResponse> {
    let mut fields = if unknown == Severity::Error { &RESPONSE } else { &LAX_RESPONSE }.open(node, problems)?;
    let content = fields.required("content", problems).and_then(|node| read::text(node, "content", problems));
    let model = fields.required("model", problems).and_then(|node| read::text(node, "model", problems));
    let tokens_used = fields.required("tokens_used", problems).and_then(|node| tokens(node, problems));
    let latency_ms = fields.required("latency_ms", problems).and_then(|node| latency(node, "latency_ms", problems));
    let finish_reason = fields.optional("finish_reason").and_then(|node| read::text(node, "finish_reason", problems));
    fields.finish(problems);
    Some(MockResponse {
        content: content?,
        model: model?,
        tokens_used: tokens_used?,
        latency_ms: latency_ms?,
        finish_reason: finish_reason.unwrap_or_else(|| MockScript::DEFAULT_FINISH_REASON.into()),
    })
}

/// A number as it is, or as a text of nothing else.
pub(crate) fn lax_number(node: &Node) -> Option<f64> {
    let scalar = node.scalar()?;
    let number = Scalar::plain(scalar.text.trim()).value(Reading::Core).as_ref().and_then(Value::as_f64)?;
    number.is_finite().then_some(number)
}

fn tokens(node: &Node, problems: &mut Diagnostics) -> Option<u64> {
    let tokens = node.scalar().and_then(|scalar| scalar.text.trim().parse().ok());
    if tokens.is_none() {
        problems.mismatch(node, "`tokens_used` must be 0 or more", "expected a whole number of tokens");
    }
    tokens
}

fn latency(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let latency = lax_number(node).filter(|latency| *latency >= 0.0);
    if latency.is_none() {
        problems.mismatch(node, format_args!("`{name}` must be 0 or more"), "expected milliseconds");
    }
    latency
}

fn rate(node: &Node, problems: &mut Diagnostics) -> Option<f64> {
    let rate = lax_number(node).filter(|rate| (0.0..=1.0).contains(rate));
    if rate.is_none() {
        let help = "write `0.1` to let one call in ten fail";
        problems.mismatch(node, "`failure_rate` must be from 0 to 1", "expected a share of all calls").help(help);
    }
    rate
}

/// The pairs that [`script`] reads, what is usual left out.
pub(crate) fn print_script(script: &MockScript, span: Span) -> Vec<Pair> {
    let pair = |key: &str, value| Pair { key: Key { text: key.into(), span }, value };
    let plain = |word: String| Node { span, content: Content::Scalar(Scalar::plain(word)) };
    let words = |text: &str| Node::text(text, span);
    let mut pairs = vec![pair("model_name", words(&script.model_name))];
    let response = |response: &MockResponse| {
        let mut pairs = vec![
            pair("content", words(&response.content)),
            pair("model", words(&response.model)),
            pair("tokens_used", plain(response.tokens_used.to_string())),
            pair("latency_ms", plain(response.latency_ms.to_string())),
        ];
        if response.finish_reason != MockScript::DEFAULT_FINISH_REASON {
            pairs.push(pair("finish_reason", words(&response.finish_reason)));
        }
        Node { span, content: Content::Map(pairs.into()) }
    };
    if !script.responses.is_empty() {
        pairs.push(pair("responses", Node::list(span, script.responses.iter().map(response).collect())));
    }
    if script.default_latency_ms.total_cmp(&MockScript::DEFAULT_LATENCY_MS).is_ne() {
        pairs.push(pair("default_latency_ms", plain(script.default_latency_ms.to_string())));
    }
    if script.failure_rate > 0.0 {
        pairs.push(pair("failure_rate", plain(script.failure_rate.to_string())));
    }
    pairs
}
