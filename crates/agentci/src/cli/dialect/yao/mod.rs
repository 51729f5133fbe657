//! What the command line has for the yao format alone: its flags, the results beside the tests, and the report that an assistant
//! writes.

mod flags;
pub(crate) mod report_writer;
pub(crate) mod results;

pub(crate) use flags::YaoFlags;
