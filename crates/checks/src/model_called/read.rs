//! Reads the arguments of `model_called`.

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, filled, words};
use agentci_source::{Node, Spanned};

use super::condition::{RequestCondition, RequestPart};
use super::requests::{RequestConditions, RequestScope};
use super::tools::{self, EXACTLY, TOOL};
use crate::compiler::{Compiler, choice, spanned};
use crate::evaluate::Evaluate;
use crate::tool_called::{COUNT, Count};
use crate::wanted_text::{WANTED, WantedText};

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "model_called",
    about: "The agent called its model with requests like this.",
    arguments: Kind::Either(&[Kind::Nothing, Kind::Shape(&ARGUMENTS)]),
};

const NAMES: [(&str, RequestScope); 4] = [
    ("any", RequestScope::Any),
    ("all", RequestScope::All),
    ("first", RequestScope::First),
    ("last", RequestScope::Last),
];

static ARGUMENTS: Shape = Shape::new(
    "`model_called`",
    "Conditions on the requests to the model, and how many must meet them.",
    &[
        filled("system", WANTED, "The system prompt."),
        filled("user", WANTED, "The last user message."),
        filled("messages", WANTED, "The text of any message that is not a system prompt."),
        filled("model", WANTED, "The name of the model."),
        filled(
            "tools",
            Kind::Either(&[Kind::Filled(&Kind::Either(&[Kind::Name, Kind::Shape(&TOOL)])), Kind::Shape(&EXACTLY)]),
            "Tools that the request offers.",
        ),
        filled(
            "count",
            Kind::Either(&[Kind::Count(0), Kind::Shape(&COUNT)]),
            "How many requests must meet the conditions. Default: at least one.",
        ),
        filled(
            "of",
            Kind::Choice(&words(&NAMES)),
            "Which requests must meet the conditions: any of them, all, the first or the last. Default: any.",
        ),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let span = arguments.span;
    if arguments.is_null() {
        return Some(Arc::new(RequestConditions {
            conditions: Vec::new(),
            count: None,
            of: Spanned::new(RequestScope::Any, span),
            span,
        }));
    }
    for pair in arguments.pairs().unwrap_or_default() {
        if pair.value.is_null() && ARGUMENTS.declares(&pair.key.text) {
            let key = &pair.key.text;
            let problem =
                compiler.problems.error(pair.key.span, format!("`{key}` has no value"), "a value is missing here");
            problem.help(format!("write the expected value, or remove `{key}`"));
        }
    }
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let mut conditions: Vec<RequestCondition> = Vec::new();
    for part in [RequestPart::System, RequestPart::User, RequestPart::Messages, RequestPart::Model] {
        let read = if part == RequestPart::Model { WantedText::equal } else { WantedText::contained };
        let wanted = arguments.optional_with(part.key(), |node, compiler| read(node, part.key(), compiler));
        conditions.extend(wanted.map(|wanted| RequestCondition::Text(part, wanted)));
    }
    conditions.extend(arguments.optional_with("tools", tools::read).unwrap_or_default());
    let count = arguments.optional_with("count", Count::read);
    let of = arguments.optional("of", spanned(choice(&NAMES))).unwrap_or(Spanned::new(RequestScope::Any, span));
    arguments.finish()?;
    if count.as_ref().is_some_and(Count::is_none) && of.value != RequestScope::Any {
        let message = "`count: 0` and `of` contradict each other: `of` needs a request";
        let help = "write `count: 0` alone to require that no request meets the conditions";
        return compiler.refuse(of.span, message, "contradicts `count: 0`", help);
    }
    Some(Arc::new(RequestConditions { conditions, count, of, span }))
}
