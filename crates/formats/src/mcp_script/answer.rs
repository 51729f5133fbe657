//! Reads an answer of a tool: the calls that it matches, the steps before it, and its outcome.

use agentci_plan::Data;
use agentci_plan::mcp_script::{CallOutcome, ToolAnswer};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, read};
use serde_json::Value;

use super::step::{STEP, steps};
use crate::texts::{data, object, object_data};

const ENDS: [&str; 4] = ["reply", "error", "result", "fail"];

pub(super) static ANSWER: Shape = Shape::new(
    "an answer",
    "An answer of a tool, and the calls that it applies to.",
    &[
        optional("when", Kind::Object, "Arguments that the call must have; it may have others. Default: any call."),
        optional("steps", Kind::List(&Kind::Shape(&STEP)), "Steps that run before the answer."),
        optional("reply", Kind::Data, "The result: a string, or any other data."),
        optional("error", Kind::Text, "The error message of the tool (`isError`)."),
        optional(
            "result",
            Kind::Object,
            "The result in the protocol's form: `content`, `structuredContent`, `isError`.",
        ),
        optional("fail", Kind::Shape(&FAIL), "The protocol error that the call fails with."),
    ],
)
.rules(&[KeyRule::OneWritten(&ENDS)]);

static FAIL: Shape = Shape::new(
    "`fail`",
    "A protocol error.",
    &[
        required("code", Kind::Whole(-32_768, 32_767), "The error code."),
        required("message", Kind::Text, "The error message."),
    ],
);

pub(super) fn answer(node: &Node, problems: &mut Diagnostics) -> Option<ToolAnswer> {
    ANSWER.read(node, problems, |fields| {
        let when = fields.optional("when", object);
        let steps = fields.or_default("steps", steps);
        let nothing = fields.key_span("reply").is_some();
        let outcome = match ENDS.map(|key| fields.node(key).is_some()) {
            [true, false, false, false] => fields.optional("reply", data).map(CallOutcome::Reply),
            [false, true, false, false] => {
                fields.text("error").map(|text| CallOutcome::Error(Data::parse(&text.into())))
            }
            [false, false, true, false] => fields.optional("result", object_data).map(CallOutcome::Result),
            [false, false, false, true] => fields.optional("fail", |node, _, problems| failure(node, problems)),
            [false, false, false, false] if nothing => Some(CallOutcome::Reply(Data::literal(&Value::Null))),
            _ => {
                let message = "an answer needs exactly one of `reply`, `error`, `result` and `fail`";
                let help = "write `reply: ..` with the tool's result, or `error: text`";
                fields.problems.error(node.span, message, "").help(help);
                None
            }
        };
        Some(ToolAnswer { when, steps, outcome: outcome? })
    })
}

fn failure(node: &Node, problems: &mut Diagnostics) -> Option<CallOutcome> {
    FAIL.read(node, problems, |fields| {
        let code = fields.required("code", read::integer);
        let message = fields.required("message", read::text);
        Some(CallOutcome::Failure { code: code?, message: message? })
    })
}
