//! An answer of a tool: to which calls, after what, and how it ends.

use agentci_plan::Data;
use agentci_plan::mcp_script::{Answer, Outcome};
use agentci_source::shape::{Kind, Rule, Shape, optional, required};
use agentci_source::{Diagnostic, Diagnostics, Node, Reading, read};
use serde_json::Value;

use super::step::{STEP, steps};

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
.rules(&[Rule::OneWritten(&ENDS)]);

static FAIL: Shape = Shape::new(
    "`fail`",
    "An error of the protocol.",
    &[required("code", Kind::Whole(-32_768, 32_767), "Its number."), required("message", Kind::Text, "Its words.")],
);

pub(super) fn answer(node: &Node, problems: &mut Diagnostics) -> Option<Answer> {
    let mut fields = ANSWER.open(node, problems)?;
    let when = fields.optional("when").and_then(|node| read::object(node, "when", Reading::Core, problems));
    let steps = fields.optional("steps").map(|node| steps(node, problems)).unwrap_or_default();
    let [reply, error, result, fail] = ENDS.map(|key| fields.optional(key));
    let nothing = fields.key_span("reply").is_some();
    let outcome = match (reply, error, result, fail) {
        (Some(node), None, None, None) => data(node, "reply", problems).map(Outcome::Reply),
        (None, Some(node), None, None) => {
            read::text(node, "error", problems).map(|text| Outcome::Error(Data::parse(&Value::String(text))))
        }
        (None, None, Some(node), None) => {
            let result = read::object(node, "result", Reading::Core, problems);
            result.map(|result| Outcome::Result(Data::parse(&result)))
        }
        (None, None, None, Some(node)) => failure(node, problems),
        (None, None, None, None) if nothing => Some(Outcome::Reply(Data::literal(&Value::Null))),
        _ => {
            problems.push(
                Diagnostic::error(node.span, "an answer has one of `reply`, `error`, `result` and `fail`")
                    .help("write `reply: ..` with what the tool gives, or `error: text`"),
            );
            None
        }
    };
    fields.finish(problems);
    Some(Answer { when, steps, outcome: outcome? })
}

fn failure(node: &Node, problems: &mut Diagnostics) -> Option<Outcome> {
    let mut fields = FAIL.open(node, problems)?;
    let code = fields.required("code", problems).and_then(|node| read::integer(node, "code", problems));
    let message = fields.required("message", problems).and_then(|node| read::text(node, "message", problems));
    fields.finish(problems);
    Some(Outcome::Failure { code: code?, message: message? })
}

/// Data in whose texts variables may stand.
pub(super) fn data(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Data> {
    read::data(node, name, Reading::Core, problems).map(|value| Data::parse(&value))
}
