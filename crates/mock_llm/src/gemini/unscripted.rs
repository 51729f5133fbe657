//! What is answered without the script: `countTokens`, `embedContent`, `batchEmbedContents`, and the list of models.

use serde_json::{Value, json};

use super::{Verb, field};
use crate::fields::{RequestFields, missing};
use crate::openai::embeddings::{MOST_DIMENSIONS, MOST_INPUTS, vector};
use crate::{parsed_request::text, refusal::ModelRefusal, tokens};

/// How long a vector is when the request does not say.
const DIMENSIONS: u32 = 3072;

/// What is answered to a request of so many bytes.
pub(in super::super) fn answer(verb: Verb, request: &Value, bytes: usize) -> Result<Value, ModelRefusal> {
    match verb {
        Verb::CountTokens => {
            let count = tokens::estimate(bytes);
            Ok(json!({ "totalTokens": count, "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": count }] }))
        }
        Verb::Embed => Ok(json!({ "embedding": embedding(request)? })),
        Verb::EmbedBatch => {
            let requests = RequestFields::open(request)?.list("requests")?;
            if requests.len() > MOST_INPUTS {
                let message = format!("at most {MOST_INPUTS} requests can be in one batch, found {}", requests.len());
                return Err(ModelRefusal::of_part("requests", message));
            }
            let embeddings = requests.iter().map(embedding).collect::<Result<Vec<_>, _>>()?;
            Ok(json!({ "embeddings": embeddings }))
        }
        // The script answers these.
        Verb::Generate | Verb::Stream { .. } => {
            Err(ModelRefusal::new(404, "nothing is answered here without the script"))
        }
    }
}

/// The vector of one request.
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

/// A model, as the list of models has it.
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
