//! `POST /v1/embeddings`: vectors that depend only on the text, so that equal texts have equal vectors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::fields::{RequestFields, missing, wrong};
use crate::{refusal::ModelRefusal, tokens};
use agentci_plan::mix;

/// The default length of a vector.
const DIMENSIONS: u32 = 1536;
/// The maximum length of a vector.
pub(in super::super) const MOST_DIMENSIONS: u32 = 8192;
/// The maximum number of texts in a request.
pub(in super::super) const MOST_INPUTS: usize = 2048;

/// The answer to a request; `model` is the name to report if the request names none.
pub(in super::super) fn answer(body: &Value, model: &str) -> Result<Value, ModelRefusal> {
    let fields = RequestFields::open(body)?;
    let model = fields.text("model")?.unwrap_or(model);
    let dimensions = fields.count("dimensions", 1, MOST_DIMENSIONS)?.unwrap_or(DIMENSIONS);
    let base64 = match fields.text("encoding_format")? {
        None | Some("float") => false,
        Some("base64") => true,
        Some(other) => {
            let message = format!("`encoding_format` must be `float` or `base64`, found `{}`", other.escape_debug());
            return Err(ModelRefusal::of_part("encoding_format", message));
        }
    };
    let inputs = inputs(fields.get("input").ok_or_else(|| missing("input"))?)?;
    let spent: u64 = inputs.iter().map(|input| u64::from(tokens::estimate(input.len()))).sum();
    let embed = |(index, input): (usize, &String)| {
        let vector = vector(input, dimensions);
        let embedding = if base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            Value::String(STANDARD.encode(bytes))
        } else {
            vector.iter().map(|number| Value::from(f64::from(*number))).collect()
        };
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    };
    Ok(json!({
        "object": "list",
        "data": inputs.iter().enumerate().map(embed).collect::<Vec<_>>(),
        "model": model,
        "usage": { "prompt_tokens": spent, "total_tokens": spent },
    }))
}

/// The inputs as strings: one string, a list of strings, a list of tokens, or a list of such lists.
fn inputs(input: &Value) -> Result<Vec<String>, ModelRefusal> {
    let wanted = "a string, a list of strings, or lists of tokens";
    let is_token = |item: &Value| item.as_u64().is_some();
    let inputs = match input {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) if !items.is_empty() && items.iter().all(is_token) => vec![input.to_string()],
        Value::Array(items) => {
            let text = |item: &Value| match item {
                Value::String(text) => Some(text.clone()),
                Value::Array(parts) if parts.iter().all(is_token) => Some(item.to_string()),
                _ => None,
            };
            items.iter().map(text).collect::<Option<Vec<_>>>().ok_or_else(|| wrong("input", wanted, input))?
        }
        other => return Err(wrong("input", wanted, other)),
    };
    if inputs.is_empty() || inputs.len() > MOST_INPUTS {
        let message = format!("`input` must have from 1 to {MOST_INPUTS} items, found {}", inputs.len());
        return Err(ModelRefusal::of_part("input", message));
    }
    Ok(inputs)
}

/// A unit vector.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "any 24 bits make a good number")]
pub(in super::super) fn vector(text: &str, dimensions: u32) -> Vec<f32> {
    let mut state = text.bytes().fold(0, |state, byte| mix(state ^ u64::from(byte)));
    let mut numbers: Vec<f64> = Vec::new();
    for _ in 0..dimensions {
        state = mix(state);
        numbers.push((state >> 40) as f64 / (1_u64 << 23) as f64 - 1.0);
    }
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    numbers.iter().map(|number| (number / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_unit_vectors() {
        let vectors = [vector("a", 64), vector("a", 64), vector("b", 64)];
        assert_eq!(vectors[0], vectors[1]);
        assert_ne!(vectors[0], vectors[2]);
        let length: f32 = vectors[0].iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-4, "{length}");
    }

    #[test]
    fn float_and_base64_encodings_agree() {
        let answer = |format: &str| {
            let body = json!({ "input": ["a", [1, 2]], "dimensions": 3, "encoding_format": format }).to_string();
            answer(&serde_json::from_str(&body).unwrap(), "m").unwrap()
        };
        let (floats, packed) = (answer("float"), answer("base64"));
        let bytes = STANDARD.decode(packed["data"][0]["embedding"].as_str().unwrap()).unwrap();
        let unpacked: Vec<f64> =
            bytes.chunks_exact(4).map(|four| f64::from(f32::from_le_bytes(four.try_into().unwrap()))).collect();
        let plain: Vec<f64> =
            floats["data"][0]["embedding"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
        assert_eq!(unpacked, plain);
        assert_eq!(floats["data"][1]["index"], 1);
    }
}
