//! What happens before an answer.

use agentci_plan::Data;
use agentci_plan::mcp_script::{Level, Question, QuestionKind, Step};
use agentci_source::shape::{Kind, Rule, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Pair, read};
use serde_json::{Value, json};

use super::read::pairs;
use crate::texts::data;

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
    read::each(node, "steps", problems, step)
}

fn step(node: &Node, problems: &mut Diagnostics) -> Option<Step> {
    STEP.read(node, problems, |fields| {
        let close = fields.node("close");
        let written = ["wait", "log", "progress", "ask"].map(|key| fields.node(key).is_some());
        match (written, fields.key_span("close").is_some()) {
            ([true, false, false, false], false) => fields.duration("wait").map(Step::Wait),
            ([false, true, false, false], false) => fields.optional("log", logged),
            ([false, false, true, false], false) => fields.optional("progress", progressed),
            ([false, false, false, true], false) => fields.optional("ask", asked),
            ([false, false, false, false], true) => {
                let good = close.is_none_or(|node| read::asked(node, "close", fields.problems).is_some());
                good.then_some(Step::Close)
            }
            _ => {
                let message = "a step has one of `wait`, `log`, `progress`, `ask` and `close`";
                let help = "write one step after the other: `steps: [{ wait: 50ms }, { log: done }]`";
                fields.problems.error(node.span, message, "").help(help);
                None
            }
        }
    })
}

fn logged(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Step> {
    if node.pairs().is_none() {
        let text = read::text(node, name, problems)?;
        return Some(Step::Log { level: Level::Info, data: Data::parse(&Value::String(text)) });
    }
    LOG.read(node, problems, |fields| {
        let data = fields.required("data", data);
        let level = fields.choice("level", &Level::NAMES).unwrap_or(Level::Info);
        Some(Step::Log { level, data: data? })
    })
}

fn progressed(node: &Node, _name: &str, problems: &mut Diagnostics) -> Option<Step> {
    PROGRESS.read(node, problems, |fields| {
        let progress = fields.required("progress", read::number);
        let (total, message) = (fields.optional("total", read::number), fields.text("message"));
        Some(Step::Progress { progress: progress?, total, message })
    })
}

fn asked(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Step> {
    let pairs = pairs(node, name, problems);
    let questions: Option<Vec<Question>> = pairs.iter().map(|pair| question(pair, problems)).collect();
    questions.filter(|questions| !questions.is_empty()).map(Step::Ask)
}

fn question(pair: &Pair, problems: &mut Diagnostics) -> Option<Question> {
    QUESTION.read(&pair.value, problems, |fields| {
        let _ = QuestionKind::NAMES.map(|(key, _)| fields.node(key));
        let (key, kind) = QuestionKind::NAMES.into_iter().find(|(key, _)| fields.key_span(key).is_some())?;
        let params = match kind {
            QuestionKind::Roots => Data::literal(&json!({})),
            QuestionKind::Elicit | QuestionKind::Sample => fields.optional(key, data)?,
        };
        Some(Question { name: pair.key.text.to_string(), kind, params })
    })
}
