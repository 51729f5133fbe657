//! Formats texts and values for messages: excerpts, escaping, percent-encoding, and the first difference of two JSON
//! values.

mod difference;
mod escape;
mod excerpt;
mod json_error;
mod percent;
pub mod pointer;
mod words;

pub use difference::{Difference, first_difference};
pub use escape::{html_text, one_line, printable, xml_attribute, xml_text};
pub use excerpt::excerpt;
pub use json_error::json_error;
pub use percent::{percent_decoded, percent_encoded};
pub use words::{passage, shorten};
