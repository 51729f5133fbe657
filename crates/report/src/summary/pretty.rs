//! JSON over several lines, as `serde_json` writes it, for objects that are there by the thousand.
//!
//! ```json
//!     {
//!       "id": "t1",
//!       "tags": []
//!     }
//! ```

use std::collections::BTreeMap;

use agentci_trace::{write_json, write_text};
use serde::Serialize;
use serde_json::Result;

use super::report::sorted;

/// Where the fields of an object begin; those within them are further in.
const INDENT: &str = "\n      ";
const INNER: &str = "\n        ";
const INNERMOST: &str = "\n          ";

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
        write_json(&value, self.out)
    }

    /// The same, unless it is not there.
    pub(super) fn plain_if_any(&mut self, name: &str, value: Option<impl Serialize>) -> Result<()> {
        value.map_or(Ok(()), |value| self.plain(name, value))
    }

    /// An object of such.
    pub(super) fn small<const N: usize>(&mut self, name: &str, fields: [(&str, &dyn Small); N]) -> Result<()> {
        self.name(name);
        write_fields(fields, INNER, self.out)?;
        self.out.extend_from_slice(INDENT.as_bytes());
        self.out.push(b'}');
        Ok(())
    }

    /// A list of such objects.
    pub(super) fn small_ones<'v>(
        &mut self,
        name: &str,
        items: impl Iterator<Item = impl IntoIterator<Item = (&'v str, &'v dyn Small)>>,
    ) -> Result<()> {
        self.name(name);
        let mut before = "[";
        for fields in items {
            self.out.extend_from_slice(before.as_bytes());
            self.out.extend_from_slice(INNER.as_bytes());
            write_fields(fields, INNERMOST, self.out)?;
            self.out.extend_from_slice(INNER.as_bytes());
            self.out.push(b'}');
            before = ",";
        }
        self.close(before, "[", "]");
        Ok(())
    }

    /// How often each of some names was met.
    pub(super) fn counts(&mut self, name: &str, counts: &BTreeMap<String, u64>) -> Result<()> {
        self.name(name);
        let mut before = "{";
        for (name, count) in counts {
            self.out.extend_from_slice(before.as_bytes());
            self.out.extend_from_slice(INNER.as_bytes());
            write_text(name, self.out);
            self.out.extend_from_slice(b": ");
            write_json(count, self.out)?;
            before = ",";
        }
        self.close(before, "{", "}");
        Ok(())
    }

    /// The end of a list or a mapping, `before` being what would stand before another member.
    fn close(&mut self, before: &str, begin: &str, end: &str) {
        self.out.extend_from_slice(if before == begin { begin } else { INDENT }.as_bytes());
        self.out.extend_from_slice(end.as_bytes());
    }

    /// Anything.
    pub(super) fn any(&mut self, name: &str, value: impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(&sorted(serde_json::to_value(value)?))?;
        self.name(name);
        self.out.extend_from_slice(text.replace('\n', INDENT).as_bytes());
        Ok(())
    }

    /// A list, most of which are empty.
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

/// The beginning of an object and its fields, each on a line that begins with `indent`.
fn write_fields<'v>(
    fields: impl IntoIterator<Item = (&'v str, &'v dyn Small)>,
    indent: &str,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut before = b'{';
    for (name, value) in fields {
        out.push(before);
        out.extend_from_slice(indent.as_bytes());
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\": ");
        value.write(out)?;
        before = b',';
    }
    Ok(())
}

/// A value within an object within an object.
pub(super) trait Small {
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;
}

impl Small for u64 {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_json(self, out)
    }
}

impl Small for bool {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_json(self, out)
    }
}

impl Small for Option<&String> {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_json(self, out)
    }
}

impl Small for Box<str> {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_text(self, out);
        Ok(())
    }
}

impl Small for String {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write_text(self, out);
        Ok(())
    }
}

impl Small for Option<&Vec<usize>> {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let Some(numbers) = self.filter(|numbers| !numbers.is_empty()) else {
            out.extend_from_slice(if self.is_some() { b"[]" } else { b"null" });
            return Ok(());
        };
        let mut before = b'[';
        for number in numbers {
            out.push(before);
            out.extend_from_slice(INNERMOST.as_bytes());
            write_json(number, out)?;
            before = b',';
        }
        out.extend_from_slice(INNER.as_bytes());
        out.push(b']');
        Ok(())
    }
}
