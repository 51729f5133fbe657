//! `GET /v1/models` and `GET /v1/models/{id}`, in the format of each provider.

use serde_json::{Value, json};

use crate::{gemini, provider::Provider, refusal::ModelRefusal};

/// The creation time of all models, as Unix time in seconds; fixed, so that answers do not differ.
const CREATED: u64 = 1_735_689_600;
const CREATED_AT: &str = "2025-01-01T00:00:00Z";

pub(in super::super) fn list(models: &[&str], provider: Provider) -> Value {
    let data: Vec<Value> = models.iter().map(|name| model(name, provider)).collect();
    match provider {
        Provider::OpenAi | Provider::Azure | Provider::Ollama => json!({ "object": "list", "data": data }),
        Provider::Gemini => json!({ "models": data }),
        Provider::Anthropic => {
            json!({ "data": data, "has_more": false, "first_id": models.first(), "last_id": models.last() })
        }
    }
}

pub(in super::super) fn one(models: &[&str], name: &str, provider: Provider) -> Result<Value, ModelRefusal> {
    // Gemini's names have this prefix.
    let name = name.strip_prefix("models/").unwrap_or(name);
    if models.contains(&name) {
        return Ok(model(name, provider));
    }
    let message = format!("the model `{}` does not exist; the script has {}", name.escape_debug(), models.join(", "));
    Err(ModelRefusal { param: Some("model".into()), ..ModelRefusal::new(404, message).code("model_not_found") })
}

fn model(name: &str, provider: Provider) -> Value {
    match provider {
        Provider::Gemini => gemini::unscripted::model(name),
        Provider::OpenAi | Provider::Azure | Provider::Ollama => {
            json!({ "id": name, "object": "model", "created": CREATED, "owned_by": "agentci" })
        }
        Provider::Anthropic => {
            json!({ "type": "model", "id": name, "display_name": name, "created_at": CREATED_AT })
        }
    }
}
