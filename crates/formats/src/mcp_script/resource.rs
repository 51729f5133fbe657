//! Reads a resource, or a resource template.

use agentci_plan::Data;
use agentci_plan::mcp_script::{Resource, ResourceContent};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Spanned};
use serde_json::Value;

use super::read::{complete, declared};

const DECLARED: [&str; 8] = ["name", "title", "description", "mimeType", "annotations", "size", "icons", "_meta"];

pub(super) static RESOURCE: Shape = Shape::new(
    "a resource",
    "The list entry of a resource, and its content.",
    &[
        optional("name", Kind::Name, "Its name. Default: its URI."),
        optional("title", Kind::Text, "Display name."),
        optional("description", Kind::Text, "What it is."),
        optional("mimeType", Kind::Name, "MIME type of its content."),
        optional("annotations", Kind::Object, "Its audience and priority."),
        optional("size", Kind::Count(0), "Its size in bytes."),
        optional("icons", Kind::List(&Kind::Object), "Icons."),
        optional("_meta", Kind::Object, "Metadata of extensions."),
        optional("text", Kind::Text, "Its text; `${INPUT.name}` is a variable of the URI template."),
        optional("blob", Kind::Text, "Its bytes, as Base64."),
        optional("complete", Kind::Map(&Kind::List(&Kind::Text)), "Completions of the template's variables, by name."),
    ],
)
.rules(&[KeyRule::One(&["text", "blob"])]);

pub(super) fn resource(uri: Spanned<String>, node: &Node, problems: &mut Diagnostics) -> Option<Resource> {
    RESOURCE.read(node, problems, |fields| {
        let mut declared = declared(fields, &DECLARED);
        declared.entry("name").or_insert_with(|| Value::String(uri.value.clone()));
        let holds = match (fields.node("text"), fields.node("blob")) {
            (Some(_), None) => fields.text("text").map(|text| ResourceContent::Text(Data::parse(&Value::String(text)))),
            (None, Some(_)) => fields.text("blob").map(ResourceContent::Blob),
            _ => {
                let help = "write `text: ..`, or `blob: ..` with Base64";
                fields.problems.error(node.span, "a resource needs either `text` or `blob`", "").help(help);
                None
            }
        };
        let complete = fields.or_default("complete", complete);
        Some(Resource { uri, declared, holds: holds?, complete })
    })
}
