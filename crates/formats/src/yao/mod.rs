//! Reads the yao dialect: tests of assistants, one JSON object per test.
//!
//! ```text
//! assistants/keyword/package.yao           the assistant: {"name": "Keywords", "connector": "openai.gpt-4o"}
//! assistants/keyword/prompts.yml           messages at the start of every conversation
//! assistants/keyword/src/index.ts          its functions, `Create` and `Next`
//! assistants/keyword/tests/inputs.jsonl    {"id": "T001", "input": "AI and ML", "assert": {"type": "contains", "value": "AI"}}
//! connectors/openai/gpt-4o.conn.yao        the model
//! scripts/test.ts                          functions for assertions
//! ```
//!
//! A test file is one suite. An invalid input breaks only its own test; any other error rejects the whole file.

mod app;
mod assertion;
mod assistant;
mod connector;
mod environment;
mod finder;
mod folders;
mod input;
mod json;
mod judges;
mod locale;
mod lower;
mod message;
mod prompts;
mod record;
mod reference;
mod resolve;
mod targets;

use std::time::Duration;

pub(crate) use assistant::PACKAGE_FILE;
pub(crate) use connector::{CONNECTOR, KINDS as CONNECTOR_KINDS, scripted_connector, usual_script};
pub(crate) use environment::variables as read_variables;
pub(crate) use finder::FRONT_END;
use folders::{assistant_of, belongs_to_app, known_folder};
pub use input::YaoInput;
use lower::{asserts, holds_something, holds_tests, lower_file, lower_message};
pub(crate) use prompts::PROMPTS;
pub(crate) use record::RECORD;

/// Timeout of a test that sets none.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);
