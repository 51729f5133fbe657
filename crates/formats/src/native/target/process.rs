//! A program.

use std::path::Path;

use agentci_plan::{OutputRule, ProcessTarget, Speech, Text};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node, join, read};

use super::super::words::{Place, command, named_texts};
use crate::command::part;

pub(super) static PROCESS: Shape = Shape::new(
    "`process`",
    "A program.",
    &[
        required(
            "command",
            Kind::Filled(&Kind::Text),
            "The program and its arguments; files in it are found beside the suite.",
        ),
        optional("folder", Kind::Name, "The folder that it runs in, from that of the suite."),
        optional("env", Kind::Map(&Kind::Word), "Variables of its environment."),
        optional(
            "speaks",
            Kind::Choice(&words(&Speech::NAMES)),
            "How it is spoken to: in JSON lines, or plainly, where what it prints is its answer.",
        ),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

pub(super) fn process(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<ProcessTarget> {
    let mut fields = PROCESS.open(node, problems)?;
    let command = fields.required("command", problems).and_then(|node| command(node, "command", problems));
    let folder = fields.optional("folder").and_then(|node| read::name(node, "folder", problems));
    let environment = fields.optional("env").map(|node| named_texts(node, "env", problems)).unwrap_or_default();
    let speaks = fields.optional("speaks").and_then(|node| read::choice(node, "speaks", &Speech::NAMES, problems));
    let speaks = speaks.unwrap_or_default();
    let output = fields.optional("output").and_then(|node| read::choice(node, "output", &OutputRule::NAMES, problems));
    fields.finish(problems);
    if speaks == Speech::Protocol && command.iter().flatten().any(Text::uses_input) {
        let message = "a program that speaks the protocol is not given its input in its command";
        let help = "add `speaks: text` if it is a plain program, whose answer is what it prints";
        problems.error(node.span, message, "`${INPUT}` stands in its command").help(help);
    }
    if speaks == Speech::Protocol && output == Some(OutputRule::Optional) {
        let message = "`output: none` has no effect on an agent that speaks the protocol";
        let help = "remove `output`, or add `speaks: text` if it is a plain program";
        problems.error(node.span, message, "its `final_output` message is always required").help(help);
    }
    let Place { files, folder: suite_folder } = place;
    Some(ProcessTarget {
        command: command?.into_iter().map(|text| part(files, suite_folder, text)).collect(),
        folder: folder.map(|folder| join(Path::new(suite_folder), &folder.value)),
        environment,
        speaks,
        output: output.unwrap_or_default(),
        span: node.span,
    })
}
