//! JSON over several lines, as `serde_json` writes it, for objects that are there by the thousand.
//!
//! ```json
//!     {
//!       "id": "t1",
//!       "tags": []
//!     }
//! ```

use serde::Serialize;
use serde_json::{Result, Value};

use super::report::sorted;

/// Where the fields of an object begin, and those of an object within it.
const INDENT: &str = "\n      ";

/// An object that is being written; its fields are to come in the order of their names.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    /// Begins an object that is an item of a list of the document.
    pub(super) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.extend_from_slice(b"    {");
        Self { out, empty: true }
    }

    /// A number, a text or nothing.
    pub(super) fn plain(&mut self, name: &str, value: impl Serialize) -> Result<()> {
        self.name(name);
        serde_json::to_writer(&mut *self.out, &value)
    }

    /// The same, unless it is not there.
    pub(super) fn plain_if_any(&mut self, name: &str, value: Option<impl Serialize>) -> Result<()> {
        value.map_or(Ok(()), |value| self.plain(name, value))
    }

    /// An object of such.
    pub(super) fn small<const N: usize>(&mut self, name: &str, fields: [(&str, &dyn Small); N]) -> Result<()> {
        self.name(name);
        let mut before = "{";
        for (name, value) in fields {
            self.out.extend_from_slice(before.as_bytes());
            self.out.extend_from_slice(INDENT.as_bytes());
            self.out.extend_from_slice(b"  \"");
            self.out.extend_from_slice(name.as_bytes());
            self.out.extend_from_slice(b"\": ");
            value.write(self.out)?;
            before = ",";
        }
        self.out.extend_from_slice(INDENT.as_bytes());
        self.out.push(b'}');
        Ok(())
    }

    /// Anything.
    pub(super) fn any(&mut self, name: &str, value: impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(&sorted(serde_json::to_value(value)?))?;
        self.name(name);
        self.out.extend_from_slice(text.replace('\n', INDENT).as_bytes());
        Ok(())
    }

    /// A list or a mapping, most of which are empty.
    pub(super) fn often_empty(&mut self, name: &str, empty: Option<&str>, value: impl Serialize) -> Result<()> {
        match empty {
            Some(nothing) => {
                self.name(name);
                self.out.extend_from_slice(nothing.as_bytes());
                Ok(())
            }
            None => self.any(name, value),
        }
    }

    /// The end of the object.
    pub(super) fn end(self) {
        self.out.extend_from_slice(b"\n    }");
    }

    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(INDENT.as_bytes());
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\": ");
    }
}

/// A value within an object within an object.
pub(super) trait Small {
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;
}

impl Small for u64 {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, self)
    }
}

impl Small for Option<&String> {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, self)
    }
}

impl Small for Value {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        out.extend_from_slice(text.replace('\n', "\n        ").as_bytes());
        Ok(())
    }
}
