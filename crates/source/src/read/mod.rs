//! Reads a node tree into plain values. Every problem is reported with its place, and none ends the reading.
//!
//! A mapping is opened with the [`Shape`](crate::shape::Shape) that declares its keys. The keys are then read one by
//! one from its [`Fields`], and each value by the function for its type.

mod fields;
mod key_synonyms;
mod reader;
mod values;

pub use fields::Fields;
pub use key_synonyms::meant;
pub use reader::Reader;

pub use values::{
    asked, choice, count, data, duration, each, integer, list, name, number, object, one_or_more_texts, pairs,
    quoted_list, text, texts, truth,
};
