//! Reads connectors, the models of an application: one file each below `connectors`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{ChatApi, Connector, KeyHeader, ModelScript, Text};
use agentci_source::shape::{Field, KeyRule, Kind as Of, Shape, Tagged, UnknownKeys, optional, required, words};
use agentci_source::{FileKind, Node, Reader, Reading, Severity, Span, Spanned, join, read};
use serde_json::{Map, Value};

use super::app::App;
use super::folders;
use crate::document::Loading;
use crate::load_model_script;
use crate::suggestion::meant_and_known;
use crate::texts::object_map;

/// The built-in connector: a scripted model.
pub(super) const MOCK: &str = "mock";

/// Prefix of a role name in place of a connector id.
const ROLE: &str = "use::";

/// Extensions of connector files.
const ENDINGS: [&str; 3] = [".yao", ".jsonc", ".json"];

/// Options that are passed on to the model unchanged.
const SETTINGS: [&str; 3] = ["max_tokens", "temperature", "thinking"];

/// The types of connectors and their APIs; a scripted model has none.
pub(crate) const KINDS: [(&str, Option<&ConnectorApi>); 3] =
    [("openai", Some(&OPENAI)), ("anthropic", Some(&ANTHROPIC)), ("mock", None)];

/// The API of a model provider, and its address.
pub(crate) struct ConnectorApi {
    pub(crate) api: ChatApi,
    /// Default host of the provider.
    host: &'static str,
    /// Path that is appended to the base URL.
    path: &'static str,
}

static OPENAI: ConnectorApi =
    ConnectorApi { api: ChatApi::OpenAi, host: "https://api.openai.com", path: "chat/completions" };
static ANTHROPIC: ConnectorApi =
    ConnectorApi { api: ChatApi::Anthropic, host: "https://api.anthropic.com", path: "messages" };

/// A connector file.
pub(crate) const CONNECTOR: Of = Of::Tagged(&Tagged {
    tag: "type",
    variants: &[(KINDS[0].0, &MODEL), (KINDS[1].0, &MODEL), (KINDS[2].0, &MOCKED)],
    usual: None,
});

/// Keys of every connector.
static COMMON: &[Field] = &[
    required("type", Of::Choice(&words(&KINDS)), "API of the model, or `mock` for a scripted model."),
    optional("auth_mode", Of::Choice(&words(&KeyHeader::NAMES)), "Header that carries the API key."),
];
static MODEL: Shape = Shape::new("a connector", "A model behind an API.", COMMON)
    .with(&[&[optional("options", Of::Shape(&MODEL_OPTIONS), "Address of the model and its parameters.")]])
    .unknown(UnknownKeys::Ignored)
    .rules(&[KeyRule::Some(&["options"])]);
static MOCKED: Shape = Shape::new("a connector", "A script in place of a model.", COMMON)
    .with(&[&[optional("options", Of::Shape(&MOCKED_OPTIONS), "Location of the script.")]])
    .unknown(UnknownKeys::Ignored);
static MODEL_OPTIONS: Shape = Shape::new(
    "`options`",
    "Address of a model and its parameters.",
    &[
        optional("host", Of::Like("^(https?://|\\s*\\$ENV\\.)"), "Address of the server, or `$ENV.NAME`."),
        optional("proxy", Of::Data, "Address of a proxy server, used if `host` is not set."),
        required("model", Of::Text, "The name of the model."),
        optional("key", Of::Text, "API key, usually `$ENV.NAME`."),
        optional("max_tokens", Of::Data, "Maximum number of tokens written by the model."),
        optional("temperature", Of::Data, "Sampling temperature."),
        optional("thinking", Of::Data, "Whether and how much the model thinks before it answers."),
        optional("extra_body", Of::Object, "Additional fields of every request."),
    ],
)
.unknown(UnknownKeys::Ignored);

static MOCKED_OPTIONS: Shape = Shape::new(
    "`options`",
    "Location of a script.",
    &[optional("script", Of::Name, "Path of a model script, relative to the folder of the application.")],
)
.unknown(UnknownKeys::Ignored);

/// A connector file and the id that follows from its path.
struct ConnectorFile {
    id: String,
    path: PathBuf,
}

/// Opens the connector with an id. The script of the built-in `mock` connector is looked for in the folders of the
/// assistant and of the application.
pub(super) fn open(
    app: &App<'_>,
    id: &Spanned<String>,
    assistant: &Path,
    loading: &mut Loading<'_>,
) -> Option<Arc<Connector>> {
    let found = list(app);
    if let Some(found) = found.iter().find(|found| found.id == id.value) {
        let root = App::read_json(&found.path, loading)?;
        return connector(app, &found.id, &root, loading).map(Arc::new);
    }
    if id.value == MOCK {
        let places =
            [join(assistant, "tests/model.yaml"), join(assistant, "model.yaml"), join(&app.root, "model.yaml")];
        let path = places.into_iter().find(|path| app.files.kind(path) == Some(FileKind::File));
        return scripted(MOCK, path, id.span, loading).map(Arc::new);
    }
    let mut known: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
    if !known.contains(&MOCK) {
        known.push(MOCK);
    }
    let help = if id.value.starts_with(ROLE) {
        format!(
            "`{ROLE}` names a role, and only a running server knows its connector; name the connector itself, here or \
             with `-c`: known connectors are {}",
            read::quoted_list(&known)
        )
    } else {
        meant_and_known(&id.value, &known, "known connectors")
    };
    let message = format!("unknown connector `{}`", id.value.escape_debug());
    loading.problems.error(id.span, message, "not in the application").help(help);
    None
}

/// All connectors of the application, found by file name without opening the files.
fn list(app: &App<'_>) -> Vec<ConnectorFile> {
    let connector = |(mut names, path): (Vec<String>, PathBuf)| {
        let name = names.pop()?;
        let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))?;
        names.push(stem.strip_suffix(".conn").unwrap_or(stem).to_owned());
        let id = names.iter().map(|name| name.replace('.', "_")).collect::<Vec<_>>().join(".");
        Some(ConnectorFile { id, path })
    };
    let files = folders::files_below(app.files, join(&app.root, "connectors"));
    let mut found: Vec<ConnectorFile> = files.into_iter().filter_map(connector).collect();
    found.sort_by(|one, other| one.id.cmp(&other.id));
    found
}

fn connector(app: &App<'_>, id: &str, root: &Node, loading: &mut Loading<'_>) -> Option<Connector> {
    let before = loading.problems.count(Severity::Error);
    let mut fields = MODEL.reader(root, loading.problems)?;
    let kind = fields.required("type", |node, key, problems| read::choice(node, key, &KINDS, problems));
    let key_header = fields.choice("auth_mode", &KeyHeader::NAMES);
    let nothing = Node::map(root.span, []);
    let written = fields.node("options").unwrap_or(&nothing);
    fields.finish();
    let shape = if matches!(kind, Some(None)) { &MOCKED_OPTIONS } else { &MODEL_OPTIONS };
    let mut options = shape.reader(written, loading.problems)?;
    let Some(provider) = kind? else {
        let script = options.optional("script", read::name);
        options.end();
        let path = script.as_ref().map(|script| join(&app.root, &script.value));
        return scripted(id, path, script.map_or(root.span, |script| script.span), loading);
    };
    let host = options.node("host").or(options.node("proxy"));
    let url = match host {
        Some(node) => {
            let host = read::text(node, "host", options.problems)?;
            if variable_name(&host).is_none() && !["http://", "https://"].iter().any(|scheme| host.starts_with(scheme))
            {
                let message = format!("`{}` is not a server address", host.escape_debug());
                let help = "write `https://host`, or `$ENV.NAME` to use an environment variable";
                options.problems.error(node.span, message, "expected an address").help(help);
            }
            Spanned::new(address(app, &host, provider), node.span)
        }
        None => Spanned::new(address(app, provider.host, provider), root.span),
    };
    let model = options.required("model", read::text);
    let key = options.text("key");
    let settings = settings(&mut options);
    options.finish();
    if loading.problems.count(Severity::Error) > before {
        return None;
    }
    let key = key.filter(|key| !key.is_empty()).map(|key| variable(&key));
    let api = provider.api.clone();
    Some(Connector { id: id.into(), api, url, model: variable(&model?), key, key_header, settings, script: None })
}

fn settings(options: &mut Reader<'_, '_>) -> Map<String, Value> {
    let mut settings = Map::new();
    for key in SETTINGS {
        let value = options.optional(key, |node, key, problems| read::data(node, key, Reading::Core, problems));
        settings.extend(value.map(|value| (key.to_owned(), value)));
    }
    settings.extend(options.optional("extra_body", object_map).unwrap_or_default());
    settings
}

/// A scripted model: from a file, or the default script.
fn scripted(id: &str, path: Option<PathBuf>, span: Span, loading: &mut Loading<'_>) -> Option<Connector> {
    let script = match &path {
        None => usual_script(),
        Some(path) => load_model_script(loading.files, loading.sources, path)
            .map_err(|wrong| loading.problems.append(wrong))
            .ok()?,
    };
    Some(Connector { script: path, ..scripted_connector(id, script, span) })
}

/// The connector of a scripted model, named at `span`.
pub(crate) fn scripted_connector(id: &str, script: ModelScript, span: Span) -> Connector {
    Connector {
        id: id.into(),
        model: Text::Literal(script.model.clone().unwrap_or_else(|| MOCK.into())),
        api: ChatApi::Scripted(Arc::new(script)),
        url: Spanned::new(Text::Literal(String::new()), span),
        key: None,
        key_header: None,
        settings: Map::new(),
        script: None,
    }
}

/// The script of a scripted model without a script file.
pub(crate) fn usual_script() -> ModelScript {
    ModelScript { default: vec!["Hello! I am the mock model.".into()], ..ModelScript::default() }
}

/// The full URL. A host that ends in a slash is already a base URL; `/v1/` is appended to any other.
fn address(app: &App<'_>, host: &str, provider: &ConnectorApi) -> Text {
    let known = match variable_name(host) {
        Some(name) => app.variable(name).unwrap_or_default(),
        None => host.to_owned(),
    };
    let between = if known.ends_with('/') { "" } else { "/v1/" };
    match variable_name(host) {
        Some(name) => Text::parse(&format!("${{ENV.{name}}}{between}{}", provider.path)),
        None => Text::Literal(format!("{host}{between}{}", provider.path)),
    }
}

/// A string that may be a single variable, `$ENV.NAME`.
pub(super) fn variable(written: &str) -> Text {
    match variable_name(written) {
        Some(name) => Text::parse(&format!("${{ENV.{name}}}")),
        None => Text::Literal(written.to_owned()),
    }
}

/// The name in `$ENV.NAME`.
pub(super) fn variable_name(written: &str) -> Option<&str> {
    let name = written.trim().strip_prefix("$ENV.")?;
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}
