//! The JSON of a request, read without copying what can be borrowed: most of a request is never looked at.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// How `serde_json` names a number that keeps its digits.
const NUMBER: &str = "$serde_json::private::Number";

/// A value of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'j> {
    Null,
    Truth(bool),
    /// Its digits.
    Number(Cow<'j, str>),
    Text(Cow<'j, str>),
    List(Vec<Json<'j>>),
    /// In the order they were written; of a key that comes twice the last counts.
    Object(Vec<(Cow<'j, str>, Json<'j>)>),
}

impl<'j> Json<'j> {
    /// Reads a request. Its letters are looked at once, all together, rather than text by text.
    pub(super) fn parse(bytes: &'j [u8]) -> serde_json::Result<Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => serde_json::from_str(text),
            // It knows the place.
            Err(_) => serde_json::from_slice(bytes),
        }
    }

    /// The same as a value that was read already.
    pub(super) fn of(value: &'j serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(truth) => Json::Truth(*truth),
            serde_json::Value::Number(number) => Json::Number(Cow::Borrowed(number.as_str())),
            serde_json::Value::String(text) => Json::Text(Cow::Borrowed(text)),
            serde_json::Value::Array(items) => Json::List(items.iter().map(Json::of).collect()),
            serde_json::Value::Object(map) => {
                Json::Object(map.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), Json::of(value))).collect())
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json<'j>> {
        let Json::Object(pairs) = self else { return None };
        pairs.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The same as a value of its own.
    pub(super) fn value(&self) -> serde_json::Value {
        match self {
            Json::Null => serde_json::Value::Null,
            Json::Truth(truth) => (*truth).into(),
            Json::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
            Json::Text(text) => text.as_ref().into(),
            Json::List(items) => items.iter().map(Json::value).collect(),
            Json::Object(pairs) => pairs.iter().map(|(key, value)| (key.to_string(), value.value())).collect(),
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Json::Truth(truth) = self { Some(*truth) } else { None }
    }

    pub(super) fn as_u64(&self) -> Option<u64> {
        if let Json::Number(digits) = self { digits.parse().ok() } else { None }
    }

    pub(super) fn as_list(&self) -> Option<&[Json<'j>]> {
        if let Json::List(items) = self { Some(items) } else { None }
    }
}

/// Compact JSON.
impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        match self {
            Json::Null => f.write_str("null"),
            Json::Truth(truth) => write!(f, "{truth}"),
            Json::Number(digits) => f.write_str(digits),
            Json::Text(text) => f.write_str(&quoted(text)),
            Json::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "[" } else { "," })?;
                }
                f.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Json::Object(pairs) => {
                for (at, (key, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{}:{value}", if at == 0 { "{" } else { "," }, quoted(key))?;
                }
                f.write_str(if pairs.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for Json<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// A key or text, borrowed where it has no escapes.
struct Word<'j>(Cow<'j, str>);

impl<'de: 'j, 'j> Deserialize<'de> for Word<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Reader)? {
            Json::Text(text) => Ok(Word(text)),
            other @ (Json::Null | Json::Truth(_) | Json::Number(_) | Json::List(_) | Json::Object(_)) => {
                Err(serde::de::Error::custom(format!("{other} is no key")))
            }
        }
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(Json::Truth(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.to_string().into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.to_string().into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Json::Number(number.to_string().into()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(Word(key)) = map.next_key()? {
            if key == NUMBER {
                let Word(digits) = map.next_value()?;
                return Ok(Json::Number(digits));
            }
            pairs.push((key, map.next_value()?));
        }
        Ok(Json::Object(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_everything_and_keeps_it() {
        let text = r#"{"a":[1,-2.50,1e400,true,null,{}],"b":"x\ny","c":{"d":[]},"e":"ä"}"#;
        let json: Json<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(json.to_string(), text.replace("1e400", "1e+400"));
        assert_eq!(json.get("b").and_then(Json::as_str), Some("x\ny"));
        assert!(matches!(json.get("e"), Some(Json::Text(Cow::Borrowed("ä")))));
        assert_eq!(json.get("a").and_then(Json::as_list).and_then(|list| list[0].as_u64()), Some(1));
        assert_eq!(serde_json::from_str::<Json<'_>>(r#"{"a":1,"a":2}"#).unwrap().get("a").unwrap().as_u64(), Some(2));
        for wrong in ["", "{", "[1,]", "\"\u{1}\"", "nul", "1 2"] {
            assert!(serde_json::from_str::<Json<'_>>(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Json<'_>>(&"[".repeat(5000)).is_err());
        assert_eq!(Json::parse(text.as_bytes()).unwrap(), json);
        assert!(Json::parse(b"{\"a\":\"\xff\"}").unwrap_err().to_string().contains("line 1 column"));
    }
}
