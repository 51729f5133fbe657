//! A tool: what a list says of it, and its answers.

use agentci_plan::mcp_script::ScriptedMcpTool;
use agentci_source::shape::{Kind, Shape, filled, optional};
use agentci_source::{Diagnostics, Node, Spanned};
use serde_json::{Value, json};

use super::answer::{ANSWER, answer};
use super::read::declared;

const DECLARED: [&str; 7] = ["title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];

pub(super) static TOOL: Shape = Shape::new(
    "a tool",
    "What is listed of a tool, and what it answers.",
    &[
        optional("title", Kind::Text, "Its name for people."),
        optional("description", Kind::Text, "What it does."),
        optional("inputSchema", Kind::Object, "The schema of its arguments. Default: any object."),
        optional("outputSchema", Kind::Object, "The schema of its results."),
        optional("annotations", Kind::Object, "What it says of its effects."),
        optional("icons", Kind::List(&Kind::Object), "Its pictures."),
        optional("_meta", Kind::Object, "What extensions say of it."),
        filled(
            "answers",
            Kind::OneOrMore(&Kind::Shape(&ANSWER)),
            "What it answers. Those that fit a call are given in turn, the last one again and again.",
        ),
    ],
);

pub(super) fn tool(name: Spanned<String>, node: &Node, problems: &mut Diagnostics) -> Option<ScriptedMcpTool> {
    TOOL.read(node, problems, |fields| {
        let mut declared = declared(fields, &DECLARED);
        declared.entry("inputSchema").or_insert_with(|| json!({ "type": "object" }));
        if declared["inputSchema"].get("type") != Some(&Value::from("object")) {
            let place = node.get("inputSchema").map_or(node.span, |schema| schema.span);
            let message =
                format!("the schema of the arguments of `{}` must have `type: object`", name.value.escape_debug());
            fields.problems.error(place, message, "clients refuse this").help("add `type: object` to it");
        }
        let written = fields.required_node("answers");
        let items = written.map(|node| node.items().unwrap_or(std::slice::from_ref(node))).unwrap_or_default();
        if let Some(node) = written.filter(|_| items.is_empty()) {
            fields.problems.error(node.span, "`answers` has no answer", "an answer is missing here");
        }
        let answers = items.iter().filter_map(|node| answer(node, fields.problems)).collect();
        Some(ScriptedMcpTool { name, declared, answers })
    })
}
