//! A resource, or a template of some.

use agentci_plan::Data;
use agentci_plan::mcp_script::{Resource, ResourceContent};
use agentci_source::shape::{KeyRule, Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Spanned};
use serde_json::Value;

use super::read::{complete, declared};

const DECLARED: [&str; 8] = ["name", "title", "description", "mimeType", "annotations", "size", "icons", "_meta"];

pub(super) static RESOURCE: Shape = Shape::new(
    "a resource",
    "What is listed of a resource, and what it holds.",
    &[
        optional("name", Kind::Name, "Its name. Default: its address."),
        optional("title", Kind::Text, "Its name for people."),
        optional("description", Kind::Text, "What it is."),
        optional("mimeType", Kind::Name, "What kind of content it holds."),
        optional("annotations", Kind::Object, "For whom it is, and how much it matters."),
        optional("size", Kind::Count(0), "How many bytes it has."),
        optional("icons", Kind::List(&Kind::Object), "Its pictures."),
        optional("_meta", Kind::Object, "What extensions say of it."),
        optional("text", Kind::Text, "The text that it holds; `${INPUT.name}` is a part of a template."),
        optional("blob", Kind::Text, "The bytes that it holds, as Base64."),
        optional(
            "complete",
            Kind::Map(&Kind::List(&Kind::Text)),
            "What may stand for a part of the template, by name.",
        ),
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
                fields.problems.error(node.span, "a resource has either `text` or `blob`", "").help(help);
                None
            }
        };
        let complete = fields.or_default("complete", complete);
        Some(Resource { uri, declared, holds: holds?, complete })
    })
}
