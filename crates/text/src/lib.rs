//! Formats texts and values for messages: excerpts, counts, lists, escaping, quoting, percent-encoding, hashes, what two
//! lists have in common, and the first difference of two JSON values. Also reads the small notations that many crates
//! share, such as media types.

mod count;
mod difference;
mod escape;
mod excerpt;
mod hash;
mod json_error;
mod listing;
mod media_type;
mod percent;
pub mod pointer;
mod shell;
mod subsequence;
mod value_type;
mod words;

pub use count::count_of;
pub use difference::{Difference, first_difference};
pub use escape::{html_text, one_line, printable, xml_attribute, xml_text};
pub use excerpt::{cut_off, excerpt};
pub use hash::{FNV1A, fnv1a, fnv1a_32};
pub use json_error::json_error;
pub use listing::{and_more, first_of};
pub use media_type::{is_event_stream, media_type};
pub use percent::{percent_decoded, percent_encoded};
pub use shell::{is_shell_safe, shell_quoted};
pub use subsequence::common_subsequence;
pub use value_type::ValueType;
pub use words::{passage, shorten};
