//! `match: { ignore: [/metadata/user_id], system: false }`: what is not compared between requests of the agent and their recording.

use agentci_plan::Matching;
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Span, Spanned, read};

use crate::printer::Printer;

/// What is said of comparing; a key that a case leaves out is the suite's.
#[derive(Default)]
pub(super) struct MatchSettings {
    /// Where it stands; nothing if it does not.
    span: Option<Span>,
    ignore: Option<Vec<Spanned<String>>>,
    system: Option<bool>,
}

pub(super) static MATCH: Shape = Shape::new(
    "`match`",
    "What is not compared between requests of the agent and their recording.",
    &[
        optional(
            "ignore",
            Kind::List(&Kind::Like("^/.")),
            "JSON pointers into bodies of requests; `*` stands for any one name or index.",
        ),
        optional("system", Kind::Truth, "Whether system prompts are compared. Default: true."),
    ],
);

impl MatchSettings {
    pub(super) fn read(node: &Node, problems: &mut Diagnostics) -> Self {
        let settings = MATCH.read(node, problems, |fields| {
            let ignore = fields.node("ignore").map(|node| pointers(node, fields.problems));
            Some(Self { span: Some(node.span), ignore, system: fields.truth("system") })
        });
        settings.unwrap_or_default()
    }

    /// What counts for a case, its own settings before those of the suite.
    pub(super) fn over(&self, common: &Self) -> Matching {
        Matching {
            ignore: self.ignore.as_ref().or(common.ignore.as_ref()).cloned().unwrap_or_default(),
            system: self.system.or(common.system).unwrap_or(true),
            span: self.span.or(common.span),
        }
    }
}

fn pointers(node: &Node, problems: &mut Diagnostics) -> Vec<Spanned<String>> {
    let mut pointers = read::texts(node, "ignore", problems).unwrap_or_default();
    pointers.retain(|pointer| {
        let good = pointer.value.len() > 1 && pointer.value.starts_with('/');
        if !good {
            let message = format!("`{}` is no place in a request", pointer.value.escape_debug());
            let help = "write a JSON pointer, such as `/metadata/user_id`; `*` stands for any one name or index";
            problems.error(pointer.span, message, "not a JSON pointer").help(help);
        }
        good
    });
    pointers
}

impl Printer<'_> {
    /// What is not compared, where the suite says anything of it.
    pub(super) fn matching(&self, matching: &Matching) -> Option<Node> {
        matching.span?;
        let system = (!matching.system).then(|| self.plain(false));
        Some(self.map([("ignore", self.placed_texts(&matching.ignore)), ("system", system)]))
    }
}
