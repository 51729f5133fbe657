//! Reads an assistant (its package, prompts, model and functions) as a target.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{self as plan, ChatPrompt, ChatTarget, OutputRule, ScriptFile};
use agentci_source::shape::{Kind as Of, Shape, UnknownKeys, optional};
use agentci_source::{Diagnostic, Diagnostics, FileKind, Node, Severity, Span, Spanned, join, read};
use serde_json::{Map, Value};

use super::app::{App, SIZE_LIMIT};
use super::folders::PACKAGE;
use super::{connector, folders, locale, prompts};
use crate::chat_context::{DEFAULT_LOCALE, default_chat_context};
use crate::document::Loading;
use crate::texts::object_map;

/// Files with functions; the first that exists is used.
const SCRIPTS: [&str; 2] = ["src/index.ts", "src/index.js"];

/// An assistant, ready to be tested.
pub(super) struct AssistantPackage {
    pub(super) id: String,
    pub(super) folder: PathBuf,
    /// The target of cases that set no options.
    pub(super) target: ChatTarget,
}

/// Reads the assistant in a folder. `chosen` is a connector that overrides its own.
pub(super) fn open(
    app: &App<'_>,
    folder: &Path,
    chosen: Option<&Spanned<String>>,
    loading: &mut Loading<'_>,
) -> Option<AssistantPackage> {
    let before = loading.problems.count(Severity::Error);
    let id = folders::id_of(app.files, folder, &app.root);
    let root = App::read_json(&join(folder, PACKAGE), loading)?;
    let package = package(app, &root, loading.problems)?;
    let wanted = chosen.or(package.connector.as_ref());
    if wanted.is_none() {
        loading
            .problems
            .error(root.span, format!("the assistant `{id}` has no connector"), "`connector` is missing")
            .help("add `\"connector\": \"openai.gpt-4o\"`, or choose one with `-c`; `mock` is always available");
    }
    let connector = wanted.and_then(|wanted| connector::open(app, wanted, folder, loading));
    let mut shared = Vec::new();
    if !package.disable_global_prompts {
        let folder = join(&app.root, "agent");
        shared = prompts::open(&join(&folder, "prompts.yml"), &folder, loading);
        for prompt in &mut shared {
            prompt.shared = true;
        }
    }
    let own = ["prompts.yml", "prompts.yaml"].map(|name| join(folder, name));
    let own = own.iter().find(|path| app.files.kind(path) == Some(FileKind::File));
    let own = own.map(|path| prompts::open(path, folder, loading)).unwrap_or_default();
    let after_shared = |own: Vec<ChatPrompt>| -> Arc<[ChatPrompt]> { shared.iter().cloned().chain(own).collect() };
    let presets = prompts::presets(folder, loading);
    let presets = presets.into_iter().map(|(name, own)| (name, after_shared(own))).collect();
    let prompts = after_shared(own);
    let script = script(folder, loading);
    let words = locale::words(folder, DEFAULT_LOCALE, loading);
    let said = |written: Option<String>| locale::resolve(&written.unwrap_or_default(), &words);
    let about = vec![
        ("ASSISTANT_ID".to_owned(), id.clone()),
        ("ASSISTANT_NAME".to_owned(), said(package.name)),
        ("ASSISTANT_DESCRIPTION".to_owned(), said(package.description)),
        ("ASSISTANT_TYPE".to_owned(), package.kind.unwrap_or_else(|| "assistant".into())),
    ];
    if loading.problems.count(Severity::Error) > before {
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
    Some(AssistantPackage { id, folder: folder.to_path_buf(), target })
}

/// Removes the prompts of the application from a target and from its presets.
pub(super) fn drop_shared_prompts(target: &mut ChatTarget) {
    let own = |prompts: &Arc<[ChatPrompt]>| prompts.iter().filter(|prompt| !prompt.shared).cloned().collect();
    target.prompts = own(&target.prompts);
    target.assistant.presets =
        target.assistant.presets.iter().map(|(name, prompts)| (name.clone(), own(prompts))).collect();
}

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
    "An assistant. Unknown keys are ignored.",
    &[
        optional("name", Of::Text, "Name of the assistant."),
        optional("description", Of::Text, "Purpose of the assistant."),
        optional("type", Of::Text, "Type of the assistant. Default: `assistant`."),
        optional("connector", Of::Name, "The model: the id of a connector, `mock`, or `$ENV.NAME`."),
        optional("options", Of::Object, "Request options of the model, such as `temperature`."),
        optional("disable_global_prompts", Of::Truth, "Whether to omit application prompts. Default: false."),
    ],
)
.unknown(UnknownKeys::Ignored);

/// Reads the keys of a package that agentci uses; all others are ignored.
fn package(app: &App<'_>, root: &Node, problems: &mut Diagnostics) -> Option<Package> {
    PACKAGE_FILE.read(root, problems, |fields| {
        let [name, description, kind] = ["name", "description", "type"].map(|key| fields.text(key));
        let connector = fields.optional("connector", read::name).map(|written| {
            let known = connector::variable_name(&written.value).and_then(|name| app.variable(name));
            Spanned::new(known.unwrap_or(written.value), written.span)
        });
        let options = fields.optional("options", object_map).unwrap_or_default();
        let disable_global_prompts = fields.truth("disable_global_prompts").unwrap_or_default();
        Some(Package { name, description, kind, connector, options, disable_global_prompts })
    })
}

fn script(folder: &Path, loading: &mut Loading<'_>) -> Option<Arc<ScriptFile>> {
    let is_there = |path: &PathBuf| loading.files.kind(path) == Some(FileKind::File);
    let path = SCRIPTS.iter().map(|name| join(folder, name)).find(is_there)?;
    let source = loading.files.read_text(&path, SIZE_LIMIT).map_err(|error| {
        let span = Span::whole(loading.sources.add(&path, ""));
        loading.problems.push(Diagnostic::error(span, format!("cannot read `{}`: {error}", path.display())));
    });
    Some(Arc::new(ScriptFile { source: source.ok()?, path }))
}
