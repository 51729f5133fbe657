//! What a request asks.

use super::{field, generation_config};
use crate::fields::{RequestFields, items, wrong};
use crate::offer::{RequestOffer, RequestTool, RequiredFormat, SchemaForm};
use crate::{choice::ToolChoice, messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde_json::Value;

/// The most answers to one request.
const MOST_CANDIDATES: u64 = 8;

/// What a request asks; its path says whether the answer is to be streamed, and the model, which was put into it.
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
    let mut asked = ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream,
        choices: u32::try_from(choices).unwrap_or(1),
        ..ParsedRequest::default()
    };
    messages::read(body, &mut asked);
    Ok(asked)
}

/// What a request offers and asks for: functions that are declared, `functionCallingConfig`, and the format of the answer.
pub(in super::super) fn read_offer(request: &Value) -> RequestOffer<'_> {
    let mut offer =
        RequestOffer { choice: choice(request), format: format(request), ..RequestOffer::new("functionCallingConfig") };
    for tool in items(request.get("tools")) {
        let declared = field(tool, ["functionDeclarations", "function_declarations"]);
        offer.tools.extend(items(declared).iter().filter_map(declaration));
        // A search of the web, code that Google runs, and so on.
        let Value::Object(pairs) = tool else { continue };
        offer.hosted |=
            pairs.iter().any(|(key, _)| !matches!(&**key, "functionDeclarations" | "function_declarations"));
    }
    // What was put into a cache may hold tools.
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

/// `AUTO` leaves it to the model, `ANY` wants a call, `NONE` none; `VALIDATED` is `AUTO` with arguments that fit.
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
