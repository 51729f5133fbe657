//! An agent that is prompts and a model.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{
    Assistant, ChatApi, ChatTarget, Connector, EnvironmentFile, KeyHeader, OutputRule, Prompt, REQUEST_TIMEOUT,
    ScriptFile, Text,
};
use agentci_source::shape::{Kind, Rule, Shape, optional, required, words};
use agentci_source::{Diagnostic, Diagnostics, Node, Reading, Spanned, join, read};
use serde_json::{Map, Value};

use super::super::words::{Place, template};
use super::read_address;
use crate::chat_context::{TEXTS, default_chat_context, set_metadata};
use crate::yao::{read_variables, usual_script};

/// What speaks at the other end, by name; a scripted model is put in later.
const APIS: [(&str, Api); 3] = [("openai", Api::OpenAi), ("anthropic", Api::Anthropic), ("mock", Api::Mock)];

#[derive(Clone, Copy, PartialEq)]
enum Api {
    OpenAi,
    Anthropic,
    Mock,
}

/// The largest file of functions or variables that is read.
const SIZE_LIMIT: u64 = 10 * 1024 * 1024;

pub(super) static CHAT: Shape = Shape::new(
    "`chat`",
    "An agent that is prompts and a model.",
    &[
        optional("agent", Kind::Name, "What the agent is called."),
        optional("about", Kind::Map(&Kind::Text), "Variables that prompts may use."),
        required(
            "connector",
            Kind::Either(&[Kind::Choice(&words(&MOCK)), Kind::Shape(&MODEL), Kind::Shape(&MOCKED)]),
            "The model: an API, or a script that stands in for one.",
        ),
        optional("prompts", PROMPTS, "What stands before every conversation."),
        optional("presets", Kind::Map(&PROMPTS), "Prompts by names, for functions to choose from."),
        optional("options", Kind::Object, "What the model is told beside the messages, such as `temperature`."),
        optional("env", Kind::Name, "A file of variables, `NAME=value` lines."),
        optional("script", Kind::Name, "A file with functions that run before and after the model."),
        optional("context", Kind::Shape(&CONTEXT), "Who asks, and from where."),
        optional("timeout", Kind::Duration, "How long one request may take."),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
);

const PROMPTS: Kind = Kind::List(&Kind::Either(&[Kind::Text, Kind::Shape(&PROMPT)]));

static PROMPT: Shape = Shape::new(
    "a prompt",
    "A message that stands before every conversation.",
    &[
        required("role", Kind::Name, "Who says it: `system`, `user` or `assistant`."),
        optional("name", Kind::Text, "The name of who says it."),
        required("content", Kind::Text, "What is said."),
        optional("shared", Kind::Truth, "Whether `Create` may leave it out with `disable_global_prompts`."),
    ],
);

static MODEL: Shape = Shape::new(
    "`connector`",
    "A model behind an API.",
    &[
        optional("script", Kind::Name, "A script that stands in for a model; not with an API."),
        optional("api", Kind::Choice(&MODELS), "What is spoken, `openai` without it."),
        optional("id", Kind::Name, "What reports call it."),
        required("url", Kind::Address, "The whole address that requests are sent to."),
        required("model", Kind::Text, "The name of the model."),
        optional("key", Kind::Text, "The key, usually a variable such as `${ENV.OPENAI_API_KEY}`."),
        optional("key_header", Kind::Choice(&words(&KeyHeader::NAMES)), "The header that has the key."),
        optional("settings", Kind::Object, "What every request says, such as `max_tokens`."),
    ],
)
.rules(&[Rule::Needs("script", "api")]);

static MOCKED: Shape = Shape::new(
    "`connector`",
    "A script that stands in for a model.",
    &[
        optional("script", Kind::Name, "A model's script, from the folder of the suite."),
        optional("api", Kind::Choice(&words(&MOCK)), "`mock`."),
        optional("id", Kind::Name, "What reports call it."),
        optional("model", Kind::Text, "The name of the model."),
        optional("key", Kind::Text, "The key that is sent."),
        optional("key_header", Kind::Choice(&words(&KeyHeader::NAMES)), "The header that has the key."),
        optional("settings", Kind::Object, "What every request says."),
    ],
)
.rules(&[Rule::Some(&["script", "api"])]);

/// The word for one that is.
const MOCK: [(&str, ()); 1] = [(APIS[2].0, ())];
/// The words for models that are not scripted.
const MODELS: [&str; 2] = [APIS[0].0, APIS[1].0];

static CONTEXT: Shape = Shape::new(
    "`context`",
    "Who asks, and from where.",
    &[
        optional("user", Kind::Text, "The user."),
        optional("team", Kind::Text, "The team of the user."),
        optional("locale", Kind::Text, "The language, such as `en-us`."),
        optional("client_type", Kind::Text, "What kind of client asks."),
        optional("client_ip", Kind::Text, "The address of the client."),
        optional("referer", Kind::Text, "Where the request comes from."),
        optional("accept", Kind::Text, "What kind of answer is taken."),
        optional("chat", Kind::Text, "The id of the conversation."),
        optional("metadata", Kind::Object, "Whatever else functions may look at."),
    ],
);

pub(super) fn chat(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<ChatTarget> {
    let mut fields = CHAT.open(node, problems)?;
    let agent = fields.optional("agent").and_then(|node| read::name(node, "agent", problems));
    let about = fields.optional("about").map(|node| texts_by_name(node, "about", problems)).unwrap_or_default();
    let connector = fields.required("connector", problems).map(|node| connector(node, place, problems));
    let prompts = fields.optional("prompts").map(|node| prompts(node, problems)).unwrap_or_default();
    let presets = fields.optional("presets").map(|node| presets(node, problems)).unwrap_or_default();
    let options = fields.optional("options").map(|node| object(node, "options", problems)).unwrap_or_default();
    let environment = fields.optional("env").map(|node| environment(node, place, problems));
    let script = fields.optional("script").map(|node| script(node, place, problems));
    let context = fields.optional("context").map_or_else(default_chat_context, |node| context(node, problems));
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    let output = fields.optional("output").and_then(|node| read::choice(node, "output", &OutputRule::NAMES, problems));
    fields.finish(problems);
    Some(ChatTarget {
        agent: agent.map_or_else(|| "assistant".into(), |agent| agent.value),
        connector: Arc::new(connector??),
        prompts: prompts.into(),
        options,
        environment: match environment {
            None => None,
            Some(environment) => Some(environment?),
        },
        context,
        assistant: Assistant {
            about,
            presets: presets.into(),
            script: match script {
                None => None,
                Some(script) => Some(script?),
            },
        },
        timeout: timeout.unwrap_or(REQUEST_TIMEOUT),
        output: output.unwrap_or_default(),
        span: node.span,
    })
}

fn object(node: &Node, name: &str, problems: &mut Diagnostics) -> Map<String, Value> {
    match read::object(node, name, Reading::Core, problems) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn texts_by_name(node: &Node, name: &str, problems: &mut Diagnostics) -> Vec<(String, String)> {
    if node.pairs().is_none() {
        read::object(node, name, Reading::Core, problems);
    }
    let pairs = node.pairs().unwrap_or_default();
    pairs
        .iter()
        .filter_map(|pair| Some((pair.key.text.to_string(), read::text(&pair.value, &pair.key.text, problems)?)))
        .collect()
}

/// A model: the word `mock`, or a mapping.
fn connector(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Connector> {
    let mut found = Connector {
        id: "mock".into(),
        api: ChatApi::Scripted(Arc::new(usual_script())),
        url: Spanned::new(Text::Literal(String::new()), node.span),
        model: Text::Literal("mock".into()),
        key: None,
        key_header: None,
        settings: Map::new(),
        script: None,
    };
    if node.pairs().is_none() {
        return read::choice(node, "connector", &MOCK, problems).map(|()| found);
    }
    let mut fields = MODEL.open(node, problems)?;
    let script = fields.optional("script").and_then(|node| read::name(node, "script", problems));
    let api = fields.optional("api").and_then(|node| read::choice(node, "api", &APIS, problems));
    let api = api.unwrap_or(if script.is_some() { Api::Mock } else { Api::OpenAi });
    let id = fields.optional("id").and_then(|node| read::name(node, "id", problems));
    let is_model = api != Api::Mock;
    if !is_model {
        fields.becomes(&MOCKED);
    }
    let url = if is_model { fields.required("url", problems) } else { None };
    let url = url.and_then(|node| read_address(node, "url", problems));
    let model = if is_model { fields.required("model", problems) } else { fields.optional("model") };
    let model = model.and_then(|node| template(node, "model", problems));
    found.key = fields.optional("key").and_then(|node| template(node, "key", problems));
    found.key_header =
        fields.optional("key_header").and_then(|node| read::choice(node, "key_header", &KeyHeader::NAMES, problems));
    found.settings = fields.optional("settings").map(|node| object(node, "settings", problems)).unwrap_or_default();
    fields.finish(problems);
    match api {
        Api::OpenAi => found.api = ChatApi::OpenAi,
        Api::Anthropic => found.api = ChatApi::Anthropic,
        Api::Mock => {}
    }
    if is_model {
        (found.url, found.model) = (url?, model?);
    } else {
        found.model = model.unwrap_or(found.model);
        // Where it is named stands in for an address.
        found.url.span = script.as_ref().map_or(node.span, |script| script.span);
        found.script = script.map(|script| join(place.folder, &script.value));
    }
    let word = APIS.iter().find(|(_, known)| *known == api).map_or("mock", |(word, _)| word);
    found.id = id.map_or_else(|| word.to_owned(), |id| id.value);
    Some(found)
}

fn prompts(node: &Node, problems: &mut Diagnostics) -> Vec<Prompt> {
    let items = read::list(node, "prompts", problems).unwrap_or_default();
    items.iter().filter_map(|item| prompt(item, problems)).collect()
}

/// A prompt: words of the system, or a mapping.
fn prompt(node: &Node, problems: &mut Diagnostics) -> Option<Prompt> {
    if node.pairs().is_none() {
        let content = read::text(node, "prompts[]", problems)?;
        return Some(Prompt { role: "system".into(), name: None, content, shared: false });
    }
    let mut fields = PROMPT.open(node, problems)?;
    let role = fields.required("role", problems).and_then(|node| read::name(node, "role", problems));
    let name = fields.optional("name").and_then(|node| read::text(node, "name", problems));
    let content = fields.required("content", problems).and_then(|node| read::text(node, "content", problems));
    let shared = fields.optional("shared").and_then(|node| read::truth(node, "shared", problems)).unwrap_or(false);
    fields.finish(problems);
    Some(Prompt { role: role?.value, name, content: content?, shared })
}

fn presets(node: &Node, problems: &mut Diagnostics) -> Vec<(String, Arc<[Prompt]>)> {
    if node.pairs().is_none() {
        read::object(node, "presets", Reading::Core, problems);
    }
    let pairs = node.pairs().unwrap_or_default();
    pairs.iter().map(|pair| (pair.key.text.to_string(), prompts(&pair.value, problems).into())).collect()
}

fn context(node: &Node, problems: &mut Diagnostics) -> Map<String, Value> {
    let mut context = default_chat_context();
    let Some(mut fields) = CONTEXT.open(node, problems) else { return context };
    for key in TEXTS {
        if let Some(text) = fields.optional(key).and_then(|node| read::text(node, key, problems)) {
            context.insert(key.into(), text.into());
        }
    }
    if let Some(node) = fields.optional("metadata") {
        set_metadata(&mut context, object(node, "metadata", problems));
    }
    fields.finish(problems);
    context
}

fn read_file(node: &Node, name: &str, place: Place<'_>, problems: &mut Diagnostics) -> Option<ScriptFile> {
    let path = join(place.folder, &read::name(node, name, problems)?.value);
    match place.files.read_text(&path, SIZE_LIMIT) {
        Ok(source) => Some(ScriptFile { path, source }),
        Err(error) => {
            let message = format!("can not read `{}`: {error}", path.display());
            problems.error(node.span, message, "names this file").help("its path is relative to the suite's folder");
            None
        }
    }
}

fn script(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Arc<ScriptFile>> {
    read_file(node, "script", place, problems).map(Arc::new)
}

fn environment(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Arc<EnvironmentFile>> {
    let ScriptFile { path, source } = read_file(node, "env", place, problems)?;
    let (values, wrong) = read_variables(&source);
    for line in wrong {
        let message = format!("line {line} of `{}` is no variable", path.display());
        problems.push(Diagnostic::warning(node.span, message).help("write `NAME=value`"));
    }
    Some(Arc::new(EnvironmentFile { path, values }))
}

/// Whether a path is that of a file which a scripted model is still to be read from.
pub(in crate::native) fn unread_script(connector: &Connector) -> Option<&Path> {
    connector.script.as_deref().filter(|_| matches!(connector.api, ChatApi::Scripted(_)))
}
