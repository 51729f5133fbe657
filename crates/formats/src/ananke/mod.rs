//! The `ananke` dialect: conversations with an agent server. Each file is one test, each project has one config.
//!
//! ```yaml
//! # ananke.config.yaml
//! version: "1.0"
//! target:
//!   type: agui
//!   endpoint: http://127.0.0.1:8000/agent
//!   agentId: shop
//!   assert: { timing: { max_duration_ms: 60000 } }
//!
//! # tests/checkout.test.yaml
//! version: "1.0"
//! name: checkout
//! turns:
//!   - user: I want to check out
//!     assert: { tools: { require: [{ name: validate_cart }] } }
//! assert: { tools: { forbid: [delete_order] } }
//! ```
//!
//! A config and its tests form one suite; a test belongs to the config in the nearest parent folder. Unknown keys are
//! errors in both files. An invalid config rejects the suite; an invalid test is a broken case. The assertions of the
//! three levels (target, test, turn) are merged into each turn and case here, so the plan has no inheritance.

mod assertion;
mod call;
mod config;
mod finder;
mod hook;
mod lower;
mod named_blocks;
mod other_releases;
mod pattern;
mod project;
mod readers;
mod recording;
mod rules;
mod shape;
mod target;
mod test;
#[cfg(test)]
mod testing;
mod tool;
mod turn;
mod version;

pub(crate) use config::CONFIG;
pub(crate) use finder::FRONT_END;
use lower::lower;
use project::AnankeProjects;
pub(crate) use shape::{is_config, is_named_as_test, is_test};
pub(crate) use test::TEST;
