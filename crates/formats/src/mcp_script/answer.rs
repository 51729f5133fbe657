//! An answer of a tool: to which calls, after what, and how it ends.

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
    "What a tool answers, and to which calls.",
    &[
        optional("when", Kind::Object, "Arguments that the call has, among others. Default: any."),
        optional("steps", Kind::List(&Kind::Shape(&STEP)), "What happens before it."),
        optional("reply", Kind::Data, "What it gives: a text, or data."),
        optional("error", Kind::Text, "What the tool complains of."),
        optional(
            "result",
            Kind::Object,
            "What it gives, as the protocol has it: `content`, `structuredContent`, `isError`.",
        ),
        optional("fail", Kind::Shape(&FAIL), "The error of the protocol that the call ends with."),
    ],
)
.rules(&[KeyRule::OneWritten(&ENDS)]);

static FAIL: Shape = Shape::new(
    "`fail`",
    "An error of the protocol.",
    &[required("code", Kind::Whole(-32_768, 32_767), "Its number."), required("message", Kind::Text, "Its words.")],
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
                let message = "an answer has one of `reply`, `error`, `result` and `fail`";
                let help = "write `reply: ..` with what the tool gives, or `error: text`";
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
