//! Reads a request. Sources: Ollama's API reference and `server/routes.go`.

use super::OllamaForm;
use crate::fields::{RequestFields, wrong};
use crate::offer::{RequestOffer, RequiredFormat, SchemaForm, collect};
use crate::{messages, parsed_request::ParsedRequest, refusal::ModelRefusal};
use serde_json::Value;

pub(in super::super) fn read_chat(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let mut parsed = begun(body)?;
    let fields = RequestFields::open(body)?;
    fields.check_tools()?;
    for (at, message) in fields.list("messages")?.iter().enumerate() {
        let content = message.get("content").unwrap_or(&Value::Null);
        if !matches!(content, Value::Null | Value::String(_)) {
            return Err(wrong(&format!("messages[{at}].content"), "a string", content));
        }
        if message["role"].as_str().is_none() {
            let message = "every message needs a `role` that is a string";
            return Err(ModelRefusal::of_part(&format!("messages[{at}].role"), message));
        }
    }
    messages::read(body, &mut parsed);
    Ok(parsed)
}

pub(in super::super) fn read_generate(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let mut parsed = begun(body)?;
    let prompt = RequestFields::open(body)?.text("prompt")?.unwrap_or_default();
    parsed.hear("user", body.get("prompt").unwrap_or(&Value::Null));
    prompt.clone_into(&mut parsed.user);
    Ok(parsed)
}

fn begun(body: &Value) -> Result<ParsedRequest, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let stream = fields.get("stream").is_none() || fields.truth("stream")?;
    Ok(ParsedRequest {
        model: fields.text("model")?.map(str::to_owned),
        stream,
        choices: 1,
        ..ParsedRequest::default()
    })
}

/// Whether a request only loads or unloads a model: it has no messages or prompt.
pub(in super::super) fn loads(form: OllamaForm, body: &Value) -> bool {
    let names_model = body["model"].as_str().is_some_and(|model| !model.is_empty());
    let is_empty = |key: &str| match body.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    };
    names_model
        && match form {
            OllamaForm::Chat => is_empty("messages"),
            OllamaForm::Generate => is_empty("prompt"),
        }
}

/// Reads what a request offers and expects: tools in OpenAI's format, and `format`, which is `json` or a schema. There
/// is no tool choice.
pub(in super::super) fn read_offer(request: &Value) -> RequestOffer<'_> {
    let mut offer = RequestOffer { format: format(request), ..RequestOffer::new("tools") };
    collect(request.get("tools"), &mut offer.tools);
    offer
}

fn format(request: &Value) -> Option<RequiredFormat<'_>> {
    let schema = match request.get("format")? {
        Value::String(name) if name == "json" => None,
        schema @ Value::Object(_) => Some(schema),
        _ => return None,
    };
    Some(RequiredFormat { schema, form: SchemaForm::Json, is_text: false })
}
