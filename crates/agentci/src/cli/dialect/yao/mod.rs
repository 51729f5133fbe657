//! What the command line has for the yao format alone: its flags, the results beside the tests, and the report that an assistant
//! writes.

mod agent_report;
mod flags;
mod results;

pub(crate) use agent_report::AgentReport;
pub(super) use flags::YaoFlags;
