//! `tools`: the tools that the client offers to an agent, and their answers.

use std::collections::HashSet;

use agentci_plan::{ClientTool, Data, ScriptedAnswer, ScriptedTool};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Reader, Spanned, read};
use serde_json::{Value, json};

use super::readers::filled_list;
use crate::texts::{data, object};

#[derive(Debug, Clone)]
pub(super) struct WrittenTool {
    name: Spanned<String>,
    description: Option<String>,
    parameters: Option<Value>,
    answers: Vec<ScriptedAnswer>,
}

impl WrittenTool {
    /// The declaration sent to the agent.
    pub(super) fn client(&self) -> ClientTool {
        ClientTool {
            name: self.name.clone(),
            description: self.description.clone().unwrap_or_default(),
            parameters: self.parameters.clone().unwrap_or_else(|| json!({ "type": "object", "properties": {} })),
        }
    }

    /// The scripted answers, if it has any.
    pub(super) fn scripted(&self) -> Option<ScriptedTool> {
        let answers = self.answers.clone();
        (!answers.is_empty()).then(|| ScriptedTool { name: self.name.clone(), answers })
    }

    /// Fills the missing parts of this tool from another one.
    fn over(self, below: &WrittenTool) -> WrittenTool {
        WrittenTool {
            name: self.name,
            description: self.description.or_else(|| below.description.clone()),
            parameters: self.parameters.or_else(|| below.parameters.clone()),
            answers: if self.answers.is_empty() { below.answers.clone() } else { self.answers },
        }
    }
}

/// Merges the tools of a target and a test: new tools are added, tools of the same name override.
pub(super) fn merged(target: &[WrittenTool], test: Vec<WrittenTool>) -> Vec<WrittenTool> {
    let mut all = target.to_vec();
    for tool in test {
        match all.iter_mut().find(|known| known.name.value == tool.name.value) {
            Some(known) => *known = tool.over(known),
            None => all.push(tool),
        }
    }
    all
}

pub(super) const TOOLS: Kind = Kind::List(&Kind::Shape(&TOOL));

static TOOL: Shape = Shape::new(
    "a tool",
    "A tool that the client offers, and how it answers.",
    &[
        required("name", Kind::Name, "Name of the tool."),
        optional("description", Kind::Text, "Description for the agent."),
        optional("parameters", Kind::Object, "The JSON Schema of its arguments."),
        optional("reply", Kind::Data, "Result of every call."),
        optional("replies", Kind::Filled(&Kind::Data), "Results of successive calls; the last one repeats."),
        optional("error", Kind::Data, "Error of every call."),
    ],
)
.rules(&[KeyRule::NotBoth(&["reply", "replies", "error"])]);

/// Reads a list of tools. Each must have an answer, or a tool of the same name in `below`.
pub(super) fn tools(node: &Node, below: &[WrittenTool], problems: &mut Diagnostics) -> Vec<WrittenTool> {
    let items = read::list(node, "tools", problems).unwrap_or_default();
    let mut names = HashSet::new();
    let mut tools = Vec::with_capacity(items.len());
    for item in items {
        let Some(tool) = tool(item, below, problems) else { continue };
        if !names.insert(tool.name.value.clone()) {
            problems
                .error(tool.name.span, format!("the tool `{}` is defined twice", tool.name.value), "already defined")
                .help("list several answers of one tool in `replies`");
        }
        tools.push(tool);
    }
    tools
}

fn tool(node: &Node, below: &[WrittenTool], problems: &mut Diagnostics) -> Option<WrittenTool> {
    let mut fields = TOOL.reader(node, problems)?;
    let name = fields.required("name", read::name);
    let description = fields.text("description");
    let parameters = fields.optional("parameters", object);
    let answers = answers(&mut fields);
    fields.finish();
    let name = name?;
    if answers.is_none() && !below.iter().any(|known| known.name.value == name.value) {
        let message = format!("the tool `{}` has no answer", name.value.escape_debug());
        let help = "add `reply: ..`, `replies: [..]` or `error: ..`; `reply: null` answers with nothing";
        problems.error(name.span, message, "needs an answer").help(help);
    }
    let answers = answers.unwrap_or_default();
    Some(WrittenTool { name, description, parameters, answers })
}

/// Reads the answers: `reply`, `replies` or `error`. `None` if none of them is set; `reply: null` is an answer.
fn answers(fields: &mut Reader<'_, '_>) -> Option<Vec<ScriptedAnswer>> {
    let [reply, replies, error] = ["reply", "replies", "error"].map(|key| fields.node(key));
    let written = fields.key_span("reply");
    let given = [written, replies.and(fields.key_span("replies")), error.and(fields.key_span("error"))];
    let mut keys = given.into_iter().flatten();
    if let (Some(_), Some(second)) = (keys.next(), keys.next()) {
        let message = "a tool can have only one of `reply`, `replies` and `error`";
        fields.problems.error(second, message, "a second one").help("keep one of them");
    }
    let answer = |ok| move |data| ScriptedAnswer { ok, data };
    if reply.is_some() {
        return Some(fields.optional("reply", data).map(answer(true)).into_iter().collect());
    }
    if written.is_some() {
        return Some(vec![ScriptedAnswer { ok: true, data: Data::parse(&Value::Null) }]);
    }
    if let Some(node) = replies {
        let items = filled_list(node, "replies", "[first, second]", fields.problems).unwrap_or_default();
        return Some(
            items.iter().filter_map(|item| data(item, "replies", fields.problems)).map(answer(true)).collect(),
        );
    }
    error.map(|_| fields.optional("error", data).map(answer(false)).into_iter().collect())
}
