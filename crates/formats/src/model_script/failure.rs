//! `fail: { status: 429, retry_after: 2s, message: slow down, rate: 0.5, times: 2 }`

use agentci_plan::{ModelFailure, ModelFailureKind};
use agentci_source::shape::{Kind, Rule, Shape, optional};
use agentci_source::{Diagnostic, Diagnostics, Node, read};

const KINDS: [&str; 4] = ["status", "malformed", "cut", "hang"];

pub(super) static FAILURE: Shape = Shape::new(
    "`fail`",
    "What goes wrong with a request.",
    &[
        optional("retry_after", Kind::Duration, "When to try again, as a header says."),
        optional("message", Kind::Text, "What the error says."),
        optional("status", Kind::Whole(400, 599), "An error with this status."),
        optional("malformed", Kind::Truth, "An answer that is not what the API promises."),
        optional("cut", Kind::Truth, "An answer that ends in the middle."),
        optional("hang", Kind::Truth, "No answer at all."),
        optional("rate", Kind::Range(0.0, 1.0), "The share of requests that it befalls."),
        optional("times", Kind::Count(1), "How often it happens before all is well."),
    ],
)
.rules(&[Rule::One(&KINDS), Rule::Needs("retry_after", "status"), Rule::Needs("message", "status")]);

pub(super) fn failure(node: &Node, problems: &mut Diagnostics) -> Option<ModelFailure> {
    let mut fields = FAILURE.open(node, problems)?;
    let mut kinds = Vec::new();
    let retry_after = fields.optional("retry_after");
    let message = fields.optional("message");
    let beside = retry_after.or(message);
    let retry_after = retry_after.and_then(|node| read::duration(node, "retry_after", problems));
    let message = message.and_then(|node| read::text(node, "message", problems));
    if let Some(node) = fields.optional("status") {
        let status = status(node, problems);
        kinds.push(status.map(|status| ModelFailureKind::Status { status, retry_after, message }));
    } else if let Some(node) = beside {
        problems.push(
            Diagnostic::error(node.span, "only a failure with a `status` has `retry_after` and `message`")
                .help("add `status: 429`, or remove it"),
        );
    }
    let words =
        [("malformed", ModelFailureKind::Malformed), ("cut", ModelFailureKind::Cut), ("hang", ModelFailureKind::Hang)];
    for (key, kind) in words {
        if let Some(node) = fields.optional(key)
            && read::truth(node, key, problems) != Some(false)
        {
            kinds.push(Some(kind));
        }
    }
    let rate = fields.optional("rate").and_then(|node| rate(node, problems));
    let times = fields.optional("times").and_then(|node| read::count(node, "times", 1, problems));
    fields.finish(problems);
    if kinds.len() != 1 {
        let how = if kinds.is_empty() { "does not say what" } else { "says more than one thing" };
        problems.push(
            Diagnostic::error(node.span, format!("`fail` {how} goes wrong"))
                .help(format!("give it one of {}", read::quoted_list(&KINDS))),
        );
        return None;
    }
    Some(ModelFailure { kind: kinds.pop().flatten()?, rate: rate.unwrap_or(1.0), times })
}

fn status(node: &Node, problems: &mut Diagnostics) -> Option<u16> {
    let written = read::integer(node, "status", problems)?;
    let status = u16::try_from(written).ok().filter(|status| (400..600).contains(status));
    if status.is_none() {
        let message = format!("`status` must be from 400 to 599, found {written}");
        problems.error(node.span, message, "not the status of an error");
    }
    status
}

fn rate(node: &Node, problems: &mut Diagnostics) -> Option<f64> {
    let rate = read::number(node, "rate", problems)?;
    if (0.0..=1.0).contains(&rate) {
        return Some(rate);
    }
    problems.error(node.span, format!("`rate` must be from 0 to 1, found {rate}"), "a share of requests");
    None
}
