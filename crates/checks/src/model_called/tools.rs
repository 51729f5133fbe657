//! Conditions on the tools that a request offers.

use agentci_source::shape::{Kind, Shape, filled, required};
use agentci_source::{Node, Span, Spanned, read};
use agentci_text::{Difference, and_more, pointer};
use agentci_trace::{OfferedTool, same_value};
use agentci_verdict::Detail;
use serde_json::Value;

use super::condition::RequestCondition;
use crate::call_words::cut;
use crate::compiler::{Compiler, object};

/// The most tools that a message names.
const NAMED: usize = 20;

/// How suites write a tool and its parameters.
pub(super) static TOOL: Shape = Shape::new(
    "a tool",
    "A tool, and the parameters that it is offered with.",
    &[
        required("name", Kind::Name, "The name of the tool."),
        filled("parameters", Kind::Object, "What the JSON Schema of its arguments must contain."),
    ],
);

/// How suites write the exact list of tools.
pub(super) static EXACTLY: Shape = Shape::new(
    "`tools`",
    "The tools that are offered, and no others.",
    &[required(
        "exactly",
        Kind::List(&Kind::Either(&[Kind::Name, Kind::Shape(&TOOL)])),
        "The tools; an empty list means that none is offered.",
    )],
);

/// A tool that must be offered.
#[derive(Debug)]
pub(super) struct WantedTool {
    pub(super) name: Spanned<String>,
    parameters: Option<Value>,
}

/// The only tools that may be offered.
#[derive(Debug)]
pub(super) struct OnlyTools {
    pub(super) names: Vec<String>,
    pub(super) span: Span,
}

/// Reads a list of tools, or a mapping with `exactly`.
pub(super) fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Vec<RequestCondition>> {
    let mut exactly = None;
    let mut list = node;
    if node.pairs().is_some() {
        let mut arguments = compiler.open(&EXACTLY, node)?;
        let found = arguments.required_node("exactly");
        arguments.finish()?;
        list = found?;
        exactly = Some(list.span);
    }
    let items = read::list(list, "tools", &mut compiler.problems)?;
    let wanted: Vec<Option<WantedTool>> = items.iter().map(|item| WantedTool::read(item, compiler)).collect();
    let wanted = wanted.into_iter().collect::<Option<Vec<WantedTool>>>()?;
    let only =
        exactly.map(|span| OnlyTools { names: wanted.iter().map(|tool| tool.name.value.clone()).collect(), span });
    Some(wanted.into_iter().map(RequestCondition::Offers).chain(only.map(RequestCondition::OffersOnly)).collect())
}

impl WantedTool {
    fn read(node: &Node, compiler: &mut Compiler<'_>) -> Option<Self> {
        if node.pairs().is_none() {
            let name = read::name(node, "tools", &mut compiler.problems)?;
            return Some(Self { name, parameters: None });
        }
        let mut arguments = compiler.open(&TOOL, node)?;
        let name = arguments.required("name", read::name);
        let parameters = arguments.optional("parameters", object).map(Value::Object);
        arguments.finish()?;
        Some(Self { name: name?, parameters })
    }

    pub(super) fn is_offered(&self, tools: &[OfferedTool<'_>]) -> bool {
        self.offers(tools).any(|tool| self.differs(tool).is_none())
    }

    pub(super) fn words(&self) -> String {
        let with = if self.parameters.is_some() { " with these parameters" } else { "" };
        format!("the tool `{}`{with}", self.name.value)
    }

    /// What the request offers instead; `which` names the request.
    pub(super) fn seen(&self, which: &str, tools: &[OfferedTool<'_>]) -> String {
        match self.nearest(tools) {
            None => offered(which, tools),
            Some(Difference { path, expected, actual }) => {
                let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
                let shown = |value: Option<Value>| value.map_or("nothing".into(), |value| cut(&value));
                format!("{which} offers it with {}{place}, expected {}", shown(actual), shown(expected))
            }
        }
    }

    pub(super) fn detail(&self, tools: &[OfferedTool<'_>]) -> Detail {
        match self.nearest(tools) {
            None => Detail { path: "/tools".into(), expected: self.name.value.as_str().into(), actual: names(tools) },
            Some(Difference { path, expected, actual }) => Detail {
                path: format!("/tools{path}"),
                expected: expected.unwrap_or_default(),
                actual: actual.unwrap_or_default(),
            },
        }
    }

    fn offers<'o, 't>(&'o self, tools: &'o [OfferedTool<'t>]) -> impl Iterator<Item = &'o OfferedTool<'t>> {
        tools.iter().filter(|tool| tool.name == self.name.value)
    }

    fn nearest(&self, tools: &[OfferedTool<'_>]) -> Option<Difference> {
        self.offers(tools).find_map(|tool| self.differs(tool))
    }

    fn differs(&self, tool: &OfferedTool<'_>) -> Option<Difference> {
        difference(self.parameters.as_ref()?, tool.parameters, &mut String::new())
    }
}

impl OnlyTools {
    /// A tool that is offered but must not be.
    pub(super) fn other<'t>(&self, tools: &[OfferedTool<'t>]) -> Option<&'t str> {
        tools.iter().map(|tool| tool.name).find(|name| !self.names.iter().any(|known| known == name))
    }

    pub(super) fn seen(&self, which: &str, tools: &[OfferedTool<'_>]) -> String {
        match self.other(tools) {
            Some(other) => format!("{which} also offers `{other}`"),
            None => offered(which, tools),
        }
    }

    pub(super) fn detail(&self, tools: &[OfferedTool<'_>]) -> Detail {
        Detail { path: "/tools".into(), expected: self.names.clone().into(), actual: names(tools) }
    }
}

/// A note with the tools that a request offers.
pub(super) fn offered(which: &str, tools: &[OfferedTool<'_>]) -> String {
    if tools.is_empty() {
        return format!("{which} offers no tools");
    }
    let named: Vec<&str> = tools.iter().take(NAMED).map(|tool| tool.name).collect();
    let more = and_more(tools.len().saturating_sub(NAMED));
    format!("{which} offers {}{more}", read::quoted_list(&named))
}

fn names(tools: &[OfferedTool<'_>]) -> Value {
    tools.iter().map(|tool| tool.name).collect()
}

/// The first place at which an offered schema differs from the expected one. Mappings need only contain the expected
/// keys; lists are compared as sets.
fn difference(wanted: &Value, offered: Option<&Value>, path: &mut String) -> Option<Difference> {
    if let (Value::Object(wanted), Some(Value::Object(offered))) = (wanted, offered) {
        return wanted.iter().find_map(|(key, value)| {
            let length = path.len();
            pointer::push(path, key);
            let found = difference(value, offered.get(key), path);
            path.truncate(length);
            found
        });
    }
    let same = match (wanted, offered) {
        (Value::Array(wanted), Some(Value::Array(offered))) => {
            let fits =
                |wanted: &Value, offered: &Value| difference(wanted, Some(offered), &mut String::new()).is_none();
            wanted.iter().all(|wanted| offered.iter().any(|offered| fits(wanted, offered)))
                && offered.iter().all(|offered| wanted.iter().any(|wanted| fits(wanted, offered)))
        }
        (wanted, Some(offered)) => same_value(wanted, offered),
        (_, None) => false,
    };
    (!same).then(|| Difference { path: path.clone(), expected: Some(wanted.clone()), actual: offered.cloned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(wanted: &Value, offered: &Value) -> Option<String> {
        difference(wanted, Some(offered), &mut String::new()).map(|found| found.path)
    }

    #[test]
    fn schemas_match_subsets_and_ignore_list_order() {
        let offered = json!({
            "type": "object", "required": ["order", "amount"], "additionalProperties": false,
            "properties": {"amount": {"type": "number", "maximum": 100.0}, "why": {"anyOf": [{"type": "null"}, {"type": "string", "title": "Why"}]}},
        });
        for (wanted, differs) in [
            (json!({}), None),
            (json!({"required": ["amount", "order"]}), None),
            (json!({"required": ["amount"]}), Some("/required")),
            (json!({"required": ["amount", "order", "why"]}), Some("/required")),
            (json!({"properties": {"amount": {"maximum": 100}}}), None),
            (json!({"properties": {"amount": {"type": "string"}}}), Some("/properties/amount/type")),
            (json!({"properties": {"a/b": {}}}), Some("/properties/a~1b")),
            (json!({"properties": {"why": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}), None),
            (json!({"properties": {"why": {"anyOf": [{"type": "string"}]}}}), Some("/properties/why/anyOf")),
        ] {
            assert_eq!(place(&wanted, &offered).as_deref(), differs, "{wanted}");
        }
    }
}
