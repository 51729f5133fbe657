//! Compares what a request offers and expects with the script's answer: a model calls only offered tools, with valid
//! arguments, and keeps to the requested format. A script that does not is out of step with the agent.

use crate::fields::{field, given, items};
use agentci_plan::{Finish, ScriptedCall};
use agentci_trace::{ModelTrouble, TroubleKind};
use serde_json::Value;

use super::answer::{CallForm, SpokenAnswer, WantedCall};
use super::schema::{misfit, or_null};
use super::{choice::ToolChoice, gemini, ollama, routes::ModelRoute};

/// The maximum number of offered tools to list.
const LISTED: usize = 12;

/// What a request offers and expects.
#[derive(Default)]
pub(super) struct RequestOffer<'r> {
    pub(super) tools: Vec<RequestTool<'r>>,
    /// Which of them may be called, and whether one must be.
    pub(super) choice: ToolChoice<'r>,
    /// The key of `choice` in the request.
    pub(super) choice_key: &'static str,
    /// Whether there may be tools that are not in the request.
    pub(super) more: bool,
    /// Whether the provider runs some of the tools itself; such a call comes with any answer.
    pub(super) hosted: bool,
    /// The required format of the text.
    pub(super) format: Option<RequiredFormat<'r>>,
}

/// A tool that a request offers.
pub(super) struct RequestTool<'r> {
    pub(super) name: &'r str,
    /// Schema of its arguments.
    pub(super) schema: Option<&'r Value>,
    pub(super) form: SchemaForm,
    pub(super) strict: bool,
}

/// The dialect of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaForm {
    Json,
    Google,
}

impl SchemaForm {
    /// Converts the schema to JSON Schema.
    fn read(self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        if self == SchemaForm::Google {
            gemini::as_json_schema(&mut schema);
            or_null(&mut schema);
        }
        schema
    }
}

/// The required format of an answer's text: JSON or plain text, which satisfies the schema if there is one.
pub(super) struct RequiredFormat<'r> {
    pub(super) schema: Option<&'r Value>,
    pub(super) form: SchemaForm,
    /// Whether the schema applies to the text itself, instead of the JSON in it.
    pub(super) is_text: bool,
}

impl<'r> RequestOffer<'r> {
    /// An empty offer of a request whose tool choice has this key.
    pub(super) fn new(choice_key: &'static str) -> Self {
        Self { choice_key, ..Self::default() }
    }

    /// Reads a request; `inherited` are the tools of the thread that it continues, used if it has none of its own.
    pub(super) fn read(route: ModelRoute, request: &'r Value, inherited: Option<&'r Value>, continues: bool) -> Self {
        match route {
            ModelRoute::Gemini(_) => return gemini::read_offer(request),
            ModelRoute::Ollama(_) => return ollama::read_offer(request),
            ModelRoute::Chat | ModelRoute::Responses | ModelRoute::Messages => {}
        }
        let mut tools = Vec::new();
        let own = field(request, "tools");
        collect(own.or(inherited), &mut tools);
        // The predecessor of `tools`.
        collect(field(request, "functions"), &mut tools);
        // The tools of a thread that began elsewhere are not known.
        let more = shows_not_all(request) || (continues && own.or(inherited).is_none());
        let hosted = own.or(inherited).is_some_and(is_hosted);
        let format = format(route, request);
        Self { tools, choice: ToolChoice::read(request), more, hosted, format, ..Self::new("tool_choice") }
    }

    /// The problems of an answer to the request; `rule` is the number of the rule that answers.
    pub(super) fn troubles(&self, answer: &SpokenAnswer, rule: Option<usize>) -> Vec<ModelTrouble> {
        let mut troubles: Vec<ModelTrouble> = answer.calls.iter().filter_map(|call| self.of_call(call)).collect();
        troubles.extend(self.beside(answer));
        troubles.extend(self.without_call(answer).or_else(|| self.of_text(answer)));
        troubles.into_iter().map(|trouble| trouble.of_rule(rule)).collect()
    }

    fn of_call(&self, call: &WantedCall) -> Option<ModelTrouble> {
        let name = &call.name;
        let trouble = |message: String| Some(ModelTrouble::new(TroubleKind::ToolNotOffered, message));
        let key = self.choice_key;
        if self.choice.none {
            return trouble(format!("the script calls `{name}`, but the request has `{key}: none`"));
        }
        let tool = self.tools.iter().find(|tool| tool.name == name);
        if tool.is_none() && !self.more {
            return trouble(format!("the script calls `{name}`, which the request does not offer; {}", self.listed()));
        }
        if let Some(only) = self.choice.only.as_ref().filter(|only| !only.contains(&name.as_str())) {
            let only = listed(only.iter().copied());
            return trouble(format!("the script calls `{name}`, but the request's `{key}` allows only {only}"));
        }
        let tool = tool?;
        let mut schema = tool.form.read(tool.schema?);
        if !tool.strict {
            or_null(&mut schema);
        }
        let misfit = misfit(&schema, &call.args)?;
        let message = format!("the script calls `{name}` with arguments that violate the offered schema: {misfit}");
        Some(ModelTrouble::new(TroubleKind::ArgumentsDoNotFit, message))
    }

    /// Several calls despite `parallel_tool_calls: false` or `disable_parallel_tool_use: true`.
    fn beside(&self, answer: &SpokenAnswer) -> Option<ModelTrouble> {
        let [first, second, ..] = answer.calls.as_slice() else { return None };
        let message = format!(
            "the script calls `{}` together with `{}`, but the request allows one call at a time \
             (`parallel_tool_calls`, `disable_parallel_tool_use`)",
            second.name, first.name
        );
        self.choice.single.then(|| ModelTrouble::new(TroubleKind::ToolNotOffered, message))
    }

    /// No call despite a tool choice that requires one.
    fn without_call(&self, answer: &SpokenAnswer) -> Option<ModelTrouble> {
        let is_answer = answer.calls.is_empty() && !matches!(answer.finish, Finish::Length | Finish::ContentFilter);
        let must_call = self.choice.forced && !self.tools.is_empty() && !self.more && !self.hosted;
        if !is_answer || !must_call {
            return None;
        }
        let which = match &self.choice.only {
            Some(only) => listed(only.iter().copied()),
            None => format!("a tool; {}", self.listed()),
        };
        let key = self.choice_key;
        let message = format!("the script answers with text, but the request's `{key}` requires a call of {which}");
        Some(ModelTrouble::new(TroubleKind::FormatNotMet, message))
    }

    /// Text that violates the required format. Text that accompanies calls, is cut off or is refused is exempt.
    fn of_text(&self, answer: &SpokenAnswer) -> Option<ModelTrouble> {
        let (format, said) = (self.format.as_ref()?, answer.text.as_deref()?);
        if !answer.calls.is_empty() || matches!(answer.finish, Finish::Length | Finish::ContentFilter) {
            return None;
        }
        let value =
            if format.is_text { Ok(Value::String(said.trim().into())) } else { serde_json::from_str::<Value>(said) };
        let why = match value {
            Ok(value) => misfit(&format.form.read(format.schema?), &value)?,
            Err(error) => format!("it is not JSON ({error})"),
        };
        let message = format!("the script answers with text that does not match the requested format: {why}");
        Some(ModelTrouble::new(TroubleKind::FormatNotMet, message))
    }

    fn listed(&self) -> String {
        if self.tools.is_empty() {
            return "it offers no tools".into();
        }
        format!("it offers {}", listed(self.tools.iter().map(|tool| tool.name)))
    }
}

/// A list of names, shortened.
fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = if names.len() > LISTED { ", .." } else { "" };
    let names: Vec<String> = names.take(LISTED).map(|name| format!("`{}`", name.escape_debug())).collect();
    format!("{}{more}", names.join(", "))
}

/// The problem of a script with several calls for a request with `functions`, whose answer has one call.
pub(super) fn beside_function(answer: &SpokenAnswer, wanted: &[ScriptedCall]) -> Option<ModelTrouble> {
    let more = wanted.get(1).filter(|_| answer.form == CallForm::Function)?;
    let message = format!(
        "the script calls `{}` together with `{}`, but an answer to a request with `functions` has one call",
        more.name, wanted[0].name
    );
    Some(ModelTrouble::new(TroubleKind::ToolNotOffered, message))
}

/// Collects tools in the format of any provider: a function inside a tool, a function as a tool, a tool with an
/// `input_schema`, tools inside a namespace.
pub(super) fn collect<'r>(tools: Option<&'r Value>, found: &mut Vec<RequestTool<'r>>) {
    for tool in items(tools) {
        let inner = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(tool);
        if let Some(name) = inner["name"].as_str() {
            let schema = inner.get("parameters").or_else(|| inner.get("input_schema"));
            let strict = inner["strict"].as_bool().unwrap_or_default();
            found.push(RequestTool { name, schema, form: SchemaForm::Json, strict });
        }
        collect(tool.get("tools"), found);
    }
}

/// Whether some tools are not functions of the agent, but run by the provider.
fn is_hosted(tools: &Value) -> bool {
    let kinds = items(Some(tools)).iter().filter_map(|tool| tool["type"].as_str());
    kinds.into_iter().any(|kind| !matches!(kind, "function" | "custom" | "namespace"))
}

/// Whether there may be more tools: from a stored prompt or a tool search.
fn shows_not_all(request: &Value) -> bool {
    let has = |list: &str, kinds: &[&str]| {
        let given = items(field(request, list));
        given.iter().filter_map(|item| item["type"].as_str()).any(|kind| kinds.contains(&kind))
    };
    given(request, "prompt").is_some()
        || has("tools", &["tool_search"])
        || has("input", &["tool_search_output", "additional_tools"])
}

/// The required format of the answer: `response_format` of Chat Completions, `text.format` of Responses,
/// `output_config.format` (formerly `output_format`) of Messages.
fn format(route: ModelRoute, request: &Value) -> Option<RequiredFormat<'_>> {
    let format = match route {
        ModelRoute::Responses => field(request, "text")?.get("format")?,
        ModelRoute::Messages => {
            let config = field(request, "output_config").and_then(|config| config.get("format"));
            config.or_else(|| field(request, "output_format"))?
        }
        // Gemini and Ollama are read in their own folders.
        ModelRoute::Chat | ModelRoute::Gemini(_) | ModelRoute::Ollama(_) => field(request, "response_format")?,
    };
    if format["type"].as_str() != Some("json_schema") {
        return None;
    }
    let schema = format.get("json_schema").unwrap_or(format).get("schema")?;
    Some(RequiredFormat { schema: Some(schema), form: SchemaForm::Json, is_text: false })
}
