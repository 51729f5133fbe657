//! Reads a target that is a program.

use agentci_plan::{OutputRule, ProcessTarget, Speech, Target, Text};
use agentci_source::shape::{Kind, Shape, optional, required, words};
use agentci_source::{Diagnostics, Node};

use super::super::readers::{SuiteFolder, command, named_texts};
use super::ReadTarget;

pub(super) static PROCESS: Shape = Shape::new(
    "`process`",
    "A program that agentci starts.",
    &[
        required(
            "command",
            Kind::Filled(&Kind::Text),
            "The program and its arguments; files are looked up in the folder of the suite.",
        ),
        optional("folder", Kind::Name, "Working directory of the program, relative to the folder of the suite."),
        optional("env", Kind::Map(&Kind::Word), "Environment variables to set."),
        optional(
            "speaks",
            Kind::Choice(&words(&Speech::NAMES)),
            "`protocol`: it reads and writes JSON lines. `text`: it prints its answer. Default: `protocol`.",
        ),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

pub(super) fn process(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let mut fields = PROCESS.reader(node, problems)?;
    let command = fields.required("command", command);
    let folder = fields.name("folder").map(|folder| place.path(&folder));
    let environment = fields.named_or_default("env", named_texts);
    let speaks = fields.choice("speaks", &Speech::NAMES).unwrap_or_default();
    let output = fields.choice("output", &OutputRule::NAMES);
    fields.finish();
    if speaks == Speech::Protocol && command.iter().flatten().any(Text::uses_input) {
        let message = "`${INPUT}` cannot be used in the command of a program that speaks the protocol";
        let help = "add `speaks: text` if it is a plain program that prints its answer";
        problems.error(node.span, message, "uses `${INPUT}` in its command").help(help);
    }
    if speaks == Speech::Protocol && output == Some(OutputRule::Optional) {
        let message = "`output: none` has no effect on an agent that speaks the protocol";
        let help = "remove `output`, or add `speaks: text` if it is a plain program";
        problems.error(node.span, message, "its `final_output` message is always required").help(help);
    }
    let (command, output) = (place.command(command?), output.unwrap_or_default());
    Some(Target::Process(ProcessTarget { command, folder, environment, speaks, output, span: node.span }).into())
}
