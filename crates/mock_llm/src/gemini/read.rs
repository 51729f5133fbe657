//! Reads a request.

use super::{field, generation_config};
use crate::fields::{RequestFields, items, wrong};
use crate::offer::{RequestOffer, RequestTool, RequiredFormat, SchemaForm};
use crate::{choice::ToolChoice, messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde_json::Value;

/// The maximum number of answers to a request.
const MOST_CANDIDATES: u64 = 8;

/// Reads a request. `stream` comes from its path, and so does the model, which was added to the body.
pub(in super::super) fn read(body: &Value, stream: bool) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    for (at, content) in fields.list("contents")?.iter().enumerate() {
        let parts = content.get("parts").unwrap_or(&Value::Null);
        if !matches!(parts, Value::Null | Value::Array(_)) {
            return Err(wrong(&format!("contents[{at}].parts"), "a list of parts", parts));
        }
    }
    let count = generation_config(body).and_then(|config| field(config, ["candidateCount", "candidate_count"]));
    let choices = count.and_then(Value::as_u64).unwrap_or(1).clamp(1, MOST_CANDIDATES);
    let mut parsed = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream,
        choices: u32::try_from(choices).unwrap_or(1),
        ..ParsedRequest::default()
    };
    messages::read(body, &mut parsed);
    Ok(parsed)
}

/// Reads what a request offers and expects: function declarations, `functionCallingConfig`, and the format of the
/// answer.
pub(in super::super) fn read_offer(request: &Value) -> RequestOffer<'_> {
    let mut offer =
        RequestOffer { choice: choice(request), format: format(request), ..RequestOffer::new("functionCallingConfig") };
    for tool in items(request.get("tools")) {
        let declared = field(tool, ["functionDeclarations", "function_declarations"]);
        offer.tools.extend(items(declared).iter().filter_map(declaration));
        // Web search, code execution and other tools that Google runs.
        let Value::Object(pairs) = tool else { continue };
        offer.hosted |=
            pairs.iter().any(|(key, _)| !matches!(&**key, "functionDeclarations" | "function_declarations"));
    }
    // Cached content may include tools.
    offer.more = field(request, ["cachedContent", "cached_content"]).is_some();
    offer
}

fn declaration(function: &Value) -> Option<RequestTool<'_>> {
    let name = function["name"].as_str()?;
    let plain = field(function, ["parametersJsonSchema", "parameters_json_schema"]);
    let form = if plain.is_some() { SchemaForm::Json } else { SchemaForm::Google };
    let schema = plain.or_else(|| field(function, ["parameters", "parameters"]));
    Some(RequestTool { name, schema, form, strict: false })
}

/// `AUTO` leaves the choice to the model, `ANY` requires a call, `NONE` forbids calls; `VALIDATED` is `AUTO` with valid
/// arguments.
fn choice(request: &Value) -> ToolChoice<'_> {
    let config = field(request, ["toolConfig", "tool_config"])
        .and_then(|config| field(config, ["functionCallingConfig", "function_calling_config"]));
    let Some(config) = config else { return ToolChoice::default() };
    let allowed = field(config, ["allowedFunctionNames", "allowed_function_names"]).and_then(Value::as_array);
    let only = allowed.map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    let only = only.filter(|only| !only.is_empty());
    let mode = config["mode"].as_str().unwrap_or_default().to_ascii_uppercase();
    ToolChoice { none: mode == "NONE", forced: mode == "ANY", only, ..ToolChoice::default() }
}

fn format(request: &Value) -> Option<RequiredFormat<'_>> {
    let config = generation_config(request)?;
    let mime = field(config, ["responseMimeType", "response_mime_type"]).and_then(Value::as_str);
    let plain = field(config, ["responseJsonSchema", "response_json_schema"]);
    let plain = plain.or_else(|| config.get("_responseJsonSchema"));
    let form = if plain.is_some() { SchemaForm::Json } else { SchemaForm::Google };
    let schema = plain.or_else(|| field(config, ["responseSchema", "response_schema"]));
    let is_json = mime == Some("application/json");
    let is_enum = mime == Some("text/x.enum");
    (is_json || schema.is_some()).then_some(RequiredFormat { schema, form, is_text: is_enum })
}
