//! What a request offers and asks for, held against what the script answers: a model calls tools that were offered, with arguments
//! that fit, and keeps to the format that was asked for. A script that does not is out of step with the agent.

use crate::fields::{field, given, items};
use agentci_plan::{Finish, ScriptedCall};
use agentci_trace::{ModelTrouble, TroubleKind};
use serde_json::Value;

use super::answer::{CallForm, SpokenAnswer, WantedCall};
use super::schema::{misfit, or_null};
use super::{choice::ToolChoice, gemini, ollama, routes::Route};

/// How many offered tools are listed.
const LISTED: usize = 12;

/// What a request offers and asks for.
#[derive(Default)]
pub(super) struct RequestOffer<'r> {
    pub(super) tools: Vec<RequestTool<'r>>,
    /// Which of them may be called, and whether one must be.
    pub(super) choice: ToolChoice<'r>,
    /// What says so in the request.
    pub(super) choice_key: &'static str,
    /// Whether there may be tools that the request does not show.
    pub(super) more: bool,
    /// Whether the provider runs some of them itself: such a call comes with the answer, whatever that is.
    pub(super) hosted: bool,
    /// What the text must be.
    pub(super) format: Option<RequiredFormat<'r>>,
}

/// A tool that a request offers.
pub(super) struct RequestTool<'r> {
    pub(super) name: &'r str,
    /// The schema of its arguments.
    pub(super) schema: Option<&'r Value>,
    pub(super) form: SchemaForm,
    /// Whether its schema is strict.
    pub(super) strict: bool,
}

/// How a schema is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaForm {
    Json,
    Google,
}

impl SchemaForm {
    /// The schema as JSON Schema.
    fn read(self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        if self == SchemaForm::Google {
            gemini::as_json_schema(&mut schema);
            or_null(&mut schema);
        }
        schema
    }
}

/// What the text of an answer must be: JSON, or a text, that satisfies a schema if there is one.
pub(super) struct RequiredFormat<'r> {
    pub(super) schema: Option<&'r Value>,
    pub(super) form: SchemaForm,
    /// Whether the schema is that of the text itself.
    pub(super) is_text: bool,
}

impl<'r> RequestOffer<'r> {
    /// An offer of nothing, in a request that leaves a choice by this name.
    pub(super) fn new(choice_key: &'static str) -> Self {
        Self { choice_key, ..Self::default() }
    }

    /// Reads a request, and the tools of the thread that it goes on with, where it has none of its own.
    pub(super) fn read(route: &Route, request: &'r Value, inherited: Option<&'r Value>, continues: bool) -> Self {
        match route {
            Route::Gemini(_) => return gemini::read_offer(request),
            Route::Ollama(_) => return ollama::read_offer(request),
            _ => {}
        }
        let mut tools = Vec::new();
        let own = field(request, "tools");
        collect(own.or(inherited), &mut tools);
        // What functions were called before they were tools.
        collect(field(request, "functions"), &mut tools);
        // A thread that began elsewhere has tools that are not known.
        let more = shows_not_all(request) || (continues && own.or(inherited).is_none());
        let hosted = own.or(inherited).is_some_and(is_hosted);
        let format = format(route, request);
        Self { tools, choice: ToolChoice::read(request), more, hosted, format, ..Self::new("tool_choice") }
    }

    /// What is wrong with an answer to the request, which the rule with this number gives.
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
            return trouble(format!("the script calls `{name}`, and the request says `{key}: none`"));
        }
        let tool = self.tools.iter().find(|tool| tool.name == name);
        if tool.is_none() && !self.more {
            return trouble(format!("the script calls `{name}`, which the request does not offer; {}", self.listed()));
        }
        if let Some(only) = self.choice.only.as_ref().filter(|only| !only.contains(&name.as_str())) {
            let only = listed(only.iter().copied());
            return trouble(format!("the script calls `{name}`, and the request's `{key}` allows only {only}"));
        }
        let tool = tool?;
        let mut schema = tool.form.read(tool.schema?);
        if !tool.strict {
            or_null(&mut schema);
        }
        let misfit = misfit(&schema, &call.args)?;
        let message = format!("the script calls `{name}` with arguments that the offered schema refuses: {misfit}");
        Some(ModelTrouble::new(TroubleKind::ArgumentsDoNotFit, message))
    }

    /// Several calls in spite of `parallel_tool_calls: false` or `disable_parallel_tool_use: true`.
    fn beside(&self, answer: &SpokenAnswer) -> Option<ModelTrouble> {
        let [first, second, ..] = answer.calls.as_slice() else { return None };
        let message = format!(
            "the script calls `{}` beside `{}`, and the request allows one call at a time (`parallel_tool_calls`, \
             `disable_parallel_tool_use`)",
            second.name, first.name
        );
        self.choice.single.then(|| ModelTrouble::new(TroubleKind::ToolNotOffered, message))
    }

    /// No call in spite of a choice that asks for one.
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
        let message = format!("the script answers with text, and the request's `{key}` asks for a call of {which}");
        Some(ModelTrouble::new(TroubleKind::FormatNotMet, message))
    }

    /// A text beside calls is not the answer yet, and one that is cut off or refused is none.
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
        let message =
            format!("the script answers with text that is not of the format that the request asks for: {why}");
        Some(ModelTrouble::new(TroubleKind::FormatNotMet, message))
    }

    fn listed(&self) -> String {
        if self.tools.is_empty() {
            return "it offers no tools".into();
        }
        format!("it offers {}", listed(self.tools.iter().map(|tool| tool.name)))
    }
}

/// Names, as far as they are shown.
fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = if names.len() > LISTED { ", .." } else { "" };
    let names: Vec<String> = names.take(LISTED).map(|name| format!("`{}`", name.escape_debug())).collect();
    format!("{}{more}", names.join(", "))
}

/// What is wrong with an answer that calls a function, where the script wants more calls: a request with `functions` gets one.
pub(super) fn beside_function(answer: &SpokenAnswer, wanted: &[ScriptedCall]) -> Option<ModelTrouble> {
    let more = wanted.get(1).filter(|_| answer.form == CallForm::Function)?;
    let message = format!(
        "the script calls `{}` beside `{}`, and an answer to a request with `functions` has one call",
        more.name, wanted[0].name
    );
    Some(ModelTrouble::new(TroubleKind::ToolNotOffered, message))
}

/// Tools as each provider writes them: a function inside a tool, a function that is a tool, a tool with an `input_schema`, tools
/// within a namespace.
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

/// Whether some tools are not functions of the agent.
fn is_hosted(tools: &Value) -> bool {
    let kinds = items(Some(tools)).iter().filter_map(|tool| tool["type"].as_str());
    kinds.into_iter().any(|kind| !matches!(kind, "function" | "custom" | "namespace"))
}

/// Whether tools may come from elsewhere: from a stored prompt, or found by a search of tools.
fn shows_not_all(request: &Value) -> bool {
    let has = |list: &str, kinds: &[&str]| {
        let given = items(field(request, list));
        given.iter().filter_map(|item| item["type"].as_str()).any(|kind| kinds.contains(&kind))
    };
    given(request, "prompt").is_some()
        || has("tools", &["tool_search"])
        || has("input", &["tool_search_output", "additional_tools"])
}

/// The format that the answer must have: `response_format` of Chat Completions, `text.format` of Responses, `output_config.format`
/// (`output_format` before) of Messages.
fn format<'r>(route: &Route, request: &'r Value) -> Option<RequiredFormat<'r>> {
    let format = match route {
        Route::Responses => field(request, "text")?.get("format")?,
        Route::Messages => {
            let config = field(request, "output_config").and_then(|config| config.get("format"));
            config.or_else(|| field(request, "output_format"))?
        }
        // These are read in the folders of their providers.
        _ => field(request, "response_format")?,
    };
    if format["type"].as_str() != Some("json_schema") {
        return None;
    }
    let schema = format.get("json_schema").unwrap_or(format).get("schema")?;
    Some(RequiredFormat { schema: Some(schema), form: SchemaForm::Json, is_text: false })
}
