//! Consumers of the one event stream.
//!
//! A report is a [`Reporter`]: run events go in, and text comes out through what the caller gave it. Nothing here opens a file
//! or asks for the time, so a stored run that is played again gives the same bytes as the run itself. [`FanOut`] feeds several
//! reports at once.

mod console;
mod escape;
mod fan_out;
mod findings;
mod junit;
mod paint;
mod quantity;
mod reporter;
mod run;
mod snippet;
mod summary;

pub use console::{Console, ConsoleOptions};
pub use escape::{one_line, printable, xml_attribute, xml_text};
pub use fan_out::FanOut;
pub use junit::Junit;
pub use paint::{Paint, Tone};
pub use reporter::{Output, ReportError, Reporter};
pub use snippet::{Heading, Snippet, diagnostic};
pub use summary::{RUNLEDGER_VERSION, Summary};
