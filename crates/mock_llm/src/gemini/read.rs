//! What a request asks.

use super::super::asked::Asked;
use super::super::fields::{Fields, wrong};
use super::super::messages;
use super::super::refusal::Refusal;
use super::{field, generation_config};
use serde_json::Value;

/// The most answers to one request.
const MOST_CANDIDATES: u64 = 8;

/// What a request asks; its path says whether the answer is to be streamed, and the model, which was put into it.
pub(in super::super) fn read(body: &Value, stream: bool) -> Result<Asked, Refusal> {
    let fields = Fields::open(body)?;
    for (at, content) in fields.list("contents")?.iter().enumerate() {
        let parts = content.get("parts").unwrap_or(&Value::Null);
        if !matches!(parts, Value::Null | Value::Array(_)) {
            return Err(wrong(&format!("contents[{at}].parts"), "a list of parts", parts));
        }
    }
    let count = generation_config(body).and_then(|config| field(config, ["candidateCount", "candidate_count"]));
    let choices = count.and_then(Value::as_u64).unwrap_or(1).clamp(1, MOST_CANDIDATES);
    let mut asked = Asked {
        model: fields.text("model")?.map(str::to_owned),
        stream,
        choices: u32::try_from(choices).unwrap_or(1),
        ..Asked::default()
    };
    messages::read(body, &mut asked);
    Ok(asked)
}
