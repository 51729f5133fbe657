//! Reads a target that consists of prompts and a model.

use std::sync::Arc;

use agentci_plan::{
    Assistant, ChatPrompt, ChatTarget, Connector, EnvironmentFile, KeyHeader, OutputRule, REQUEST_TIMEOUT, ScriptFile,
    Target,
};
use agentci_source::shape::{KeyRule, Kind, Shape, optional, required, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Pair, read};
use serde_json::{Map, Value};

use super::super::readers::{SuiteFolder, object, object_map, template};
use super::{ReadTarget, read_address};
use crate::chat_context::{TEXTS, default_chat_context, set_metadata};
use crate::yao::{CONNECTOR_KINDS, read_variables, scripted_connector, usual_script};

/// The size limit of a file of functions or variables.
const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

pub(super) static CHAT: Shape = Shape::new(
    "`chat`",
    "An agent that consists of prompts and a model.",
    &[
        optional("agent", Kind::Name, "Name of the agent. Default: `assistant`."),
        optional("about", Kind::Map(&Kind::Text), "Variables that prompts may use."),
        required(
            "connector",
            Kind::Either(&[Kind::Choice(&words(&MOCK)), Kind::Shape(&MODEL), Kind::Shape(&MOCKED)]),
            "The model: an API, or a script in place of one.",
        ),
        optional("prompts", PROMPTS, "Messages at the start of every conversation."),
        optional("presets", Kind::Map(&PROMPTS), "Prompts by name, for functions to choose from."),
        optional("options", Kind::Object, "Request options of the model, such as `temperature`."),
        optional("env", Kind::Name, "File of variables, in `NAME=value` lines."),
        optional("script", Kind::Name, "File with functions that run before and after the model."),
        optional("context", Kind::Shape(&CONTEXT), "Information about the user and the client."),
        optional("timeout", Kind::Duration, "Timeout of one request. Default: 2m."),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

const PROMPTS: Kind = Kind::List(&Kind::Either(&[Kind::Text, Kind::Shape(&PROMPT)]));

static PROMPT: Shape = Shape::new(
    "a prompt",
    "A message at the start of every conversation.",
    &[
        required("role", Kind::Name, "Role: `system`, `user` or `assistant`."),
        optional("name", Kind::Text, "Name of the author."),
        required("content", Kind::Text, "Text of the message."),
        optional("shared", Kind::Truth, "Whether `Create` may omit it with `disable_global_prompts`."),
    ],
);

static MODEL: Shape = Shape::new(
    "`connector`",
    "A model behind an API.",
    &[
        optional("script", Kind::Name, "A script in place of a model; cannot be combined with an API."),
        optional("api", Kind::Choice(&MODELS), "API of the model. Default: `openai`."),
        optional("id", Kind::Name, "Name in reports."),
        required("url", Kind::Address, "Full URL that requests are sent to."),
        required("model", Kind::Text, "The name of the model."),
        optional("key", Kind::Text, "API key, usually a variable such as `${ENV.OPENAI_API_KEY}`."),
        optional("key_header", Kind::Choice(&words(&KeyHeader::NAMES)), "Header that carries the API key."),
        optional("settings", Kind::Object, "Settings sent with every request, such as `max_tokens`."),
    ],
)
.rules(&[KeyRule::Needs("script", "api")]);

static MOCKED: Shape = Shape::new(
    "`connector`",
    "A script in place of a model.",
    &[
        optional("script", Kind::Name, "Script of the model, relative to the folder of the suite."),
        optional("api", Kind::Choice(&words(&MOCK)), "`mock`."),
        optional("id", Kind::Name, "Name in reports."),
        optional("model", Kind::Text, "The name of the model."),
        optional("key", Kind::Text, "API key."),
        optional("key_header", Kind::Choice(&words(&KeyHeader::NAMES)), "Header that carries the API key."),
        optional("settings", Kind::Object, "Settings sent with every request."),
    ],
)
.rules(&[KeyRule::Some(&["script", "api"])]);

/// The name of the scripted API.
const MOCK: [(&str, ()); 1] = [(CONNECTOR_KINDS[2].0, ())];
/// The names of the APIs that are not scripted.
const MODELS: [&str; 2] = [CONNECTOR_KINDS[0].0, CONNECTOR_KINDS[1].0];

static CONTEXT: Shape = Shape::new(
    "`context`",
    "Information about the user and the client.",
    &[
        optional("user", Kind::Text, "The user."),
        optional("team", Kind::Text, "The team of the user."),
        optional("locale", Kind::Text, "Locale, such as `en-us`."),
        optional("client_type", Kind::Text, "Type of the client."),
        optional("client_ip", Kind::Text, "IP address of the client."),
        optional("referer", Kind::Text, "Referer of the request."),
        optional("accept", Kind::Text, "Kind of answer that the client accepts."),
        optional("chat", Kind::Text, "The id of the conversation."),
        optional("metadata", Kind::Object, "Additional data for functions."),
    ],
);

pub(super) fn chat(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let chat = CHAT.read(node, problems, |fields| {
        let agent = fields.name("agent").unwrap_or_else(|| "assistant".into());
        let about = fields.named_or_default("about", texts_by_name);
        let connector = fields.required("connector", |node, _, problems| connector(node, place, problems));
        let prompts = fields.or_default("prompts", prompts);
        let presets = fields.named_or_default("presets", presets);
        let options = fields.optional("options", object_map).unwrap_or_default();
        let environment = fields.valid("env", |node, key, problems| environment(node, key, place, problems));
        let script = fields.valid("script", |node, key, problems| read_file(node, key, place, problems));
        let context = fields.node("context");
        let context = context.map_or_else(default_chat_context, |node| self::context(node, fields.problems));
        Some(ChatTarget {
            timeout: fields.duration("timeout").unwrap_or(REQUEST_TIMEOUT),
            output: fields.choice("output", &OutputRule::NAMES).unwrap_or_default(),
            agent,
            connector: Arc::new(connector?),
            prompts: prompts.into(),
            options,
            environment: environment?,
            context,
            assistant: Assistant { about, presets: presets.into(), script: script?.map(Arc::new) },
            span: node.span,
        })
    });
    Some(Target::Chat(Box::new(chat?)).into())
}

fn texts_by_name(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, String)> {
    let pairs = pairs(node, name, problems);
    let text = |pair: &Pair| Some((pair.key.text.to_string(), read::text(&pair.value, &pair.key.text, problems)?));
    pairs.iter().filter_map(text).collect()
}

fn pairs<'n>(node: &'n Node, name: &str, problems: &mut Diagnostics) -> &'n [Pair] {
    if node.pairs().is_none() {
        object(node, name, problems);
    }
    node.pairs().unwrap_or_default()
}

/// Reads a model: the word `mock`, or a mapping.
fn connector(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Connector> {
    let mut found = scripted_connector("mock", usual_script(), node.span);
    if node.pairs().is_none() {
        return read::choice(node, "connector", &MOCK, problems).map(|()| found);
    }
    let mut fields = MODEL.reader(node, problems)?;
    let script = fields.optional("script", read::name);
    let kinds = CONNECTOR_KINDS.map(|(word, provider)| (word, (word, provider)));
    let usual = if script.is_some() { kinds[2].1 } else { kinds[0].1 };
    let (word, provider) = fields.choice("api", &kinds).unwrap_or(usual);
    let id = fields.name("id");
    let (url, model) = if provider.is_some() {
        (fields.required("url", read_address), fields.required("model", template))
    } else {
        fields.becomes(&MOCKED);
        (None, fields.optional("model", template))
    };
    found.key = fields.optional("key", template);
    found.key_header = fields.choice("key_header", &KeyHeader::NAMES);
    found.settings = fields.optional("settings", object_map).unwrap_or_default();
    fields.finish();
    if let Some(provider) = provider {
        found.api = provider.api.clone();
        (found.url, found.model) = (url?, model?);
    } else {
        found.model = model.unwrap_or(found.model);
        // A scripted model has no URL: the span of the script takes its place.
        found.url.span = script.as_ref().map_or(node.span, |script| script.span);
        found.script = script.map(|script| place.path(&script.value));
    }
    found.id = id.unwrap_or_else(|| word.to_owned());
    Some(found)
}

fn prompts(node: &Node, problems: &mut Diagnostics) -> Vec<ChatPrompt> {
    read::each(node, "prompts", problems, prompt)
}

/// Reads a prompt: a string, which is a system message, or a mapping.
fn prompt(node: &Node, problems: &mut Diagnostics) -> Option<ChatPrompt> {
    if node.pairs().is_none() {
        let content = template(node, "prompts[]", problems)?;
        return Some(ChatPrompt { role: "system".into(), name: None, content, shared: false });
    }
    PROMPT.read(node, problems, |fields| {
        let role = fields.required("role", read::name);
        let name = fields.text("name");
        let content = fields.required("content", template);
        let shared = fields.truth("shared").unwrap_or_default();
        Some(ChatPrompt { role: role?.value, name, content: content?, shared })
    })
}

fn presets(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, Arc<[ChatPrompt]>)> {
    let pairs = pairs(node, name, problems);
    pairs.iter().map(|pair| (pair.key.text.to_string(), prompts(&pair.value, problems).into())).collect()
}

fn context(node: &Node, problems: &mut Diagnostics) -> Map<String, Value> {
    let context = CONTEXT.read(node, problems, |fields| {
        let mut context = default_chat_context();
        for key in TEXTS {
            context.extend(fields.text(key).map(|text| (key.to_owned(), text.into())));
        }
        if fields.node("metadata").is_some() {
            set_metadata(&mut context, fields.optional("metadata", object_map).unwrap_or_default());
        }
        Some(context)
    });
    context.unwrap_or_else(default_chat_context)
}

fn read_file(node: &Node, name: &str, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ScriptFile> {
    let path = place.path(&read::name(node, name, problems)?.value);
    match place.files.read_text(&path, SIZE_LIMIT) {
        Ok(source) => Some(ScriptFile { path, source }),
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            problems.error(node.span, message, "names this file").help("the path is relative to the suite's folder");
            None
        }
    }
}

fn environment(
    node: &Node,
    name: &str,
    place: SuiteFolder<'_>,
    problems: &mut Diagnostics,
) -> Option<Arc<EnvironmentFile>> {
    let ScriptFile { path, source } = read_file(node, name, place, problems)?;
    let (values, wrong) = read_variables(&source);
    for line in wrong {
        let message = format!("line {line} of `{}` is not a variable", path.display());
        problems.push(Diagnostic::warning(node.span, message).help("write `NAME=value`"));
    }
    Some(Arc::new(EnvironmentFile { path, values }))
}
