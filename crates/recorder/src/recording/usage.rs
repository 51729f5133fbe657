//! How many tokens an answer of a model says that it took.

use serde_json::Value;

use super::clean::values_of;
use crate::Response;

/// Names of the tokens that went in, by API.
const INPUT: [&str; 5] = ["prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"];
/// Names of the tokens that came out.
const OUTPUT: [&str; 5] = ["completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "eval_count"];

/// Tokens in and out, if an answer tells any. The last count of a stream is the one that holds.
pub(super) fn usage(response: &Response) -> Option<(u64, u64)> {
    let mut found = (None, None);
    for value in values_of(response) {
        find(&value, &mut found);
    }
    match found {
        (None, None) => None,
        (input, output) => Some((input.unwrap_or_default(), output.unwrap_or_default())),
    }
}

fn find(value: &Value, found: &mut (Option<u64>, Option<u64>)) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value.as_u64() {
                    Some(count) if INPUT.contains(&key.as_str()) => found.0 = Some(count),
                    Some(count) if OUTPUT.contains(&key.as_str()) => found.1 = Some(count),
                    Some(_) => {}
                    None => find(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, found)),
        _ => {}
    }
}
