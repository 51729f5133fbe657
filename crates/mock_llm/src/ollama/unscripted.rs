//! Answers that do not come from the script: the list of models, their details, embeddings, and loading a model.

use serde_json::{Value, json};

use super::{OllamaForm, OllamaState, UnscriptedOllama, moment};
use crate::fields::{RequestFields, missing, wrong};
use crate::openai::embeddings::{MOST_DIMENSIONS, MOST_INPUTS, vector};
use crate::{refusal::ModelRefusal, tokens};

/// The version to report.
const VERSION: &str = "0.12.6";
/// The modification time of all models.
const MODIFIED: &str = "2025-01-01T00:00:00Z";
/// The default length of a vector.
const DIMENSIONS: u32 = 768;

/// The answer to a request without a body.
pub(in super::super) fn state(state: OllamaState, models: &[&str]) -> Value {
    match state {
        OllamaState::Tags => json!({ "models": models.iter().map(|name| model(name)).collect::<Vec<_>>() }),
        OllamaState::Running => json!({ "models": [] }),
        OllamaState::Version => json!({ "version": VERSION }),
    }
}

pub(in super::super) fn answer(
    endpoint: UnscriptedOllama,
    request: &Value,
    bytes: usize,
) -> Result<Value, ModelRefusal> {
    let fields = RequestFields::open(request)?;
    match endpoint {
        UnscriptedOllama::Show => Ok(shown()),
        UnscriptedOllama::Pull => Ok(json!({ "status": "success" })),
        UnscriptedOllama::Embed => {
            let inputs = inputs(fields.get("input").ok_or_else(|| missing("input"))?)?;
            let dimensions = fields.count("dimensions", 1, MOST_DIMENSIONS)?.unwrap_or(DIMENSIONS);
            let embeddings: Vec<Vec<f64>> = inputs.iter().map(|input| embedding(input, dimensions)).collect();
            Ok(json!({
                "model": fields.text("model")?,
                "embeddings": embeddings,
                "total_duration": 4_000_000,
                "load_duration": 1_000_000,
                "prompt_eval_count": tokens::estimate(bytes),
            }))
        }
        UnscriptedOllama::Embedding => {
            Ok(json!({ "embedding": embedding(fields.text("prompt")?.unwrap_or_default(), DIMENSIONS) }))
        }
    }
}

/// The answer to a request that only loads or unloads a model.
pub(in super::super) fn loaded(form: OllamaForm, request: &Value, unix: u64) -> Value {
    let unloads = request.get("keep_alive").is_some_and(|time| matches!(&*time.to_string(), "0" | "\"0\"" | "\"0s\""));
    let mut answer = json!({
        "model": request["model"].as_str(),
        "created_at": moment(unix),
        "done": true,
        "done_reason": if unloads { "unload" } else { "load" },
    });
    match form {
        OllamaForm::Chat => answer["message"] = json!({ "role": "assistant", "content": "" }),
        OllamaForm::Generate => answer["response"] = json!(""),
    }
    answer
}

fn model(name: &str) -> Value {
    json!({
        "name": name,
        "model": name,
        "modified_at": MODIFIED,
        "size": 1_000_000_000,
        "digest": "0".repeat(64),
        "details": details(),
    })
}

fn details() -> Value {
    json!({
        "parent_model": "",
        "format": "gguf",
        "family": "agentci",
        "families": ["agentci"],
        "parameter_size": "1B",
        "quantization_level": "Q4_K_M",
    })
}

fn shown() -> Value {
    json!({
        "modelfile": "FROM agentci",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": details(),
        "model_info": { "general.architecture": "agentci", "agentci.context_length": 131_072 },
        "capabilities": ["completion", "tools"],
        "modified_at": MODIFIED,
    })
}

fn embedding(text: &str, dimensions: u32) -> Vec<f64> {
    vector(text, dimensions).into_iter().map(f64::from).collect()
}

/// One string, or a list of strings.
fn inputs(input: &Value) -> Result<Vec<String>, ModelRefusal> {
    let texts = match input {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    };
    let texts = texts.ok_or_else(|| wrong("input", "a string or a list of strings", input))?;
    if texts.len() > MOST_INPUTS {
        let message = format!("`input` must have at most {MOST_INPUTS} items, found {}", texts.len());
        return Err(ModelRefusal::of_part("input", message));
    }
    Ok(texts)
}
