//! Reads a prompt: its list entry and its messages.

use agentci_plan::Data;
use agentci_plan::mcp_script::McpPrompt;
use agentci_source::shape::{KeyRule, Kind, Shape, filled, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};
use serde_json::{Value, json};

use super::read::{complete, declared};
use super::step::{STEP, steps};
use crate::texts::object;

const DECLARED: [&str; 5] = ["title", "description", "arguments", "icons", "_meta"];
const ROLES: [&str; 2] = ["user", "assistant"];

pub(super) static PROMPT: Shape = Shape::new(
    "a prompt",
    "The list entry of a prompt, and its messages.",
    &[
        optional("title", Kind::Text, "Display name."),
        optional("description", Kind::Text, "What it is for."),
        optional("arguments", Kind::List(&Kind::Shape(&ARGUMENT)), "Its arguments."),
        optional("icons", Kind::List(&Kind::Object), "Icons."),
        optional("_meta", Kind::Object, "Metadata of extensions."),
        optional("steps", Kind::List(&Kind::Shape(&STEP)), "Steps that run before the prompt is returned."),
        filled("messages", Kind::Filled(&Kind::Shape(&MESSAGE)), "Its messages; `${INPUT.name}` is an argument."),
        optional("complete", Kind::Map(&Kind::List(&Kind::Text)), "Completions of the arguments, by name."),
    ],
);

static ARGUMENT: Shape = Shape::new(
    "an argument",
    "An argument of a prompt.",
    &[
        required("name", Kind::Name, "Its name."),
        optional("title", Kind::Text, "Display name."),
        optional("description", Kind::Text, "What it is."),
        optional("required", Kind::Truth, "Whether it is required. Default: false."),
    ],
);

static MESSAGE: Shape = Shape::new(
    "a message",
    "A message of a prompt: its role and its content.",
    &[
        optional("user", CONTENT, "A message of the user: a string, or content in the protocol's form."),
        optional("assistant", CONTENT, "A message of the model: a string, or content in the protocol's form."),
    ],
)
.rules(&[KeyRule::One(&ROLES)]);

const CONTENT: Kind = Kind::Either(&[Kind::Text, Kind::Object]);

pub(super) fn prompt(name: Spanned<String>, node: &Node, problems: &mut Diagnostics) -> Option<McpPrompt> {
    let mut fields = PROMPT.reader(node, problems)?;
    let declared = declared(&mut fields, &DECLARED);
    for argument in node.get("arguments").and_then(Node::items).into_iter().flatten() {
        ARGUMENT.read(argument, fields.problems, |fields| {
            fields.required_node("name");
            Some(["title", "description", "required"].map(|key| fields.node(key)))
        });
    }
    let steps = fields.or_default("steps", steps);
    let written = fields.required("messages", read::list);
    let messages: Option<Vec<Value>> = written?.iter().map(|node| message(node, fields.problems)).collect();
    let complete = fields.or_default("complete", complete);
    fields.finish();
    Some(McpPrompt { name, declared, steps, messages: Data::parse(&Value::Array(messages?)), complete })
}

fn message(node: &Node, problems: &mut Diagnostics) -> Option<Value> {
    let said = MESSAGE.read(node, problems, |fields| {
        let said = ROLES.map(|role| (role, fields.node(role)));
        said.into_iter().find_map(|(role, node)| Some((role, node?)))
    });
    let (role, node) = said?;
    let content = if node.pairs().is_some() {
        object(node, role, problems)?
    } else {
        json!({ "type": "text", "text": read::text(node, role, problems)? })
    };
    Some(json!({ "role": role, "content": content }))
}
