//! Reads `tool_fixtures`: the tools of a scenario with their requests and answers.
//!
//! In practice, `request:` often has nothing below it, and its keys are beside it:
//!
//! ```yaml
//! - request:
//!   payDetailsIds: [999999]
//!   response_file: payslips/999999.json
//! ```
//!
//! So the request consists of the keys below `request:`, or if there are none, of all unknown keys beside it. If there
//! are both, the request is ambiguous and the scenario is rejected.

use std::time::Duration;

use agentci_plan::{Fixture, FixtureAnswer, RoutedTool};
use agentci_source::shape::{KeyRule, Kind, Shape, UnknownKeys, optional};
use agentci_source::{Content, Diagnostics, Node, Pair, Reader, Reading, Spanned, did_you_mean, read};
use serde_json::{Map, Value};

use super::answer::AnswerFolders;
use crate::world::{FixtureManner, MANNER, check_delay, either_answer, read_manner, read_tool_id};

static FIXTURE: Shape = Shape::new(
    "an answer",
    "A request to a tool, and its answer. Unknown keys belong to the request.",
    &[optional("request", Kind::Data, "The request. If empty, it consists of the unknown keys beside it.")],
)
.with(&[
    MANNER,
    &[
        optional("delay_ms", Kind::Whole(0, 600_000), "Delay of the answer in milliseconds."),
        optional("response_file", Kind::Name, "A file with the answer, relative to `__files`."),
        optional("response", Kind::Data, "The answer itself."),
    ],
])
.unknown(UnknownKeys::Ignored)
.rules(&[KeyRule::NotBoth(&["response_file", "response"])]);

/// Answers by tool id.
pub(super) const FIXTURES: Kind = Kind::Map(&Kind::Either(&[Kind::List(&Kind::Shape(&FIXTURE)), Kind::Nothing]));

/// Reads a mapping of tools to their answers.
pub(super) fn fixtures(node: &Node, folders: AnswerFolders<'_>, problems: &mut Diagnostics) -> Vec<RoutedTool> {
    let Some(pairs) = node.pairs() else {
        let label = "expected `tool_id:` lines with a list below each";
        problems.mismatch(node, "`tool_fixtures` must be a mapping", label);
        return Vec::new();
    };
    pairs.iter().filter_map(|pair| tool(pair, folders, problems)).collect()
}

fn tool(pair: &Pair, folders: AnswerFolders<'_>, problems: &mut Diagnostics) -> Option<RoutedTool> {
    let id = read_tool_id(pair, problems)?;
    let name = id.value.escape_debug();
    let items = if pair.value.is_null() { Some(&[][..]) } else { pair.value.items() };
    let Some(items) = items else {
        problems
            .mismatch(&pair.value, format_args!("the answers of `{name}` must be a list"), "expected a list")
            .help("begin each answer with a dash: `- request: {..}`");
        return None;
    };
    if items.is_empty() {
        let message = format!("`{name}` has no answers, so every call of it is a miss");
        let help = "add `- request: {..}` with a `response_file`, or record it with `agentci record`";
        problems.warning(pair.key.span, message, "empty").help(help);
    }
    let fixtures = items.iter().filter_map(|item| fixture(item, folders, problems)).collect();
    Some(RoutedTool { id, fixtures })
}

/// Whether a key is defined by the format and so not part of a request.
fn is_reserved(pair: &Pair) -> bool {
    FIXTURE.declares(&pair.key.text)
}

/// An error that has been reported.
struct ReportedError;

/// Reads an answer; `None` if it is invalid.
fn fixture(node: &Node, folders: AnswerFolders<'_>, problems: &mut Diagnostics) -> Option<Fixture> {
    let Some(pairs) = node.pairs() else {
        let help = "write `- request: { id: 1 }` and below it `response_file: 1.json`";
        problems.mismatch(node, "an answer must be a mapping", "expected `request` and `response_file`").help(help);
        return None;
    };
    let beside: Vec<&Pair> = pairs.iter().filter(|pair| !is_reserved(pair)).collect();
    let mut own: Vec<Pair> = pairs.iter().filter(|pair| is_reserved(pair)).cloned().collect();
    let request = match node.get("request").filter(|request| !request.is_null()) {
        None => of_keys_beside(&beside, problems),
        Some(request) => {
            let alone = refuse_both(request, &beside, problems);
            let request = lift(request, &mut own, problems);
            let request = read::data(&request, "request", Reading::Core, problems);
            request.filter(|_| alone).map(Some).ok_or(ReportedError)
        }
    };
    let own = Node { span: node.span, content: Content::Map(own.into()) };
    let mut fields = FIXTURE.reader(&own, problems)?;
    fields.node("request");
    let FixtureManner { name, method, status, headers } = read_manner(&mut fields);
    let delay = fields.optional("delay_ms", delay).unwrap_or_default();
    let answer = answer(&mut fields, &beside, folders);
    fields.end();
    Some(Fixture { name, method, request: request.ok()?, answer: answer?, status, headers, delay, span: node.span })
}

/// The request made of the keys beside `request:`; `None`, which matches any request, if there are none.
fn of_keys_beside(beside: &[&Pair], problems: &mut Diagnostics) -> Result<Option<Value>, ReportedError> {
    let mut body = Map::new();
    for pair in beside {
        // A misspelt key of the format would make a request that never matches.
        if let Some(meant) = did_you_mean(&pair.key.text, FIXTURE.keys()) {
            let message = format!("`{}` is read as part of the request", pair.key.text.escape_debug());
            let help = format!("did you mean `{meant}`? if not, indent the request's keys below `request:`");
            problems.warning(pair.key.span, message, "beside `request:`").help(help);
        }
        body.insert(
            pair.key.text.to_string(),
            read::data(&pair.value, "request", Reading::Core, problems).ok_or(ReportedError)?,
        );
    }
    Ok((!body.is_empty()).then_some(Value::Object(body)))
}

/// Reports keys beside a request that has a value. Returns whether there are none.
fn refuse_both(request: &Node, beside: &[&Pair], problems: &mut Diagnostics) -> bool {
    let Some(first) = beside.first() else { return true };
    let names: Vec<&str> = beside.iter().map(|pair| pair.key.text.as_str()).collect();
    let names = read::quoted_list(&names);
    let what = if request.pairs().is_some() { "keys below it" } else { "a value" };
    let message = format!("ambiguous request: {names} is beside `request`, which also has {what}");
    problems
        .error(first.key.span, message, "beside `request`")
        .help(format!("indent {names} below `request:` if part of the request; otherwise remove {names}"));
    false
}

/// Moves `response_file` out of the request if it was indented too far.
fn lift(request: &Node, own: &mut Vec<Pair>, problems: &mut Diagnostics) -> Node {
    let answered = own.iter().any(|pair| matches!(pair.key.text.as_str(), "response_file" | "response"));
    let is_answer = |pair: &&Pair| pair.key.text == "response_file";
    let within = request.pairs().unwrap_or_default();
    let Some(answer) = within.iter().find(is_answer).filter(|_| !answered) else { return request.clone() };
    let left: Vec<Pair> = within.iter().filter(|pair| !is_answer(pair)).cloned().collect();
    let doubtful: Vec<&str> = left.iter().filter(|pair| is_reserved(pair)).map(|pair| pair.key.text.as_str()).collect();
    let mut help = "align it with `request`".to_owned();
    if !doubtful.is_empty() {
        help = format!("{help}; {} stays part of the request", read::quoted_list(&doubtful));
    }
    let message = "`response_file` is inside the request; it is read as the answer instead";
    problems.warning(answer.key.span, message, "indented too far").help(help);
    own.push(answer.clone());
    Node { span: request.span, content: Content::Map(left.into()) }
}

fn delay(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Duration> {
    let milliseconds = read::count(node, name, 0, problems)?;
    check_delay(u64::from(milliseconds), node, name, problems).map(Duration::from_millis)
}

fn answer(fields: &mut Reader<'_, '_>, beside: &[&Pair], folders: AnswerFolders<'_>) -> Option<FixtureAnswer> {
    let [file, inline] = ["response_file", "response"].map(|key| fields.node(key));
    let [file_written, inline_written] = ["response_file", "response"].map(|key| fields.key_span(key).is_some());
    let problems = &mut *fields.problems;
    match (file, inline) {
        (Some(file), None) if !inline_written => {
            let written = read::name(file, "response_file", problems)?;
            let path = folders.find(&written, problems)?;
            Some(FixtureAnswer::File(Spanned::new(path, written.span)))
        }
        (None, Some(inline)) if !file_written => {
            read::data(inline, "response", Reading::Core, problems).map(FixtureAnswer::Inline)
        }
        // The answer may be null, but `response` must be written.
        (None, None) if inline_written && !file_written => Some(FixtureAnswer::Inline(Value::Null)),
        _ => {
            let mut diagnostic = either_answer(fields.span());
            let meant = |pair: &&&Pair| did_you_mean(&pair.key.text, ["response_file", "response"]).is_some();
            if let Some(pair) = beside.iter().find(meant) {
                diagnostic = diagnostic.help(format!("is `{}` misspelt?", pair.key.text.escape_debug()));
            }
            fields.problems.push(diagnostic);
            None
        }
    }
}
