//! Serializes the beginning of a value as JSON.

use std::io;

use serde::Serialize;

/// The first `most` bytes of a value's JSON, cut at a character boundary, and whether it was cut. Serialization stops
/// there: the rest of a large value costs nothing.
pub fn json_beginning(value: &(impl Serialize + ?Sized), most: usize) -> (String, bool) {
    let mut beginning = JsonBeginning { bytes: Vec::new(), most };
    let cut = serde_json::to_writer(&mut beginning, value).is_err();
    let whole = beginning.bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    (whole.to_owned(), cut)
}

/// A buffer of limited size. Writing to a full buffer is an error.
struct JsonBeginning {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for JsonBeginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fitting = &bytes[..bytes.len().min(self.most - self.bytes.len())];
        self.bytes.extend_from_slice(fitting);
        Ok(fitting.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// An arbitrary value; few are deep.
    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[\\PC\"\\\\\n]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a-zé\"]{0,10}", inner), 0..6).prop_map(|pairs| pairs.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn cuts_json_at_character_boundary(value in any_value(), most in 0_usize..60) {
            let text = value.to_string();
            let expected = &text[..text.floor_char_boundary(most)];
            prop_assert_eq!(json_beginning(&value, most), (expected.to_owned(), text.len() > most));
        }
    }

    #[test]
    fn keeps_replacement_character_of_value() {
        assert_eq!(json_beginning(&json!("\u{FFFD}"), 100), ("\"\u{FFFD}\"".into(), false));
        assert_eq!(json_beginning(&json!("\u{FFFD}\u{FFFD}x"), 7), ("\"\u{FFFD}\u{FFFD}".into(), true));
    }
}
