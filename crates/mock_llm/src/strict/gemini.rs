//! Gemini, with its wording.

use super::{refuse, tools};
use crate::{fields::items, gemini::field, refusal::ModelRefusal};
use serde_json::Value;

/// The maximum length of a function name.
const LONGEST_NAME: usize = 64;

pub(in super::super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    let contents = items(request.get("contents"));
    // Quoted in langchain-ai/langchain-google#1393 and vercel/ai#3775.
    if contents.is_empty() {
        return refuse("* GenerateContentRequest.contents: contents is not specified");
    }
    names(request)?;
    answered(contents)
}

/// Checks function names. Quoted in google-gemini/gemini-cli#7869 and, since colons are allowed,
/// AstrBotDevs/AstrBot#5416.
fn names(request: &Value) -> Result<(), ModelRefusal> {
    for (at, tool) in tools(request) {
        let declared = field(tool, ["functionDeclarations", "function_declarations"]).and_then(Value::as_array);
        for (number, function) in declared.into_iter().flatten().enumerate() {
            let name = function["name"].as_str().unwrap_or_default();
            let begins = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
            let may_be = |it: char| it.is_ascii_alphanumeric() || "_.:-".contains(it);
            if !begins || name.len() > LONGEST_NAME || !name.chars().all(may_be) {
                let place = format!("GenerateContentRequest.tools[{at}].function_declarations[{number}].name");
                return refuse(format!(
                    "* {place}: Invalid function name. Must start with a letter or an underscore. Must be alphameric \
                     (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of {LONGEST_NAME}."
                ));
            }
        }
    }
    Ok(())
}

/// Checks that there are as many results as calls. Quoted in google-gemini/gemini-cli#5443 and #7410. Consecutive
/// contents of one role are one turn.
fn answered(contents: &[Value]) -> Result<(), ModelRefusal> {
    let is_model = |content: &Value| content["role"].as_str() == Some("model");
    let turns: Vec<&[Value]> = contents.chunk_by(|one, next| is_model(one) == is_model(next)).collect();
    for pair in turns.windows(2) {
        let [called, gave] = pair else { continue };
        let calls = count(called, ["functionCall", "function_call"]);
        let results = count(gave, ["functionResponse", "function_response"]);
        if calls > 0 && calls != results && called.first().is_some_and(is_model) {
            return refuse(
                "Please ensure that the number of function response parts is equal to the number of function call \
                           parts of the function call turn.",
            );
        }
    }
    Ok(())
}

fn count(contents: &[Value], key: [&str; 2]) -> usize {
    let parts = contents.iter().filter_map(|content| content.get("parts").and_then(Value::as_array)).flatten();
    parts.filter(|part| field(part, key).is_some()).count()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(request: &Value) -> String {
        check(request).map_or_else(|refusal| refusal.message, |()| String::new())
    }

    fn call() -> Value {
        json!({ "functionCall": { "name": "find", "args": {} } })
    }

    fn result() -> Value {
        json!({ "functionResponse": { "name": "find", "response": {} } })
    }

    #[test]
    fn result_count_must_equal_call_count() {
        let said = |after: &[Value]| {
            let mut contents = vec![
                json!({ "role": "user", "parts": [{ "text": "hi" }] }),
                json!({ "role": "model", "parts": [{ "text": "well" }, call(), call()] }),
            ];
            contents.extend(after.iter().cloned());
            refused(&json!({ "contents": contents }))
        };
        let user = |parts: Value| json!({ "role": "user", "parts": parts });
        assert_eq!(said(&[user(json!([result(), result()]))]), "");
        assert_eq!(said(&[json!({ "role": "function", "parts": [result()] }), user(json!([result()]))]), "");
        assert_eq!(said(&[]), "");
        assert!(said(&[user(json!([result()]))]).contains("number of function response parts"));
        assert!(said(&[user(json!([{ "text": "never mind" }]))]).contains("number of function response parts"));
    }

    #[test]
    fn refuses_invalid_function_names() {
        let named = |name: &str| {
            let tools = json!([{ "functionDeclarations": [{ "name": "fine_1" }, { "name": name }] }]);
            refused(&json!({ "contents": [{ "parts": [] }], "tools": tools }))
        };
        for fine in ["a", "_a.b-c:d", &"a".repeat(64)] {
            assert_eq!(named(fine), "", "{fine}");
        }
        for wrong in ["", "1a", "a b", "a/b", &"a".repeat(65)] {
            assert!(named(wrong).contains("function_declarations[1].name: Invalid function name"), "{wrong}");
        }
        assert!(refused(&json!({})).contains("contents is not specified"));
    }
}
