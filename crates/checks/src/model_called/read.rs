//! From arguments to what is asked.

use std::sync::Arc;

use agentci_source::read::Fields;
use agentci_source::shape::{CheckShape, Kind, Shape, filled, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Spanned, read};

use super::condition::{Condition, Part};
use super::requests::{Of, Requests};
use super::tools::{self, EXACTLY, TOOL};
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::tool_called::{COUNT, Count};
use crate::wanted_text::{WANTED, WantedText};

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "model_called",
    about: "The agent asked its model, with requests like this.",
    arguments: Kind::Either(&[Kind::Nothing, Kind::Shape(&ARGUMENTS)]),
};

const NAMES: [(&str, Of); 4] = [("any", Of::Any), ("all", Of::All), ("first", Of::First), ("last", Of::Last)];

static ARGUMENTS: Shape = Shape::new(
    "`model_called`",
    "What requests to the model are like, and how many there are.",
    &[
        filled("system", WANTED, "The system prompt."),
        filled("user", WANTED, "The last text of the user."),
        filled("messages", WANTED, "The text of one of the messages, system prompts aside."),
        filled("model", WANTED, "The name of the model."),
        filled(
            "tools",
            Kind::Either(&[Kind::Filled(&Kind::Either(&[Kind::Name, Kind::Shape(&TOOL)])), Kind::Shape(&EXACTLY)]),
            "Tools that the request offers.",
        ),
        filled(
            "count",
            Kind::Either(&[Kind::Count(0), Kind::Shape(&COUNT)]),
            "How many requests are like this. Default: at least one.",
        ),
        filled(
            "of",
            Kind::Choice(&words(&NAMES)),
            "Which requests must be like this: any of them, all, the first or the last.",
        ),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let span = arguments.span;
    if arguments.is_null() {
        return Some(Arc::new(Requests { conditions: Vec::new(), count: None, of: Spanned::new(Of::Any, span), span }));
    }
    let mut fields = ARGUMENTS.open(arguments, &mut compiler.problems)?;
    let mut conditions: Vec<Option<Condition>> = Vec::new();
    for part in [Part::System, Part::User, Part::Messages, Part::Model] {
        if let Some(node) = given(&mut fields, part.key(), &mut compiler.problems) {
            let wanted = match part {
                Part::Model => WantedText::equal(node, part.key(), compiler),
                Part::System | Part::User | Part::Messages => WantedText::contained(node, part.key(), compiler),
            };
            conditions.push(wanted.map(|wanted| Condition::Text(part, wanted)));
        }
    }
    let problems = &mut compiler.problems;
    let tools = given(&mut fields, "tools", problems).map(|node| tools::read(node, problems));
    let count = given(&mut fields, "count", problems).map(|node| Count::read(node, problems));
    let of = given(&mut fields, "of", problems).map(|node| {
        let of = read::choice(node, "of", &NAMES, problems);
        of.map(|of| Spanned::new(of, node.span))
    });
    fields.finish(problems);
    let mut conditions = conditions.into_iter().collect::<Option<Vec<Condition>>>()?;
    conditions.extend(tools.unwrap_or(Some(Vec::new()))?);
    let of = of.unwrap_or(Some(Spanned::new(Of::Any, span)))?;
    let count = match count {
        Some(count) => Some(count?),
        None => None,
    };
    if count.as_ref().is_some_and(Count::is_none) && of.value != Of::Any {
        let message = "`count: 0` and `of` contradict each other: `of` needs a request";
        let help = "write `count: 0` alone to say that no request is like this";
        problems.push(Diagnostic::error(of.span, message).label("no request can be meant").help(help));
        return None;
    }
    Some(Arc::new(Requests { conditions, count, of, span }))
}

/// A key that has a value once it is written: what is left empty by mistake would ask for nothing.
fn given<'n>(fields: &mut Fields<'n>, key: &'static str, problems: &mut Diagnostics) -> Option<&'n Node> {
    let found = fields.optional(key);
    if let (None, Some(span)) = (found, fields.key_span(key)) {
        let problem = Diagnostic::error(span, format!("`{key}` has no value")).label("a value is missing here");
        problems.push(problem.help(format!("write what is expected, or remove `{key}`")));
    }
    found
}
