//! Reads the arguments of `tool_called`.

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Pair, Reading, Spanned, read};

use super::calling_agent::{BY, CallingAgent};
use super::calls::CalledTool;
use super::condition::CallCondition;
use super::count::{COUNT, Count};
use super::names::NamedTools;
use super::observation::{ABOUT, CallObservation, SEEN};
use super::path::Path;
use crate::compiler::{Compiler, spanned};
use crate::evaluate::Evaluate;
use crate::pattern::PlacedPattern;

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "tool_called",
    about: "The agent called these tools.",
    arguments: Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Having("any", &ANY, &CALLS)]),
};

static ANY: Shape = Shape::new(
    "`tool_called`",
    "Tools, one of which must be called.",
    &[
        required("any", Kind::OneOrMore(&Kind::Text), "The names of the tools."),
        optional("suffix", Kind::Truth, SUFFIX),
        optional("seen", SEEN, ABOUT),
    ],
);

static CALLS: Shape = Shape::new(
    "`tool_called`",
    "A tool, and conditions on its calls.",
    &[
        optional("any", Kind::Nothing, "Tools, one of which must be called; without further conditions."),
        required("name", Kind::Name, "The name of the tool."),
        optional("suffix", Kind::Truth, SUFFIX),
        optional(
            "count",
            Kind::Either(&[Kind::Count(0), Kind::Shape(&COUNT)]),
            "How many calls there must be. Default: at least one.",
        ),
        optional("after", Kind::Name, "A tool that must be called before it."),
        optional("seen", SEEN, ABOUT),
        optional("refused", Kind::Truth, "Whether the result must say that the tool was not run. Default: false."),
        optional("by", Kind::Shape(&BY), "The agent that made the call, if there are several."),
        optional("args", Kind::Object, "Arguments, each with the value it must have."),
        optional("args_match", Kind::Map(&Kind::Text), "Paths into the arguments, each with a pattern."),
        optional("result_match", Kind::Text, "A pattern that the result must match."),
        optional("result_not_match", Kind::Text, "A pattern that the result must not match."),
    ],
);

const SUFFIX: &str = "Whether to count tools whose name ends in `.` or `__` and this name. Default: false.";

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    if arguments.pairs().is_none() {
        let names = read::one_or_more_texts(arguments, "tool_called", &mut compiler.problems)?;
        return Some(Arc::new(NamedTools { names, any: None, suffix: false, seen: CallObservation::Made }));
    }
    if let Some(any) = arguments.get("any").filter(|any| !any.is_null()) {
        let mut arguments = compiler.open(&ANY, arguments)?;
        let names = arguments.required("any", read::one_or_more_texts);
        let suffix = arguments.optional("suffix", read::truth).unwrap_or_default();
        let seen = arguments.optional("seen", CallObservation::read).unwrap_or_default();
        arguments.finish()?;
        return Some(Arc::new(NamedTools { names: names?, any: Some(any.span), suffix, seen }));
    }
    let mut arguments = compiler.open(&CALLS, arguments)?;
    arguments.node("any");
    let name = arguments.required("name", read::name);
    let suffix = arguments.optional("suffix", read::truth).unwrap_or_default();
    let count = arguments.optional_with("count", Count::read).unwrap_or(Count::AT_LEAST_ONE);
    let after = arguments.optional("after", read::name);
    let seen = arguments.optional("seen", CallObservation::read).unwrap_or_default();
    let refused = arguments.optional("refused", spanned(read::truth));
    let by = arguments.optional_with("by", CallingAgent::read);
    let mut conditions = arguments.optional("args", args).unwrap_or_default();
    conditions.extend(arguments.optional_with("args_match", args_match).unwrap_or_default());
    let pattern = |node, compiler: &mut Compiler<'_>| PlacedPattern::read(node, "result_match", compiler);
    conditions.extend(arguments.optional_with("result_match", pattern).map(CallCondition::ResultMatches));
    let pattern = |node, compiler: &mut Compiler<'_>| PlacedPattern::read(node, "result_not_match", compiler);
    conditions.extend(arguments.optional_with("result_not_match", pattern).map(CallCondition::ResultDoesNotMatch));
    arguments.finish()?;
    let seen = seen_or_refused(seen, refused, compiler)?;
    Some(Arc::new(CalledTool { name: name?, suffix, seen, conditions, count, after, by }))
}

/// Combines `seen` and `refused`. A call that was refused was neither executed nor answered.
fn seen_or_refused(
    seen: CallObservation,
    refused: Option<Spanned<bool>>,
    compiler: &mut Compiler<'_>,
) -> Option<CallObservation> {
    let Some(refused) = refused.filter(|refused| refused.value) else { return Some(seen) };
    if matches!(seen, CallObservation::Executed | CallObservation::Answered) {
        let message = "a call that was refused was neither executed nor answered";
        return compiler.refuse(refused.span, message, "cannot be both", "keep `refused: true` and remove `seen`");
    }
    Some(CallObservation::Refused)
}

fn args(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Vec<CallCondition>> {
    read::object(node, name, Reading::Core, problems)?;
    let argument = |pair: &Pair| {
        let value = pair.value.value(Reading::Core).ok()?;
        Some(CallCondition::Argument { name: pair.key.text.to_string(), value, span: pair.value.span })
    };
    node.pairs()?.iter().map(argument).collect()
}

fn args_match(node: &Node, compiler: &mut Compiler<'_>) -> Option<Vec<CallCondition>> {
    read::object(node, "args_match", Reading::Core, &mut compiler.problems)?;
    let mut argument = |pair: &Pair| {
        let (path, wrong) = Path::read(pair.key.text.to_string());
        if let Some(wrong) = wrong {
            let message = format!("`{}` is read as the name of a key", path.written);
            let problem = compiler.problems.warning(pair.key.span, message, format!("not a JSONPath: {wrong}"));
            problem.help("write steps with dots, `items.0.sku`, or a JSONPath (RFC 9535): `items[*].sku`");
        }
        if path.is_costly() {
            let message = format!("`{}` may take too long to evaluate", path.written);
            let help = "use `..` at most once, and no nested filters";
            return compiler.refuse(pair.key.span, message, "matches too many places", help);
        }
        let pattern = PlacedPattern::read(&pair.value, &path.written, compiler)?;
        Some(CallCondition::ArgumentMatches { path, pattern })
    };
    // All patterns are read, so that every invalid one is reported.
    let read: Vec<Option<CallCondition>> = node.pairs()?.iter().map(&mut argument).collect();
    read.into_iter().collect()
}
