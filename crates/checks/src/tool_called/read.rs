//! From arguments to what is asked.

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, Reading, read};

use super::by::{BY, By};
use super::calls::Calls;
use super::condition::Condition;
use super::count::{COUNT, Count};
use super::names::{AllCalled, AnyCalled};
use super::path::Path;
use super::seen::{ABOUT, SEEN, Seen};
use crate::compiler::Compiler;
use crate::evaluate::Evaluate;
use crate::pattern::Pattern;

/// What it is given.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "tool_called",
    about: "The agent called these tools.",
    arguments: Kind::Either(&[Kind::OneOrMore(&Kind::Text), Kind::Having("any", &ANY, &CALLS)]),
};

static ANY: Shape = Shape::new(
    "`tool_called`",
    "Tools of which one is enough.",
    &[
        required("any", Kind::OneOrMore(&Kind::Text), "The names of the tools."),
        optional("suffix", Kind::Truth, SUFFIX),
        optional("seen", SEEN, ABOUT),
    ],
);

static CALLS: Shape = Shape::new(
    "`tool_called`",
    "A tool, how often it is called and what its calls are like.",
    &[
        optional("any", Kind::Nothing, "Tools of which one is enough; then nothing else is said of the calls."),
        required("name", Kind::Name, "The name of the tool."),
        optional("suffix", Kind::Truth, SUFFIX),
        optional(
            "count",
            Kind::Either(&[Kind::Count(0), Kind::Shape(&COUNT)]),
            "How often it is called; without it, at least once.",
        ),
        optional("after", Kind::Name, "A tool that is called before it."),
        optional("seen", SEEN, ABOUT),
        optional("refused", Kind::Truth, "Whether its result says that the tool was not run. Default: false."),
        optional("by", Kind::Shape(&BY), "The agent that makes the call, where there are several."),
        optional("args", Kind::Object, "Arguments, each with just this value."),
        optional("args_match", Kind::Map(&Kind::Text), "Patterns for what stands at paths into the arguments."),
        optional("result_match", Kind::Text, "A pattern that the result matches."),
        optional("result_not_match", Kind::Text, "A pattern that the result does not match."),
    ],
);

const SUFFIX: &str = "Whether a tool counts whose name ends in this one.";

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let problems = &mut compiler.problems;
    if arguments.pairs().is_none() {
        let names = read::one_or_more_texts(arguments, "tool_called", problems)?;
        return Some(Arc::new(AllCalled { names }));
    }
    let mut fields = CALLS.open(arguments, problems)?;
    if let Some(any) = fields.optional("any") {
        fields.becomes(&ANY);
        fields.demanded("any");
        let names = read::one_or_more_texts(any, "any", problems);
        let suffix = fields.optional("suffix").map_or(Some(false), |node| read::truth(node, "suffix", problems));
        let seen = Seen::read(fields.optional("seen"), problems);
        fields.finish(problems);
        return Some(Arc::new(AnyCalled { names: names?, suffix: suffix?, seen: seen?, span: any.span }));
    }
    let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
    let suffix = fields.optional("suffix").map_or(Some(false), |node| read::truth(node, "suffix", problems));
    let count = fields.optional("count").map_or(Some(Count::AT_LEAST_ONE), |node| Count::read(node, problems));
    let after = fields.optional("after").map(|node| read::name(node, "after", problems));
    let seen = fields.optional("seen");
    let refused = fields.optional("refused");
    let seen = seen_or_refused(seen, refused, problems);
    let by = fields.optional("by").map(|node| By::read(node, compiler));
    let problems = &mut compiler.problems;
    let args = fields.optional("args").map(|node| args(node, problems));
    let args_match = fields.optional("args_match").map(|node| args_match(node, compiler));
    let found = |node| Pattern::read(node, "result_match", compiler).map(Condition::ResultMatches);
    let result_match = fields.optional("result_match").map(found);
    let found = |node| Pattern::read(node, "result_not_match", compiler).map(Condition::ResultDoesNotMatch);
    let result_not_match = fields.optional("result_not_match").map(found);
    fields.finish(&mut compiler.problems);

    let mut conditions = args.unwrap_or_else(|| Some(Vec::new()))?;
    conditions.extend(args_match.unwrap_or_else(|| Some(Vec::new()))?);
    for condition in [result_match, result_not_match].into_iter().flatten() {
        conditions.push(condition?);
    }
    let after = match after {
        Some(after) => Some(after?),
        None => None,
    };
    let by = match by {
        Some(by) => Some(by?),
        None => None,
    };
    Some(Arc::new(Calls { name: name?, suffix: suffix?, seen: seen?, conditions, count: count?, after, by }))
}

/// What must have been observed. A call that was refused was neither executed nor answered.
fn seen_or_refused(seen: Option<&Node>, refused: Option<&Node>, problems: &mut Diagnostics) -> Option<Seen> {
    let asked = Seen::read(seen, problems)?;
    let Some(node) = refused else { return Some(asked) };
    if !read::truth(node, "refused", problems)? {
        return Some(asked);
    }
    if matches!(asked, Seen::Executed | Seen::Answered) {
        let message = "a call that was refused was neither executed nor answered";
        problems.push(
            Diagnostic::error(node.span, message)
                .label("cannot be both")
                .help("keep `refused: true` and remove `seen`"),
        );
        return None;
    }
    Some(Seen::Refused)
}

fn args(node: &Node, problems: &mut Diagnostics) -> Option<Vec<Condition>> {
    read::object(node, "args", Reading::Core, problems)?;
    let argument = |pair: &Pair| {
        let value = pair.value.value(Reading::Core).ok()?;
        Some(Condition::Argument { name: pair.key.text.to_string(), value, span: pair.value.span })
    };
    node.pairs()?.iter().map(argument).collect()
}

fn args_match(node: &Node, compiler: &mut Compiler<'_>) -> Option<Vec<Condition>> {
    read::object(node, "args_match", Reading::Core, &mut compiler.problems)?;
    let mut argument = |pair: &Pair| {
        let (path, wrong) = Path::read(pair.key.text.to_string());
        if let Some(wrong) = wrong {
            compiler.problems.push(
                Diagnostic::warning(pair.key.span, format!("`{}` can only be the name of a key", path.written()))
                    .label(format!("not a JSONPath: {wrong}"))
                    .help("write steps with dots, `items.0.sku`, or a JSONPath (RFC 9535): `items[*].sku`"),
            );
        }
        if path.is_costly() {
            let message = format!("`{}` may take too long to follow", path.written());
            let problem = Diagnostic::error(pair.key.span, message).label("matches too many places");
            compiler.problems.push(problem.help("use `..` once at most, and no filter within a filter"));
            return None;
        }
        let pattern = Pattern::read(&pair.value, path.written(), compiler)?;
        Some(Condition::ArgumentMatches { path, pattern })
    };
    // Every pattern is looked at, so that all wrong ones are reported.
    let read: Vec<Option<Condition>> = node.pairs()?.iter().map(&mut argument).collect();
    read.into_iter().collect()
}
