//! Reads the `scenario` dialect: questions to a live agent with stubbed tools, one per file, graded by a semantic
//! check.
//!
//! ```yaml
//! # tests/us_payroll/why_net_lower.yaml
//! test_name: why_net_lower
//! variables: { employeeId: 123456 }
//! user_input: Why is my net pay lower this month?
//! expected_answer: A one-time bonus was taxed at the supplemental rate of 22 %.
//! semantic_threshold: 0.88
//! tool_fixtures:
//!   paySlips:
//!     - request: { payDetailsIds: [999999], region: US }
//!       response_file: payslips/999999.json
//! ```
//!
//! All scenarios below the folder of an agent are one suite with the agent's name. The target of the agent and the
//! settings shared by all scenarios are in the nearest `agentci.yaml` without `cases:`, in that folder or a parent
//! folder. Invalid settings reject the suite; an invalid scenario becomes a broken case.

mod agents;
mod answer;
mod file;
mod finder;
mod fixtures;
mod lower;
mod project;
mod recorded;
mod settings;
mod shape;
mod threshold;

pub(crate) use file::SCENARIO;
pub(crate) use finder::FRONT_END;
pub(crate) use settings::SETTINGS;
pub(crate) use shape::is_scenario;
