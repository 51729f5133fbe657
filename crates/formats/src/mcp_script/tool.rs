//! Reads a tool: its list entry and its answers.

use agentci_plan::mcp_script::ScriptedMcpTool;
use agentci_source::shape::{Kind, Shape, filled, optional};
use agentci_source::{Diagnostics, Node, Spanned};
use serde_json::{Value, json};

use super::answer::{ANSWER, answer};
use super::read::declared;

const DECLARED: [&str; 7] = ["title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];

pub(super) static TOOL: Shape = Shape::new(
    "a tool",
    "The list entry of a tool, and its answers.",
    &[
        optional("title", Kind::Text, "Display name."),
        optional("description", Kind::Text, "What it does."),
        optional("inputSchema", Kind::Object, "JSON Schema of its arguments. Default: any object."),
        optional("outputSchema", Kind::Object, "JSON Schema of its structured results."),
        optional("annotations", Kind::Object, "Hints about its effects."),
        optional("icons", Kind::List(&Kind::Object), "Icons."),
        optional("_meta", Kind::Object, "Metadata of extensions."),
        filled(
            "answers",
            Kind::OneOrMore(&Kind::Shape(&ANSWER)),
            "Its answers. Those that match a call are given in turn; the last one repeats.",
        ),
    ],
);

pub(super) fn tool(name: Spanned<String>, node: &Node, problems: &mut Diagnostics) -> Option<ScriptedMcpTool> {
    TOOL.read(node, problems, |fields| {
        let mut declared = declared(fields, &DECLARED);
        declared.entry("inputSchema").or_insert_with(|| json!({ "type": "object" }));
        if declared["inputSchema"].get("type") != Some(&Value::from("object")) {
            let place = node.get("inputSchema").map_or(node.span, |schema| schema.span);
            let message = format!("`inputSchema` of the tool `{}` must have `type: object`", name.value.escape_debug());
            fields.problems.error(place, message, "clients reject this").help("add `type: object` to it");
        }
        let written = fields.required_node("answers");
        let items = written.map(|node| node.items().unwrap_or(std::slice::from_ref(node))).unwrap_or_default();
        if let Some(node) = written.filter(|_| items.is_empty()) {
            fields.problems.error(node.span, "`answers` must not be empty", "an answer is missing here");
        }
        let answers = items.iter().filter_map(|node| answer(node, fields.problems)).collect();
        Some(ScriptedMcpTool { name, declared, answers })
    })
}
