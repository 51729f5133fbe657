//! Reading the fields of a request, wrong types refused with the name of the field.

use super::json::Json;
use super::refusal::Refusal;

/// The fields of a request.
pub(super) struct Fields<'f>(&'f Json<'f>);

impl<'f> Fields<'f> {
    pub(super) fn open(body: &'f Json<'f>) -> Result<Self, Refusal> {
        match body {
            Json::Object(_) => Ok(Self(body)),
            other @ (Json::Null | Json::Truth(_) | Json::Number(_) | Json::Text(_) | Json::List(_)) => {
                Err(Refusal::new(400, format!("the request must be a JSON object, found {}", describe(other))))
            }
        }
    }

    /// A field that may be absent; null counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'f Json<'f>> {
        self.0.get(name).filter(|value| **value != Json::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'f str>, Refusal> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a string", other)),
        }
    }

    pub(super) fn truth(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None => Ok(false),
            Some(Json::Truth(truth)) => Ok(*truth),
            Some(other) => Err(wrong(name, "true or false", other)),
        }
    }

    /// A whole number in a range.
    pub(super) fn count(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
        match count.filter(|count| (least..=most).contains(count)) {
            Some(count) => Ok(Some(count)),
            None => Err(wrong(name, &format!("a whole number from {least} to {most}"), value)),
        }
    }

    /// A list that must be there and hold something.
    pub(super) fn list(&self, name: &str) -> Result<&'f [Json<'f>], Refusal> {
        match self.get(name) {
            Some(Json::List(items)) if !items.is_empty() => Ok(items),
            Some(Json::List(_)) => Err(Refusal::of_part(name, format!("`{name}` must not be empty"))),
            Some(other) => Err(wrong(name, "a list", other)),
            None => Err(missing(name)),
        }
    }
}

pub(super) fn missing(name: &str) -> Refusal {
    Refusal::of_part(name, format!("missing required parameter: `{name}`")).code("missing_required_parameter")
}

pub(super) fn wrong(name: &str, wanted: &str, found: &Json<'_>) -> Refusal {
    Refusal::of_part(name, format!("`{name}` must be {wanted}, found {}", describe(found))).code("invalid_type")
}

fn describe(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Truth(truth) => truth.to_string(),
        Json::Number(number) => format!("the number {number}"),
        Json::Text(_) => "a string".into(),
        Json::List(_) => "a list".into(),
        Json::Object(_) => "an object".into(),
    }
}
