//! How to run.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::Mode;
use agentci_source::Files;
use agentci_stubs::Tool;
use agentci_trace::Redactor;

use crate::budget::Budget;

/// How to run.
pub struct RunOptions<'o> {
    /// Where recordings and schemas are read from.
    pub files: &'o dyn Files,
    /// The environment, for `${ENV.NAME}`.
    pub environment: &'o dyn Fn(&str) -> Option<String>,
    /// Whether tools are replayed, recorded or live.
    pub mode: Mode,
    /// How many cases run at once, at least one.
    pub parallel: usize,
    /// Start no further case after one that did not pass.
    pub fail_fast: bool,
    /// Whether the run fails when a case is answered from a recording of the whole agent and does not say that it is meant to be.
    pub require_agent: bool,
    /// How often a case is tried again when its agent could not be reached or was busy.
    pub retries: u32,
    /// How long a case may take; the case's own limit otherwise.
    pub timeout: Option<Duration>,
    /// How long all cases together may take.
    pub suite_timeout: Option<Duration>,
    /// What every draw depends on.
    pub seed: u64,
    /// The address of the server that plays tools over HTTP.
    pub stub_bind: IpAddr,
    /// Its port; 0 is any that is free.
    pub stub_port: u16,
    /// Tools of the program that runs this, for record and live mode.
    pub tools: &'o [Arc<dyn Tool>],
    /// Who compares meanings; what the suite says without it.
    pub embedder: Option<&'o str>,
    /// How long one request for embeddings may take; 30 seconds without it.
    pub semantic_timeout: Option<Duration>,
    /// The program, with its arguments, that evaluates schemas and paths which may take long: it must answer as
    /// [`Evaluator`](agentci_checks::Evaluator) does, after it printed [`WORKER_READY`](crate::WORKER_READY). Without it a thread
    /// does, whose memory is not bounded.
    pub worker: Option<(&'o Path, &'o [OsString])>,
    /// The program `agentci`, which records MCP servers with `tap`; without it they are not recorded.
    pub tap: Option<&'o Path>,
    /// Whether what was recorded of the world around agents is kept in record mode, and only what misses is recorded.
    pub update: bool,
    /// What may be spent on the live world in record mode.
    pub budget: Option<Arc<Budget>>,
    /// What must not leave the run: the environment's secrets.
    pub secrets: &'o Redactor,
}
