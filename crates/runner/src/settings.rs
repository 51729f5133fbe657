//! What a caller decides about a run.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::Mode;
use agentci_stubs::Tool;

use crate::budget::Budget;

/// How to run suites.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Whether tools are replayed, recorded or live; default: each suite's own mode.
    pub mode: Option<Mode>,
    /// How many cases run at once.
    pub parallel: usize,
    /// Start no further case after one that did not pass.
    pub fail_fast: bool,
    /// Whether a run fails when a case is answered from a recording of the whole agent and does not say `played: true`.
    pub require_agent: bool,
    /// How often a case is tried again when its agent could not be reached or was busy.
    pub retries: u32,
    /// How long a case may take; default: its own limit.
    pub timeout: Option<Duration>,
    /// How long all cases of a suite together may take; default: what its dialect says.
    pub suite_timeout: Option<Duration>,
    /// What every draw depends on: equal seeds give equal runs.
    pub seed: u64,
    /// The address of the server that plays tools over HTTP; only this machine can reach it unless it is changed.
    pub stub_bind: IpAddr,
    /// Its port; 0 is any that is free.
    pub stub_port: u16,
    /// Tools of this program, to be called by agents in record and live mode.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The embedder for semantic checks, by its id; default: what each suite says.
    pub embedder: Option<String>,
    /// How long one request for embeddings may take; default: 30 seconds.
    pub semantic_timeout: Option<Duration>,
    /// The program, with its arguments, that evaluates schemas and paths which may take long: it must answer as
    /// [`Evaluator`](agentci_checks::Evaluator) does, after it printed [`WORKER_READY`](crate::WORKER_READY). The binary `agentci`
    /// does with the argument `check-worker`; without it a thread does: its time is bounded, its memory is not.
    pub worker: Option<(PathBuf, Vec<OsString>)>,
    /// The program `agentci`, which records MCP servers over standard input and output with `tap`; default: they are not
    /// recorded.
    pub tap: Option<PathBuf>,
    /// Whether what was recorded of the world around agents is kept in record mode, and only what misses is recorded.
    pub update: bool,
    /// What may be spent on the live world in record mode, and was; shared by all suites that are run with it.
    pub budget: Option<Arc<Budget>>,
}

impl Default for Settings {
    fn default() -> Self {
        let parallel = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            mode: None,
            parallel,
            fail_fast: false,
            require_agent: false,
            retries: 0,
            timeout: None,
            suite_timeout: None,
            seed: 0,
            stub_bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            stub_port: 0,
            tools: Vec::new(),
            embedder: None,
            semantic_timeout: None,
            worker: None,
            tap: None,
            update: false,
            budget: None,
        }
    }
}
