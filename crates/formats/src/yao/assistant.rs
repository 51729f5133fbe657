//! An assistant: its package, prompts, model and functions, as a target.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{self as plan, ChatTarget, OutputRule, Prompt, ScriptFile};
use agentci_source::shape::{Kind as Of, Shape, Unknown, optional};
use agentci_source::{Diagnostic, Diagnostics, Kind, Node, Reading, Sources, Spanned, join, read};
use serde_json::{Map, Value};

use super::app::{App, SIZE_LIMIT};
use super::place::PACKAGE;
use super::{connector, locale, place, prompts};
use crate::chat_context::{DEFAULT_LOCALE, default_chat_context};

/// Files of functions, the first that is there.
const SCRIPTS: [&str; 2] = ["src/index.ts", "src/index.js"];

/// What a package says that matters to a conversation.
pub(super) struct Assistant {
    /// Its id.
    pub(super) id: String,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// The target of a case that says nothing of its own.
    pub(super) target: ChatTarget,
}

/// Reads the assistant in a folder. `chosen` is a connector that takes the place of its own.
pub(super) fn open(
    app: &App<'_>,
    folder: &Path,
    chosen: Option<&Spanned<String>>,
    sources: &mut Sources,
    problems: &mut Diagnostics,
) -> Option<Assistant> {
    let before = problems.count(agentci_source::Severity::Error);
    let id = place::id_of(app.files, folder, &app.root);
    let root = app.read_json(sources, &join(folder, PACKAGE)).map_err(|problem| problems.push(problem)).ok()?;
    let package = package(app, &root, problems)?;
    let wanted = chosen.or(package.connector.as_ref());
    if wanted.is_none() {
        problems
            .error(root.span, format!("the assistant `{id}` has no connector"), "no model is named here")
            .help("add `\"connector\": \"openai.gpt-4o\"`, or choose one with `-c`; `mock` is always there");
    }
    let connector = wanted.and_then(|wanted| connector::open(app, wanted, folder, sources, problems));
    let mut shared = Vec::new();
    if !package.disable_global_prompts {
        let folder = join(&app.root, "agent");
        shared = prompts::open(app.files, sources, &join(&folder, "prompts.yml"), &folder, problems);
        for prompt in &mut shared {
            prompt.shared = true;
        }
    }
    let own = ["prompts.yml", "prompts.yaml"].map(|name| join(folder, name));
    let own = own.iter().find(|path| app.files.kind(path) == Some(Kind::File));
    let own = own.map(|path| prompts::open(app.files, sources, path, folder, problems)).unwrap_or_default();
    let after_shared = |own: Vec<Prompt>| -> Arc<[Prompt]> { shared.iter().cloned().chain(own).collect() };
    let presets = prompts::presets(app.files, sources, folder, problems);
    let presets = presets.into_iter().map(|(name, own)| (name, after_shared(own))).collect();
    let prompts = after_shared(own);
    let script = script(app, folder, sources, problems);
    let words = locale::words(app.files, sources, folder, DEFAULT_LOCALE, problems);
    let said = |written: Option<String>| locale::resolve(&written.unwrap_or_default(), &words);
    let about = vec![
        ("ASSISTANT_ID".to_owned(), id.clone()),
        ("ASSISTANT_NAME".to_owned(), said(package.name)),
        ("ASSISTANT_DESCRIPTION".to_owned(), said(package.description)),
        ("ASSISTANT_TYPE".to_owned(), package.kind.unwrap_or_else(|| "assistant".into())),
    ];
    if problems.count(agentci_source::Severity::Error) > before {
        return None;
    }
    let target = ChatTarget {
        agent: id.clone(),
        connector: connector?,
        prompts,
        options: package.options,
        environment: app.environment.clone(),
        context: default_chat_context(),
        assistant: plan::Assistant { about, presets, script },
        timeout: super::DEFAULT_TIMEOUT,
        output: OutputRule::Optional,
        span: root.span,
    };
    Some(Assistant { id, folder: folder.to_path_buf(), target })
}

/// Takes the prompts of the application from a target, and from all that may take their place.
pub(super) fn drop_shared_prompts(target: &mut ChatTarget) {
    let own = |prompts: &Arc<[Prompt]>| prompts.iter().filter(|prompt| !prompt.shared).cloned().collect();
    target.prompts = own(&target.prompts);
    target.assistant.presets =
        target.assistant.presets.iter().map(|(name, prompts)| (name.clone(), own(prompts))).collect();
}

#[derive(Default)]
struct Package {
    name: Option<String>,
    description: Option<String>,
    kind: Option<String>,
    connector: Option<Spanned<String>>,
    options: Map<String, Value>,
    disable_global_prompts: bool,
}

/// A `package.yao`.
pub(crate) static PACKAGE_FILE: Shape = Shape::new(
    "a package",
    "An assistant; what is not known here is not looked at.",
    &[
        optional("name", Of::Text, "What the assistant is called."),
        optional("description", Of::Text, "What it is for."),
        optional("type", Of::Text, "What kind of assistant it is."),
        optional("connector", Of::Name, "The model: the id of a connector, `mock`, or `$ENV.NAME`."),
        optional("options", Of::Object, "What the model is told beside the messages, such as `temperature`."),
        optional("disable_global_prompts", Of::Truth, "Whether the prompts of the application are left out."),
    ],
)
.unknown(Unknown::Ignored);

/// What matters of a package; much else may stand there, and is not looked at.
fn package(app: &App<'_>, root: &Node, problems: &mut Diagnostics) -> Option<Package> {
    let mut fields = PACKAGE_FILE.open(root, problems)?;
    let mut text = |key: &'static str| fields.optional(key).and_then(|node| read::text(node, key, problems));
    let (name, description, kind) = (text("name"), text("description"), text("type"));
    let connector = fields.optional("connector").and_then(|node| read::name(node, "connector", problems));
    let connector = connector.map(|written| {
        let known = connector::variable_name(&written.value).and_then(|name| app.variable(name));
        Spanned::new(known.unwrap_or(written.value), written.span)
    });
    let options = fields.optional("options");
    let options = options.and_then(|node| read::object(node, "options", Reading::Core, problems));
    let disabled = fields.optional("disable_global_prompts");
    let disabled = disabled.and_then(|node| read::truth(node, "disable_global_prompts", problems));
    fields.end();
    Some(Package {
        name,
        description,
        kind,
        connector,
        options: if let Some(Value::Object(options)) = options { options } else { Map::new() },
        disable_global_prompts: disabled.unwrap_or_default(),
    })
}

fn script(app: &App<'_>, folder: &Path, sources: &mut Sources, problems: &mut Diagnostics) -> Option<Arc<ScriptFile>> {
    let path = SCRIPTS.iter().map(|name| join(folder, name)).find(|path| app.files.kind(path) == Some(Kind::File))?;
    match app.files.read_text(&path, SIZE_LIMIT) {
        Ok(source) => Some(Arc::new(ScriptFile { path, source })),
        Err(error) => {
            let span = agentci_source::Span::whole(sources.add(&path, ""));
            problems.push(Diagnostic::error(span, format!("can not read `{}`: {error}", path.display())));
            None
        }
    }
}
