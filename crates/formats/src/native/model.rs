//! Reads `world.model` of a suite or a case: the script or the recording of the model, and settings that override the
//! script.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{ModelScript, ModelWorld, ScriptSource, UnansweredRoute, path_of_case};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Span, Spanned, join, read};

use crate::model_script::{SCRIPT, read_model_script};

/// The model of a suite or a case; a key that a case omits is taken from the suite.
#[derive(Default)]
pub(super) struct ModelSettings {
    /// The place of `model`; `None` if it is not set.
    span: Option<Span>,
    script: Option<ModelScriptSource>,
    /// The path of a recording of the real model.
    recording: Option<Spanned<String>>,
    optional: Option<bool>,
    miss: Option<UnansweredRoute>,
    strict: Option<bool>,
}

/// The script of a model: a path, in which `{case}` is replaced by the case's id, or the script itself.
enum ModelScriptSource {
    Path(Spanned<String>),
    Here(Node, Arc<ModelScript>),
}

impl ModelScriptSource {
    /// Reads a script inside the suite at once, so that its problems are reported together with the others.
    fn read(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Self> {
        if node.pairs().is_none() {
            return read::name(node, name, problems).map(Self::Path);
        }
        let script = read_model_script(node).unwrap_or_else(|wrong| {
            problems.append(wrong);
            ModelScript::default()
        });
        Some(Self::Here(node.clone(), Arc::new(script)))
    }

    fn of_case(&self, folder: &Path, id: &str) -> ModelWorld {
        match self {
            Self::Path(path) => {
                let file = join(folder, &path_of_case(&path.value, id));
                ModelWorld::new(ScriptSource::File(file), path.span)
            }
            Self::Here(node, script) => {
                let script = Arc::clone(script);
                ModelWorld { script, ..ModelWorld::new(ScriptSource::Suite(node.clone()), node.span) }
            }
        }
    }
}

pub(super) static MODEL: Shape = Shape::new(
    "`model`",
    "The model of the agent: a script, or a recording of the real model.",
    &[
        optional(
            "script",
            Kind::Either(&[Kind::Name, Kind::Shape(&SCRIPT)]),
            "Script of the mock LLM: a file, relative to the folder of the suite, or the script itself. In the path, \
             `{case}` is replaced by the case id. Default for a case: the suite's script.",
        ),
        optional(
            "recording",
            Kind::Name,
            "Recording of only the model calls of the agent; `{case}` is replaced by the case id.",
        ),
        optional("optional", Kind::Truth, "Whether the agent may finish without calling the model. Default: false."),
        optional(
            "miss",
            Kind::Choice(&words(&UnansweredRoute::NAMES)),
            "What to do when no rule matches a request. Default: the script's `miss`, else `fail`.",
        ),
        optional(
            "strict",
            Kind::Truth,
            "Whether to reject requests that the provider would reject. Default: the script's `strict`, else true.",
        ),
    ],
)
.rules(&[
    KeyRule::NotBoth(&["script", "recording"]),
    KeyRule::NotBoth(&["recording", "miss"]),
    KeyRule::NotBoth(&["recording", "strict"]),
]);

impl ModelSettings {
    pub(super) fn read(node: &Node, problems: &mut Diagnostics) -> Self {
        let settings = MODEL.read(node, problems, |fields| {
            let settings = Self {
                span: Some(node.span),
                script: fields.optional("script", ModelScriptSource::read),
                recording: fields.optional("recording", read::name),
                optional: fields.truth("optional"),
                miss: fields.choice("miss", &UnansweredRoute::NAMES),
                strict: fields.truth("strict"),
            };
            if let Some(recording) = &settings.recording {
                for key in ["script", "miss", "strict"] {
                    if fields.node(key).is_none() {
                        continue;
                    }
                    let message = format!("a model has `recording` or `{key}`, not both");
                    let help =
                        "remove one of the two: a recorded model repeats the answers and refusals of the real one";
                    fields.problems.error(recording.span, message, "a second source of answers").help(help);
                }
            }
            Some(settings)
        });
        settings.unwrap_or_default()
    }

    /// The model of a case: its own settings take precedence over those of the suite.
    pub(super) fn over(&self, common: &Self, folder: &Path, id: &str) -> Option<ModelWorld> {
        let mut model = self.script(common)?.of_case(folder, id);
        model.miss = self.miss.or(common.miss);
        model.strict = self.strict.or(common.strict);
        Some(model)
    }

    fn script<'s>(&'s self, common: &'s Self) -> Option<&'s ModelScriptSource> {
        self.script.as_ref().or_else(|| common.script.as_ref().filter(|_| self.recording.is_none()))
    }

    /// The path of the script: that of the case, else that of the suite.
    pub(super) fn script_path<'s>(&'s self, common: &'s Self) -> Option<&'s Spanned<String>> {
        match self.script(common)? {
            ModelScriptSource::Path(path) => Some(path),
            ModelScriptSource::Here(..) => None,
        }
    }

    /// Whether the agent may finish without calling the model.
    pub(super) fn is_optional(&self, common: &Self) -> bool {
        self.optional.or(common.optional).unwrap_or_default()
    }

    /// The path of the recording of the model: that of the case, else that of the suite.
    pub(super) fn recording<'s>(&'s self, common: &'s Self) -> Option<&'s Spanned<String>> {
        self.recording.as_ref().or_else(|| common.recording.as_ref().filter(|_| self.script.is_none()))
    }

    /// The error for a model that has neither a script nor a recording. If the whole world is recorded, `optional`
    /// alone is allowed.
    pub(super) fn without_script(&self, common: &Self, world_is_recorded: bool) -> Option<Diagnostic> {
        let span = self.span.or(common.span)?;
        let of_scripts = [self, common].iter().any(|settings| settings.miss.is_some() || settings.strict.is_some());
        if world_is_recorded && !of_scripts && self.is_optional(common) {
            return None;
        }
        if self.script.is_some() || common.script.is_some() || self.recording(common).is_some() {
            return None;
        }
        let help = "add `script: model.yaml` or `recording: model.jsonl` here, or to the `world.model` of the suite";
        let problem =
            Diagnostic::error(span, "`model` has neither `script` nor `recording`").label("no source of answers");
        Some(problem.help(help))
    }
}
