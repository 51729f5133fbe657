//! Reads the steps before an answer.

use agentci_plan::Data;
use agentci_plan::mcp_script::{AnswerStep, ClientQuestion, LogLevel, QuestionKind};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, Pair, read};
use serde_json::{Value, json};

use super::read::pairs;
use crate::texts::data;

pub(super) static STEP: Shape = Shape::new(
    "a step",
    "A step before an answer.",
    &[
        optional("wait", Kind::Duration, "Wait for this time."),
        optional(
            "log",
            Kind::Either(&[Kind::Text, Kind::Shape(&LOG)]),
            "Send a log message: a string, or a mapping with `data` and `level`.",
        ),
        optional("progress", Kind::Shape(&PROGRESS), "Report progress, if the client wants it."),
        optional("ask", Kind::FilledMap(&Kind::Shape(&QUESTION)), "Questions to the client, by name."),
        optional("close", Kind::Asked, "Close the stream of a call over HTTP; the client must reconnect for the rest."),
    ],
)
.rules(&[KeyRule::OneWritten(&["wait", "log", "progress", "ask", "close"])]);

static LOG: Shape = Shape::new(
    "`log`",
    "A log message.",
    &[
        required("data", Kind::Data, "Content of the message: a string, or any other data."),
        optional("level", Kind::Choice(&words(&LogLevel::NAMES)), "Severity. Default: info."),
    ],
);

static PROGRESS: Shape = Shape::new(
    "`progress`",
    "Progress of a call.",
    &[
        required("progress", Kind::Number, "Progress so far."),
        optional("total", Kind::Number, "Total."),
        optional("message", Kind::Text, "Description of the progress."),
    ],
);

static QUESTION: Shape = Shape::new(
    "a question",
    "A question to the client.",
    &[
        optional("elicit", Kind::Object, "Ask the user: the parameters of `elicitation/create`."),
        optional("sample", Kind::Object, "Ask the client's model: the parameters of `sampling/createMessage`."),
        optional("roots", Kind::Asked, "Ask the client for its working folders."),
    ],
)
.rules(&[KeyRule::OneWritten(&words(&QuestionKind::NAMES))]);

pub(super) fn steps(node: &Node, problems: &mut Diagnostics) -> Vec<AnswerStep> {
    read::each(node, "steps", problems, step)
}

fn step(node: &Node, problems: &mut Diagnostics) -> Option<AnswerStep> {
    STEP.read(node, problems, |fields| {
        let close = fields.node("close");
        let written = ["wait", "log", "progress", "ask"].map(|key| fields.node(key).is_some());
        match (written, fields.key_span("close").is_some()) {
            ([true, false, false, false], false) => fields.duration("wait").map(AnswerStep::Wait),
            ([false, true, false, false], false) => fields.optional("log", logged),
            ([false, false, true, false], false) => fields.optional("progress", progressed),
            ([false, false, false, true], false) => fields.optional("ask", asked),
            ([false, false, false, false], true) => {
                let good = close.is_none_or(|node| read::asked(node, "close", fields.problems).is_some());
                good.then_some(AnswerStep::Close)
            }
            _ => {
                let message = "a step needs exactly one of `wait`, `log`, `progress`, `ask` and `close`";
                let help = "write separate steps: `steps: [{ wait: 50ms }, { log: done }]`";
                fields.problems.error(node.span, message, "").help(help);
                None
            }
        }
    })
}

fn logged(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<AnswerStep> {
    if node.pairs().is_none() {
        let text = read::text(node, name, problems)?;
        return Some(AnswerStep::Log { level: LogLevel::Info, data: Data::parse(&Value::String(text)) });
    }
    LOG.read(node, problems, |fields| {
        let data = fields.required("data", data);
        let level = fields.choice("level", &LogLevel::NAMES).unwrap_or(LogLevel::Info);
        Some(AnswerStep::Log { level, data: data? })
    })
}

fn progressed(node: &Node, _name: &str, problems: &mut Diagnostics) -> Option<AnswerStep> {
    PROGRESS.read(node, problems, |fields| {
        let progress = fields.required("progress", read::number);
        let (total, message) = (fields.optional("total", read::number), fields.text("message"));
        Some(AnswerStep::Progress { progress: progress?, total, message })
    })
}

fn asked(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<AnswerStep> {
    let pairs = pairs(node, name, problems);
    let questions: Option<Vec<ClientQuestion>> = pairs.iter().map(|pair| question(pair, problems)).collect();
    questions.filter(|questions| !questions.is_empty()).map(AnswerStep::Ask)
}

fn question(pair: &Pair, problems: &mut Diagnostics) -> Option<ClientQuestion> {
    QUESTION.read(&pair.value, problems, |fields| {
        let _ = QuestionKind::NAMES.map(|(key, _)| fields.node(key));
        let (key, kind) = QuestionKind::NAMES.into_iter().find(|(key, _)| fields.key_span(key).is_some())?;
        let params = match kind {
            QuestionKind::Roots => Data::literal(&json!({})),
            QuestionKind::Elicit | QuestionKind::Sample => fields.optional(key, data)?,
        };
        Some(ClientQuestion { name: pair.key.text.to_string(), kind, params })
    })
}
