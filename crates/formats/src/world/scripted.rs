//! Reads tools with scripted answers, by name:
//!
//! ```yaml
//! confirm: { reply: { ok: true } }
//! search: [{ error: upstream timeout }, { reply: [] }]
//! ```

use crate::printer::Printer;
use crate::texts::data;
use agentci_plan::{Data, ScriptedAnswer, ScriptedTool};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Pair, Spanned, read};
use serde_json::Value;

/// Answers by tool name.
pub(crate) const SCRIPTED: Kind =
    Kind::Map(&Kind::Either(&[Kind::Shape(&ANSWER), Kind::Filled(&Kind::Shape(&ANSWER))]));

static ANSWER: Shape = Shape::new(
    "an answer",
    "An answer of a tool.",
    &[
        optional("reply", Kind::Data, "The result; its strings may contain variables."),
        optional("error", Kind::Text, "The error message to return instead."),
    ],
)
.rules(&[KeyRule::OneWritten(&["reply", "error"])]);

/// Reads a mapping from names to one answer or a list of answers.
pub(crate) fn read_scripted(node: &Node, problems: &mut Diagnostics) -> Vec<ScriptedTool> {
    let pairs = read::pairs(node, "scripted tools", "`name: { reply: .. }`", problems);
    let tool = |pair: &Pair| {
        let written = pair.value.items().unwrap_or(std::slice::from_ref(&pair.value));
        if written.is_empty() {
            let message = format!("`{}` has no answer", pair.key.text.escape_debug());
            problems.error(pair.value.span, message, "an answer is missing here");
        }
        let answers: Option<Vec<_>> = written.iter().map(|node| answer(node, problems)).collect();
        let name = Spanned::new(pair.key.text.to_string(), pair.key.span);
        answers.filter(|answers| !answers.is_empty()).map(|answers| ScriptedTool { name, answers })
    };
    pairs.iter().filter_map(tool).collect()
}

fn answer(node: &Node, problems: &mut Diagnostics) -> Option<ScriptedAnswer> {
    ANSWER.read(node, problems, |fields| match (fields.node("reply"), fields.node("error")) {
        (Some(_), None) => Some(ScriptedAnswer { ok: true, data: fields.optional("reply", data)? }),
        (None, Some(_)) => {
            let words = fields.text("error")?;
            Some(ScriptedAnswer { ok: false, data: Data::parse(&words.into()) })
        }
        // The answer may be null, but the key must be present.
        (None, None) if fields.key_span("reply").is_some() => {
            Some(ScriptedAnswer { ok: true, data: Data::literal(&Value::Null) })
        }
        _ => {
            let help = "write `reply: ..` with the tool's result, or `error: text`";
            fields.problems.error(node.span, "an answer needs either `reply` or `error`", "").help(help);
            None
        }
    })
}

impl Printer<'_> {
    /// The tools as a mapping.
    pub(crate) fn scripted(&self, tools: &[ScriptedTool]) -> Option<Node> {
        let answer = |answer: &ScriptedAnswer| {
            let key = if answer.ok { "reply" } else { "error" };
            self.map([(key, Some(self.data(&answer.data)))])
        };
        self.filled_map(tools.iter().map(|tool| match tool.answers.as_slice() {
            [one] => (&tool.name.value, Some(answer(one))),
            several => (&tool.name.value, self.list(several, answer)),
        }))
    }
}
