//! What happens before an answer.

use agentci_plan::Data;
use agentci_plan::mcp_script::{Level, Question, QuestionKind, Step};
use agentci_source::shape::{Kind, Rule, Shape, optional, required, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, read};
use serde_json::{Value, json};

use super::answer::data;
use super::read::pairs;

pub(super) static STEP: Shape = Shape::new(
    "a step",
    "Something that happens before an answer.",
    &[
        optional("wait", Kind::Duration, "Nothing happens for so long."),
        optional("log", Kind::Either(&[Kind::Text, Kind::Shape(&LOG)]), "Something is logged."),
        optional(
            "progress",
            Kind::Shape(&PROGRESS),
            "The client is told how far the call has come, if it wants to be.",
        ),
        optional(
            "ask",
            Kind::FilledMap(&Kind::Shape(&QUESTION)),
            "What the client is asked, by names; all of it at once.",
        ),
        optional(
            "close",
            Kind::Asked,
            "The stream of a call over HTTP is closed: the client has to come back for the rest.",
        ),
    ],
)
.rules(&[Rule::OneWritten(&["wait", "log", "progress", "ask", "close"])]);

static LOG: Shape = Shape::new(
    "`log`",
    "Something that is logged.",
    &[
        required("data", Kind::Data, "What is said."),
        optional("level", Kind::Choice(&words(&Level::NAMES)), "How bad it is. Default: info."),
    ],
);

static PROGRESS: Shape = Shape::new(
    "`progress`",
    "How far a call has come.",
    &[
        required("progress", Kind::Number, "So far."),
        optional("total", Kind::Number, "Of so much."),
        optional("message", Kind::Text, "In words."),
    ],
);

static QUESTION: Shape = Shape::new(
    "a question",
    "What the client is asked.",
    &[
        optional("elicit", Kind::Object, "The parameters of `elicitation/create`: the user is asked."),
        optional("sample", Kind::Object, "The parameters of `sampling/createMessage`: the client's model is asked."),
        optional("roots", Kind::Asked, "The client is asked for the folders it works in."),
    ],
)
.rules(&[Rule::OneWritten(&words(&QuestionKind::NAMES))]);

pub(super) fn steps(node: &Node, problems: &mut Diagnostics) -> Vec<Step> {
    let items = read::list(node, "steps", problems).unwrap_or_default();
    items.iter().filter_map(|node| step(node, problems)).collect()
}

fn step(node: &Node, problems: &mut Diagnostics) -> Option<Step> {
    let mut fields = STEP.open(node, problems)?;
    let [wait, log, progress, ask, close] = ["wait", "log", "progress", "ask", "close"].map(|key| fields.optional(key));
    let step = match (wait, log, progress, ask, fields.key_span("close")) {
        (Some(node), None, None, None, None) => read::duration(node, "wait", problems).map(Step::Wait),
        (None, Some(node), None, None, None) => logged(node, problems),
        (None, None, Some(node), None, None) => progressed(node, problems),
        (None, None, None, Some(node), None) => asked(node, problems),
        (None, None, None, None, Some(_)) => {
            close.is_none_or(|node| read::asked(node, "close", problems).is_some()).then_some(Step::Close)
        }
        _ => {
            problems.push(
                Diagnostic::error(node.span, "a step has one of `wait`, `log`, `progress`, `ask` and `close`")
                    .help("write one step after the other: `steps: [{ wait: 50ms }, { log: done }]`"),
            );
            None
        }
    };
    fields.finish(problems);
    step
}

fn logged(node: &Node, problems: &mut Diagnostics) -> Option<Step> {
    if node.pairs().is_none() {
        let text = read::text(node, "log", problems)?;
        return Some(Step::Log { level: Level::Info, data: Data::parse(&Value::String(text)) });
    }
    let mut fields = LOG.open(node, problems)?;
    let said = fields.required("data", problems).and_then(|node| data(node, "data", problems));
    let level = fields.optional("level").and_then(|node| read::choice(node, "level", &Level::NAMES, problems));
    fields.finish(problems);
    Some(Step::Log { level: level.unwrap_or(Level::Info), data: said? })
}

fn progressed(node: &Node, problems: &mut Diagnostics) -> Option<Step> {
    let mut fields = PROGRESS.open(node, problems)?;
    let progress = fields.required("progress", problems).and_then(|node| read::number(node, "progress", problems));
    let total = fields.optional("total").and_then(|node| read::number(node, "total", problems));
    let message = fields.optional("message").and_then(|node| read::text(node, "message", problems));
    fields.finish(problems);
    Some(Step::Progress { progress: progress?, total, message })
}

fn asked(node: &Node, problems: &mut Diagnostics) -> Option<Step> {
    let pairs = pairs(node, "ask", problems);
    let question = |pair: &Pair| question(pair, problems);
    let questions: Option<Vec<Question>> = pairs.iter().map(question).collect();
    questions.filter(|questions| !questions.is_empty()).map(Step::Ask)
}

fn question(pair: &Pair, problems: &mut Diagnostics) -> Option<Question> {
    let mut fields = QUESTION.open(&pair.value, problems)?;
    let written = QuestionKind::NAMES.map(|(key, kind)| (key, kind, fields.optional(key)));
    let asked = written.into_iter().find(|(key, ..)| fields.key_span(key).is_some());
    let question = asked.and_then(|(key, kind, params)| {
        let params = match kind {
            QuestionKind::Roots => Some(Data::literal(&json!({}))),
            QuestionKind::Elicit | QuestionKind::Sample => params.and_then(|node| data(node, key, problems)),
        };
        Some(Question { name: pair.key.text.to_string(), kind, params: params? })
    });
    fields.finish(problems);
    question
}
