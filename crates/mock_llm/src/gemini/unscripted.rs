//! Answers that do not come from the script: `countTokens`, `embedContent`, `batchEmbedContents`, and models.

use serde_json::{Value, json};

use super::{UnscriptedGemini, field};
use crate::fields::{RequestFields, missing};
use crate::openai::embeddings::{MOST_DIMENSIONS, MOST_INPUTS, vector};
use crate::{parsed_request::text, refusal::ModelRefusal, tokens};

/// The default length of a vector.
const DIMENSIONS: u32 = 3072;

pub(in super::super) fn answer(method: UnscriptedGemini, request: &Value, bytes: usize) -> Result<Value, ModelRefusal> {
    match method {
        UnscriptedGemini::CountTokens => {
            let count = tokens::estimate(bytes);
            Ok(json!({ "totalTokens": count, "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": count }] }))
        }
        UnscriptedGemini::Embed => Ok(json!({ "embedding": embedding(request)? })),
        UnscriptedGemini::EmbedBatch => {
            let requests = RequestFields::open(request)?.list("requests")?;
            if requests.len() > MOST_INPUTS {
                let message = format!("at most {MOST_INPUTS} requests can be in one batch, found {}", requests.len());
                return Err(ModelRefusal::of_part("requests", message));
            }
            let embeddings = requests.iter().map(embedding).collect::<Result<Vec<_>, _>>()?;
            Ok(json!({ "embeddings": embeddings }))
        }
    }
}

fn embedding(request: &Value) -> Result<Value, ModelRefusal> {
    let fields = RequestFields::open(request)?;
    let content = fields.get("content").ok_or_else(|| missing("content"))?;
    let said = text(content.get("parts").unwrap_or(&Value::Null));
    let config = field(request, ["embedContentConfig", "embed_content_config"]).unwrap_or(request);
    let wanted = field(config, ["outputDimensionality", "output_dimensionality"])
        .or_else(|| field(request, ["outputDimensionality", "output_dimensionality"]));
    let dimensions = match wanted.and_then(Value::as_u64) {
        None => DIMENSIONS,
        Some(wanted) => {
            u32::try_from(wanted).ok().filter(|it| (1..=MOST_DIMENSIONS).contains(it)).ok_or_else(|| {
                let message = format!("`outputDimensionality` must be from 1 to {MOST_DIMENSIONS}, found {wanted}");
                ModelRefusal::of_part("outputDimensionality", message)
            })?
        }
    };
    let values: Vec<f64> = vector(&said, dimensions).into_iter().map(f64::from).collect();
    Ok(json!({ "values": values }))
}

/// An entry of the list of models.
pub(in super::super) fn model(name: &str) -> Value {
    json!({
        "name": format!("models/{name}"),
        "version": "001",
        "displayName": name,
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", "countTokens", "embedContent", "batchEmbedContents"],
    })
}
