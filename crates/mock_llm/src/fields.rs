//! Reads the fields of a request. A wrong type is refused with the name of the field.

use super::refusal::ModelRefusal;
use serde_json::Value;

pub(super) struct RequestFields<'f>(&'f Value);

impl<'f> RequestFields<'f> {
    pub(super) fn open(body: &'f Value) -> Result<Self, ModelRefusal> {
        match body {
            Value::Object(_) => Ok(Self(body)),
            other => {
                Err(ModelRefusal::new(400, format!("the request must be a JSON object, found {}", describe(other))))
            }
        }
    }

    /// An optional field; null counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'f Value> {
        given(self.0, name)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'f str>, ModelRefusal> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a string", other)),
        }
    }

    pub(super) fn truth(&self, name: &str) -> Result<bool, ModelRefusal> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(truth)) => Ok(*truth),
            Some(other) => Err(wrong(name, "a boolean", other)),
        }
    }

    /// An optional integer in a range.
    pub(super) fn count(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>, ModelRefusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
        match count.filter(|count| (least..=most).contains(count)) {
            Some(count) => Ok(Some(count)),
            None => Err(wrong(name, &format!("an integer from {least} to {most}"), value)),
        }
    }

    /// Checks that `tools` is a list, if present.
    pub(super) fn check_tools(&self) -> Result<(), ModelRefusal> {
        match self.get("tools") {
            None | Some(Value::Array(_)) => Ok(()),
            Some(other) => Err(wrong("tools", "a list", other)),
        }
    }

    /// A required list, which must not be empty.
    pub(super) fn list(&self, name: &str) -> Result<&'f [Value], ModelRefusal> {
        match self.get(name) {
            Some(Value::Array(items)) if !items.is_empty() => Ok(items),
            Some(Value::Array(_)) => Err(ModelRefusal::of_part(name, format!("`{name}` must not be empty"))),
            Some(other) => Err(wrong(name, "a list", other)),
            None => Err(missing(name)),
        }
    }
}

/// A field of a request or message. These have few fields, so comparing names is several times faster than hashing.
pub(super) fn field<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.as_object()?.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The same, unless it is null.
pub(super) fn given<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    field(object, name).filter(|value| !value.is_null())
}

/// A field that is a string.
pub(super) fn string<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    field(object, name).and_then(Value::as_str)
}

/// The items of a list; none if it is not one.
pub(super) fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn missing(name: &str) -> ModelRefusal {
    ModelRefusal::of_part(name, format!("missing required parameter: `{name}`")).code("missing_required_parameter")
}

pub(super) fn wrong(name: &str, wanted: &str, found: &Value) -> ModelRefusal {
    ModelRefusal::of_part(name, format!("`{name}` must be {wanted}, found {}", describe(found))).code("invalid_type")
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}
