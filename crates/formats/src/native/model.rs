//! `world.model` of a suite or a case: the script of the model, and what the suite says of it itself.

use std::path::Path;

use agentci_plan::{Missed, ModelWorld};
use agentci_source::shape::{Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Span, Spanned, join, read};

/// The model of a case; a key that a case leaves out is the suite's.
#[derive(Default)]
pub(super) struct ModelSettings {
    /// Where it stands; nothing if it does not.
    span: Option<Span>,
    /// The path of the script.
    script: Option<Spanned<String>>,
    optional: Option<bool>,
    miss: Option<Missed>,
    strict: Option<bool>,
}

pub(super) static MODEL: Shape = Shape::new(
    "`model`",
    "The mock LLM that the agent is led to.",
    &[
        optional(
            "script",
            Kind::Name,
            "A model's script, from the folder of the suite; a case that leaves it out has the suite's.",
        ),
        optional("optional", Kind::Truth, "Whether the agent may do without asking it. Default: false."),
        optional(
            "miss",
            Kind::Choice(&words(&Missed::NAMES)),
            "What a request that no rule fits does to the case. Default: the script's `miss`, else fail.",
        ),
        optional(
            "strict",
            Kind::Truth,
            "Whether requests are refused that the provider would refuse. Default: the script's `strict`, else true.",
        ),
    ],
);

impl ModelSettings {
    pub(super) fn read(node: &Node, problems: &mut Diagnostics) -> Self {
        let Some(mut fields) = MODEL.open(node, problems) else { return Self::default() };
        let settings = Self {
            span: Some(node.span),
            script: fields.optional("script").and_then(|node| read::name(node, "script", problems)),
            optional: fields.optional("optional").and_then(|node| read::truth(node, "optional", problems)),
            miss: fields.optional("miss").and_then(|node| read::choice(node, "miss", &Missed::NAMES, problems)),
            strict: fields.optional("strict").and_then(|node| read::truth(node, "strict", problems)),
        };
        fields.finish(problems);
        settings
    }

    pub(super) fn says_something(&self) -> bool {
        self.span.is_some()
    }

    /// The model of a case, its own settings before those of the suite.
    pub(super) fn over(&self, common: &Self, folder: &Path) -> Option<ModelWorld> {
        let script = self.script.as_ref().or(common.script.as_ref())?;
        let mut model = ModelWorld::new(join(folder, &script.value), script.span);
        model.optional = self.optional.or(common.optional).unwrap_or_default();
        model.miss = self.miss.or(common.miss);
        model.strict = self.strict.or(common.strict);
        Some(model)
    }

    /// Settings of a model that has no script: the problem, and where it is.
    pub(super) fn without_script(&self, common: &Self) -> Option<Diagnostic> {
        let span = self.span.or(common.span)?;
        if self.script.is_some() || common.script.is_some() {
            return None;
        }
        let problem = Diagnostic::error(span, "`model` has no `script`").label("nothing says what the model answers");
        Some(problem.help("add `script: model.yaml` here, or to the `world.model` of the suite"))
    }
}
