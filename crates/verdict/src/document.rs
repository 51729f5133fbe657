//! Reads JSON documents from other sources: every problem is recorded with its place, and none stops the reading.

use agentci_text::ValueType;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A place in a document, whether or not it has a value.
pub(crate) struct DocumentPlace<'v> {
    value: Option<&'v Value>,
    /// The place as a JSON pointer.
    path: String,
    /// Whether a parent is missing, which was already reported.
    told: bool,
}

impl<'v> DocumentPlace<'v> {
    /// The whole document.
    pub(crate) fn top(document: &'v Value) -> Self {
        Self { value: Some(document), path: String::new(), told: false }
    }

    /// An optional field.
    pub(crate) fn optional(&self, name: &str) -> Option<DocumentPlace<'v>> {
        let value = self.value?.get(name).filter(|value| !value.is_null())?;
        Some(DocumentPlace { value: Some(value), path: format!("{}/{name}", self.path), told: false })
    }

    /// A required field.
    pub(crate) fn field(&self, name: &str, problems: &mut Vec<String>) -> DocumentPlace<'v> {
        let path = format!("{}/{name}", self.path);
        if self.told {
            return DocumentPlace { value: None, path, told: true };
        }
        let value = self.value.and_then(|value| value.get(name)).filter(|value| !value.is_null());
        if value.is_none() {
            problems.push(format!("`{path}` is missing"));
        }
        DocumentPlace { value, path, told: value.is_none() }
    }

    /// The items of a list.
    pub(crate) fn items(&self, problems: &mut Vec<String>) -> Vec<DocumentPlace<'v>> {
        let items = self.take("a list", |value| value.as_array(), problems).map_or(&[][..], Vec::as_slice);
        let at =
            |(index, value)| DocumentPlace { value: Some(value), path: format!("{}/{index}", self.path), told: false };
        items.iter().enumerate().map(at).collect()
    }

    /// The values of an object with arbitrary keys.
    pub(crate) fn fields(&self, problems: &mut Vec<String>) -> Vec<DocumentPlace<'v>> {
        let fields = self.take("an object", |value| value.as_object(), problems);
        let at = |(name, value): (&String, &'v Value)| DocumentPlace {
            value: Some(value),
            path: format!("{}/{name}", self.path),
            told: false,
        };
        fields.into_iter().flatten().map(at).collect()
    }

    /// Requires an object, with any content.
    pub(crate) fn object(&self, problems: &mut Vec<String>) {
        self.take("an object", |value| value.as_object(), problems);
    }

    pub(crate) fn text(&self, problems: &mut Vec<String>) -> Option<&'v str> {
        self.take("a string", |value| value.as_str(), problems)
    }

    pub(crate) fn number(&self, problems: &mut Vec<String>) -> Option<f64> {
        self.take("a number", |value| value.as_f64().filter(|number| number.is_finite()), problems)
    }

    pub(crate) fn count(&self, problems: &mut Vec<String>) -> Option<u64> {
        self.take("an integer", Value::as_u64, problems)
    }

    pub(crate) fn truth(&self, problems: &mut Vec<String>) -> Option<bool> {
        self.take("a boolean", Value::as_bool, problems)
    }

    /// Deserializes the value; the reason is reported if it cannot be.
    pub(crate) fn take_as<T: DeserializeOwned>(&self, wanted: &str, problems: &mut Vec<String>) -> Option<T> {
        match serde_json::from_value(self.value?.clone()) {
            Ok(value) => Some(value),
            Err(error) => {
                problems.push(format!("`{}` must be {wanted}: {error}", self.path));
                None
            }
        }
    }

    /// Converts the value with `read`; a value that cannot be converted is reported.
    pub(crate) fn take<T>(
        &self,
        wanted: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
        problems: &mut Vec<String>,
    ) -> Option<T> {
        let value = self.value?;
        let read = read(value);
        if read.is_none() {
            problems.push(format!("`{}` must be {wanted}, found {}", self.path, described(value)));
        }
        read
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Bool(truth) => format!("the boolean {truth}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string `{}`", text.chars().take(40).collect::<String>().escape_debug()),
        Value::Null | Value::Array(_) | Value::Object(_) => ValueType::of(value).described().to_owned(),
    }
}
