//! The `scenario` dialect: questions to a live agent whose tools are stubbed, one a file, graded by meaning.
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
//! All scenarios below the folder of an agent are one suite with the agent's name. How the agent is reached, and what all
//! scenarios share, is in the settings of the project: the nearest `agentci.yaml` without `cases:` on the way up. Settings that
//! are wrong refuse the suite; a scenario that is wrong is a broken case among the others.

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
