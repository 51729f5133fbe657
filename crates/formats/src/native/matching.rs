//! Reads `match: { ignore: [/metadata/user_id], system: false }`: what to ignore when requests of the agent are
//! compared with their recording.

use agentci_plan::Matching;
use agentci_source::shape::{Kind, Shape, optional};
use agentci_source::{Diagnostics, Node, Span, Spanned, read};

use crate::printer::Printer;

/// The `match` settings of a suite or a case; a key that a case omits is taken from the suite.
#[derive(Default)]
pub(super) struct MatchSettings {
    /// The place of `match`; `None` if it is not set.
    span: Option<Span>,
    ignore: Option<Vec<Spanned<String>>>,
    system: Option<bool>,
}

pub(super) static MATCH: Shape = Shape::new(
    "`match`",
    "What to ignore when requests of the agent are compared with their recording.",
    &[
        optional(
            "ignore",
            Kind::List(&Kind::Like("^/.")),
            "JSON pointers into request bodies; `*` matches any one name or index.",
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

    /// The settings for a case: its own take precedence over those of the suite.
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
            let message = format!("`{}` does not point into a request body", pointer.value.escape_debug());
            let help = "write a JSON pointer, such as `/metadata/user_id`; `*` matches any one name or index";
            problems.error(pointer.span, message, "not a JSON pointer").help(help);
        }
        good
    });
    pointers
}

impl Printer<'_> {
    /// The `match` settings, if the suite or the case has any.
    pub(super) fn matching(&self, matching: &Matching) -> Option<Node> {
        matching.span?;
        let system = (!matching.system).then(|| self.plain(false));
        Some(self.map([("ignore", self.placed_texts(&matching.ignore)), ("system", system)]))
    }
}
