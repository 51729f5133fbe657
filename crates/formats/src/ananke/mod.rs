//! The `ananke` dialect: conversations with an agent that is a server, one test a file, one config a project.
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
//! A config and all tests that belong to it are one suite, the nearest config on the way up being that of a test. Keys are strict
//! in both files. A config that is wrong refuses the suite; a test that is wrong is a broken case among the others. What is asked
//! at three levels (target, test, turn) is folded into each turn and each case here, so that nothing is left to inherit.

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
