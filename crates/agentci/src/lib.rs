//! Tests AI agents in CI: record any agent once, replay it anywhere for nothing, and learn which step changed.
//!
//! This is the library behind the `agentci` binary: the stages of the pipeline, each a crate of its own, and [`Suites`], which
//! puts them together.
//!
//! ```no_run
//! use agentci::{Settings, Suites, verdict::Status};
//!
//! let suites = Suites::load(["evals/demo"]);
//! assert!(!suites.problems().has_errors());
//! let status = suites.run(&Settings::default(), |event| println!("{}", event.body.name()))?;
//! assert_eq!(status, Status::Pass);
//! # Ok::<(), std::io::Error>(())
//! ```

mod disk;
mod policies;
mod recording;
mod suites;

pub use agentci_checks as checks;
pub use agentci_drivers as drivers;
pub use agentci_formats as formats;
pub use agentci_ledger as ledger;
pub use agentci_plan as plan;
pub use agentci_report as report;
pub use agentci_runner as runner;
pub use agentci_stubs as stubs;
pub use agentci_stubs::Tool;
pub use agentci_trace as trace;
pub use agentci_verdict as verdict;
pub use disk::DiskFiles;
pub use policies::read_baseline;
pub use suites::{Settings, Suites, environment, environment_secrets};
