//! Front ends that lower a suite format to a plan.
//!
//! [`load`] finds the suites in the paths that a user named and returns one [`Plan`](agentci_plan::Plan) and all
//! diagnostics. An error in a suite keeps that suite out of the plan. An error in a single case marks the case as
//! broken, and the other cases still run. Files are only read through [`Files`](agentci_source::Files); this crate uses
//! neither the clock nor the environment nor the network.
//!
//! ```
//! use agentci_source::MemoryFiles;
//!
//! let files = MemoryFiles::default().with(
//!     "refunds/agentci.yaml",
//!     "suite: refunds\n\
//!      target: { process: { command: [python3, agent.py] } }\n\
//!      cases:\n  - id: partial\n    input: { order: A-17 }\n",
//! );
//! let loaded = agentci_formats::load(&files, &["refunds".into()]);
//! assert!(loaded.diagnostics.is_empty());
//! assert_eq!(loaded.plan.suites[0].cases[0].id, "partial");
//! ```

mod ananke;
mod attach;
pub mod aumai;
mod canonical;
mod chat_context;
mod command;
mod document;
mod finder;
mod foreign_pattern;
mod gates;
mod hosts;
mod ids;
mod invalid_case;
mod load;
mod loader;
mod mcp_auth;
mod mcp_script;
mod mock_script;
mod model_script;
pub mod native;
mod new_suite;
mod noise_gates;
mod printer;
mod quantity;
mod runledger;
mod scenario;
mod schema_files;
mod search;
mod skip;
mod suggestion;
mod texts;
mod world;
mod yao;

pub use agentci_source::schema::{KeyRow, Table};
pub use chat_context::default_chat_context;
pub use finder::dialects;
pub use load::{LoadOptions, Loaded, MockSource, ScenarioOptions, YaoOptions, load, load_with};
pub use mcp_script::load_mcp_script;
pub use model_script::load_model_script;
pub use native::{agent_definition, case_definition, print as print_native, world_definition};
pub use schema_files::{SchemaFile, schemas};
pub use yao::YaoInput;
