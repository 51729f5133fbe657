//! `faults: [{ tool: search_docs, call: 2, error: upstream timeout }]`

use crate::printer::Printer;
use crate::quantity::number_to;
use agentci_plan::{Fault, FaultKind, FaultTime};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostic, Diagnostics, Node, print_duration, read};

const KINDS: [&str; 5] = ["error", "delay", "malformed", "truncated", "hang"];

/// A list of faults.
pub(crate) const FAULTS: Kind = Kind::List(&Kind::Shape(&FAULT));

static FAULT: Shape = Shape::new(
    "a fault",
    "A fault to inject into tool calls.",
    &[
        optional("tool", Kind::Name, "The tool that it affects. Default: every tool."),
        optional(
            "model",
            Kind::Truth,
            "Whether it affects the model of a recorded world instead of its tools. Default: false.",
        ),
        optional("call", Kind::Count(1), "The number of the call that it affects, from 1. Default: every call."),
        optional("rate", Kind::Range(0.0, 1.0), "The share of calls that it affects. Default: every call."),
        optional("error", Kind::Text, "The tool fails with this message."),
        optional("delay", Kind::Duration, "The answer is delayed by this time."),
        optional("malformed", Kind::Truth, "The answer is malformed."),
        optional("truncated", Kind::Truth, "The answer is cut off."),
        optional("hang", Kind::Truth, "The tool never answers."),
    ],
)
.rules(&[KeyRule::One(&KINDS), KeyRule::NotBoth(&["call", "rate"]), KeyRule::NotBoth(&["tool", "model"])]);

pub(crate) fn read_faults(node: &Node, problems: &mut Diagnostics) -> Vec<Fault> {
    read::each(node, "faults", problems, fault)
}

fn fault(node: &Node, problems: &mut Diagnostics) -> Option<Fault> {
    let mut fields = FAULT.reader(node, problems)?;
    let tool = fields.optional("tool", read::name);
    let model = fields.node("model").map(|node| (node.span, fields.truth("model")));
    let call = fields.node("call").map(|_| fields.count("call", 1));
    let rate = fields.node("rate").map(|_| fields.optional("rate", rate));
    let mut kinds = Vec::new();
    kinds.extend(fields.node("error").map(|_| fields.text("error").map(FaultKind::Error)));
    kinds.extend(fields.node("delay").map(|_| fields.duration("delay").map(FaultKind::Delay)));
    for (key, kind) in
        [("malformed", FaultKind::Malformed), ("truncated", FaultKind::Truncated), ("hang", FaultKind::Hang)]
    {
        if fields.node(key).is_some() && fields.truth(key) != Some(false) {
            kinds.push(Some(kind));
        }
    }
    fields.finish();
    if call.is_some() && rate.is_some() {
        let help = "`call: 2` means the second call, `rate: 0.3` about three in ten";
        problems.error(node.span, "a fault has either `call` or `rate`, not both", "").help(help);
        return None;
    }
    if let (Some((span, _)), Some(_)) = (model, &tool) {
        let help = "`tool: search` means that tool, `model: true` the model of a recorded world";
        problems.error(span, "a fault has either `tool` or `model`, not both", "").help(help);
        return None;
    }
    let model = model.is_some_and(|(_, truth)| truth == Some(true));
    let when = match (call, rate) {
        (Some(call), _) => FaultTime::Call(call?),
        (_, Some(rate)) => FaultTime::Rate(rate?),
        _ => FaultTime::Always,
    };
    if kinds.len() != 1 {
        let message = if kinds.is_empty() {
            "this fault does not say what goes wrong"
        } else {
            "this fault has more than one kind of failure"
        };
        problems.push(Diagnostic::error(node.span, message).help(format!("set one of {}", read::quoted_list(&KINDS))));
        return None;
    }
    Some(Fault { tool, model, when, kind: kinds.pop().flatten()?, span: node.span })
}

fn rate(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    number_to(1.0, node, name, "expected a share of calls", problems)
}

impl Printer<'_> {
    pub(crate) fn fault(&self, fault: &Fault) -> Node {
        let (call, rate) = match fault.when {
            FaultTime::Always => (None, None),
            FaultTime::Call(call) => (Some(self.plain(call)), None),
            FaultTime::Rate(rate) => (None, Some(self.plain(rate))),
        };
        let (kind, value) = match &fault.kind {
            FaultKind::Error(words) => ("error", self.text(words)),
            FaultKind::Delay(time) => ("delay", self.text(&print_duration(*time))),
            FaultKind::Malformed => ("malformed", self.plain(true)),
            FaultKind::Truncated => ("truncated", self.plain(true)),
            FaultKind::Hang => ("hang", self.plain(true)),
        };
        self.map([
            ("tool", fault.tool.as_ref().map(|tool| self.text(&tool.value))),
            ("model", self.flag(fault.model)),
            ("call", call),
            ("rate", rate),
            (kind, Some(value)),
        ])
    }
}
