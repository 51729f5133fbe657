//! `fail: { status: 429, retry_after: 2s, message: slow down, rate: 0.5, times: 2 }`

use agentci_plan::{ModelFailure, ModelFailureKind};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, read};

use crate::quantity::{number_to, whole_in};

const KINDS: [&str; 4] = ["status", "malformed", "cut", "hang"];

pub(super) static FAILURE: Shape = Shape::new(
    "`fail`",
    "A failure to simulate.",
    &[
        optional("retry_after", Kind::Duration, "The `retry-after` header of the error."),
        optional("message", Kind::Text, "The message of the error. Default: generated."),
        optional("status", Kind::Whole(400, 599), "Return an error with this HTTP status."),
        optional("malformed", Kind::Truth, "Send half of the answer as if it were complete."),
        optional("cut", Kind::Truth, "Send half of the answer, then break the connection."),
        optional("hang", Kind::Truth, "Send no answer."),
        optional("rate", Kind::Range(0.0, 1.0), "The share of matching requests that fail. Default: 1."),
        optional(
            "times",
            Kind::Count(1),
            "The maximum number of failures. Default: unlimited; 1 for a step that only fails.",
        ),
    ],
)
.rules(&[KeyRule::One(&KINDS), KeyRule::Needs("retry_after", "status"), KeyRule::Needs("message", "status")]);

pub(super) fn failure(node: &Node, problems: &mut Diagnostics) -> Option<ModelFailure> {
    let mut fields = FAILURE.reader(node, problems)?;
    let mut kinds = Vec::new();
    let beside = fields.node("retry_after").or(fields.node("message"));
    let (retry_after, message) = (fields.duration("retry_after"), fields.text("message"));
    if fields.node("status").is_some() {
        let status = fields.optional("status", status);
        kinds.push(status.map(|status| ModelFailureKind::Status { status, retry_after, message }));
    } else if let Some(node) = beside {
        let message = "`retry_after` and `message` need a `status`";
        fields.problems.error(node.span, message, "").help("add `status: 429`, or remove the key");
    }
    let words =
        [("malformed", ModelFailureKind::Malformed), ("cut", ModelFailureKind::Cut), ("hang", ModelFailureKind::Hang)];
    for (key, kind) in words {
        if fields.node(key).is_some() && fields.truth(key) != Some(false) {
            kinds.push(Some(kind));
        }
    }
    let rate = fields.optional("rate", rate).unwrap_or(1.0);
    let times = fields.count("times", 1);
    fields.finish();
    if kinds.len() != 1 {
        let how = if kinds.is_empty() { "does not say what goes wrong" } else { "has more than one kind of failure" };
        let help = format!("set one of {}", read::quoted_list(&KINDS));
        problems.error(node.span, format!("`fail` {how}"), "").help(help);
        return None;
    }
    Some(ModelFailure { kind: kinds.pop().flatten()?, rate, times })
}

fn status(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<u16> {
    whole_in(400..=599, node, name, "not an error status", problems)
}

fn rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    number_to(1.0, node, name, "expected a share of requests", problems)
}
