//! The native dialect: `agentci.yaml`, the plan's own YAML.
//!
//! ```yaml
//! suite: refunds
//! target: { process: { command: [python3, agent.py] } }
//! world: { tools: { cassette: "cassettes/{case}.jsonl" } }
//! limits: { wall: 20s, tool_calls: 10 }
//! cases:
//!   - id: partial-refund
//!     input: { order: A-17, amount: 20 }
//!     checks:
//!       - tool_called: refund_order
//!       - not: { contains: sorry }
//! ```
//!
//! Keys that a suite and a case share are defaults in the suite; the lowering folds them into each case. [`print()`]
//! writes a suite of any dialect in this form, with everything folded in, so that reading it again gives the same plan.

mod check;
mod data;
mod data_files;
mod data_ids;
mod defaults;
mod file_names;
mod finder;
mod gates;
mod hook;
mod limits;
mod lower;
mod matching;
mod matrix;
mod mcp;
mod model;
mod prices;
mod print;
mod read;
mod readers;
mod repeats;
mod settings;
mod shape;
mod target;
mod turn;

pub(crate) use finder::FRONT_END;
pub(crate) use lower::lower;
pub use print::{agent_definition, case_definition, print, world_definition};
pub(crate) use read::SUITE;
pub(crate) use shape::{NAMES, is_settings, is_suite};
pub(crate) use target::{HTTP_KEYS, SERVER_KEYS, named_target, read_address, read_http, usual_http};
pub(crate) use turn::{MORE as MESSAGE_KEYS, take_more};
