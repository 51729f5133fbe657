//! Anything as JSON.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Result};

use super::text::{write_name, write_text};

/// Appends the JSON of a value. The error is a map whose keys are no texts.
pub fn write_json(value: &(impl Serialize + ?Sized), into: &mut Vec<u8>) -> Result<()> {
    value.serialize(Json { into, limit: usize::MAX })
}

/// The first `most` bytes of the JSON of a value, fewer rather than half a character, and whether that is not all of it. What
/// lies far behind them is not even written.
pub fn write_beginning(value: &(impl Serialize + ?Sized), most: usize) -> (String, bool) {
    let mut bytes = Vec::with_capacity(most.min(64));
    let whole = value.serialize(Json { into: &mut bytes, limit: most }).is_ok() && bytes.len() <= most;
    bytes.truncate(most);
    let text = String::from_utf8(bytes).unwrap_or_else(|torn| {
        let valid = torn.utf8_error().valid_up_to();
        let mut bytes = torn.into_bytes();
        bytes.truncate(valid);
        String::from_utf8(bytes).unwrap_or_default()
    });
    (text, !whole)
}

/// The name under which `serde_json` hands out a number with all its digits.
const NUMBER: &str = "$serde_json::private::Number";

/// Where a value is written to.
pub(super) struct Json<'j> {
    pub(super) into: &'j mut Vec<u8>,
    /// How long that may get before nobody wants to know the rest.
    pub(super) limit: usize,
}

impl<'j> Json<'j> {
    #[expect(clippy::unnecessary_wraps, reason = "what serde asks for")]
    fn literal(self, word: &str) -> Result<()> {
        self.into.extend_from_slice(word.as_bytes());
        Ok(())
    }

    #[inline]
    fn members(self, begin: &str, end: &'static str) -> Members<'j> {
        push_all(begin, self.into);
        Members { into: self.into, limit: self.limit, empty: true, end }
    }

    /// `{"name":` and what follows.
    fn variant(self, name: &str, begin: &str, end: &'static str) -> Members<'j> {
        self.into.push(b'{');
        write_text(name, self.into);
        self.members(begin, end)
    }
}

macro_rules! numbers {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method(self, number: $type) -> Result<()> {
            serde_json::to_writer(self.into, &number)
        })*
    };
}

impl<'j> Serializer for Json<'j> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'j>;
    type SerializeTuple = Members<'j>;
    type SerializeTupleStruct = Members<'j>;
    type SerializeTupleVariant = Members<'j>;
    type SerializeMap = Members<'j>;
    type SerializeStruct = Members<'j>;
    type SerializeStructVariant = Members<'j>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64,
    }

    fn serialize_bool(self, truth: bool) -> Result<()> {
        self.literal(if truth { "true" } else { "false" })
    }

    fn serialize_char(self, letter: char) -> Result<()> {
        self.serialize_str(letter.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        let room = self.limit.saturating_sub(self.into.len());
        if text.len() <= room {
            write_text(text, self.into);
            return Ok(());
        }
        // At least as much as there is room for, so that no closing quote gets in.
        write_text(&text[..text.ceil_char_boundary(room)], self.into);
        Err(full())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<()> {
        self.literal("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.literal("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.literal("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut members = self.variant(variant, ":", "}");
        members.value(value)?;
        members.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'j>> {
        Ok(self.members("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'j>> {
        Ok(self.members("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'j>> {
        Ok(self.members("[", "]"))
    }

    fn serialize_tuple_variant(self, _: &str, _: u32, variant: &'static str, _: usize) -> Result<Members<'j>> {
        Ok(self.variant(variant, ":[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'j>> {
        Ok(self.members("{", "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'j>> {
        Ok(if name == NUMBER { self.members("", "") } else { self.members("{", "}") })
    }

    fn serialize_struct_variant(self, _: &str, _: u32, variant: &'static str, _: usize) -> Result<Members<'j>> {
        Ok(self.variant(variant, ":{", "}}"))
    }
}

/// Appends a sign or two, for which a copy would be a detour.
#[inline]
fn push_all(signs: &str, into: &mut Vec<u8>) {
    signs.bytes().for_each(|sign| into.push(sign));
}

#[cold]
fn full() -> Error {
    Error::custom("there is no room for more")
}

/// The members of a list or an object.
pub(super) struct Members<'j> {
    into: &'j mut Vec<u8>,
    limit: usize,
    empty: bool,
    end: &'static str,
}

impl Members<'_> {
    #[inline]
    fn separate(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.empty) {
            self.into.push(b',');
        }
        if self.into.len() > self.limit { Err(full()) } else { Ok(()) }
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        value.serialize(Json { into: &mut *self.into, limit: self.limit })
    }

    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.separate()?;
        self.value(value)
    }

    fn field(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.separate()?;
        write_name(name, self.into);
        self.value(value)
    }

    #[inline]
    #[expect(clippy::unnecessary_wraps, reason = "what serde asks for")]
    fn finish(self) -> Result<()> {
        push_all(self.end, self.into);
        Ok(())
    }
}

/// What is a list in JSON has four names in serde.
macro_rules! lists {
    ($($kind:ident :: $member:ident),*) => {$(
        impl $kind for Members<'_> {
            type Ok = ();
            type Error = Error;

            fn $member<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

impl SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.separate()?;
        let at = self.into.len();
        self.value(key)?;
        if self.into.get(at) == Some(&b'"') { Ok(()) } else { Err(Error::custom("the key of a map is no text")) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.into.push(b':');
        self.value(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStruct for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if name != NUMBER {
            return self.field(name, value);
        }
        // Its digits come as a text, which needs no quotes here.
        let at = self.into.len();
        let written = self.value(value);
        self.into.remove(at);
        self.into.pop();
        written
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStructVariant for Members<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}
