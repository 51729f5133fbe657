//! The command line of the yao format: its flags, the results next to the tests, and the report that an assistant
//! writes.

mod agent_report;
mod flags;
mod results;

pub(crate) use agent_report::AgentReport;
pub(super) use flags::YaoFlags;
