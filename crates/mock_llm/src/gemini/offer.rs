//! What a request offers and asks for: functions that are declared, `functionCallingConfig`, and the format of the answer.

use super::super::choice::Choice;
use super::super::offer::{Format, Offer, SchemaForm, Tool};
use super::{field, generation_config};
use crate::fields::items;
use serde_json::Value;

/// Reads a request.
pub(in super::super) fn read<'r>(request: &'r Value) -> Offer<'r> {
    let mut offer = Offer { choice: choice(request), format: format(request), ..Offer::new("functionCallingConfig") };
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

fn declaration<'r>(function: &'r Value) -> Option<Tool<'r>> {
    let name = function["name"].as_str()?;
    let plain = field(function, ["parametersJsonSchema", "parameters_json_schema"]);
    let form = if plain.is_some() { SchemaForm::Json } else { SchemaForm::Google };
    let schema = plain.or_else(|| field(function, ["parameters", "parameters"]));
    Some(Tool { name, schema, form, strict: false })
}

/// `AUTO` leaves it to the model, `ANY` wants a call, `NONE` none; `VALIDATED` is `AUTO` with arguments that fit.
fn choice<'r>(request: &'r Value) -> Choice<'r> {
    let config = field(request, ["toolConfig", "tool_config"])
        .and_then(|config| field(config, ["functionCallingConfig", "function_calling_config"]));
    let Some(config) = config else { return Choice::default() };
    let allowed = field(config, ["allowedFunctionNames", "allowed_function_names"]).and_then(Value::as_array);
    let only = allowed.map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    let only = only.filter(|only| !only.is_empty());
    let mode = config["mode"].as_str().unwrap_or_default().to_ascii_uppercase();
    Choice { none: mode == "NONE", forced: mode == "ANY", only, ..Choice::default() }
}

fn format<'r>(request: &'r Value) -> Option<Format<'r>> {
    let config = generation_config(request)?;
    let mime = field(config, ["responseMimeType", "response_mime_type"]).and_then(Value::as_str);
    let plain = field(config, ["responseJsonSchema", "response_json_schema"]);
    let plain = plain.or_else(|| config.get("_responseJsonSchema"));
    let form = if plain.is_some() { SchemaForm::Json } else { SchemaForm::Google };
    let schema = plain.or_else(|| field(config, ["responseSchema", "response_schema"]));
    let is_json = mime == Some("application/json");
    let is_enum = mime == Some("text/x.enum");
    (is_json || schema.is_some()).then_some(Format { schema, form, is_text: is_enum })
}
