//! The caller's settings for a run.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::Mode;
use agentci_stubs::Tool;

use crate::budget::Budget;

/// Settings for running suites.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// Whether tools are replayed, recorded or live; default: each suite's own mode.
    pub mode: Option<Mode>,
    /// The number of cases that run concurrently.
    pub parallel: usize,
    /// Whether to start no further case after one that did not pass.
    pub fail_fast: bool,
    /// Whether a run fails when a case is answered from a recording of the whole agent and does not say `played: true`.
    pub require_agent: bool,
    /// How often a case is retried if its agent was unreachable or busy.
    pub retries: u32,
    /// The timeout of a case; default: its own limit.
    pub timeout: Option<Duration>,
    /// The timeout of a whole suite; default: what its dialect says.
    pub suite_timeout: Option<Duration>,
    /// The seed for all random choices; equal seeds give equal runs.
    pub seed: u64,
    /// The address of the stub tool server; default: loopback only.
    pub stub_bind: IpAddr,
    /// The port of the stub tool server; 0 means any free port.
    pub stub_port: u16,
    /// Tools of the calling program, which agents can call in record and live mode.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The embedder for semantic checks, by its id; default: what each suite says.
    pub embedder: Option<String>,
    /// The timeout of one embeddings request; default: 30 seconds.
    pub semantic_timeout: Option<Duration>,
    /// The program, with its arguments, that evaluates slow schemas and paths: it must print
    /// [`WORKER_READY`](crate::WORKER_READY) and then answer as [`Evaluator`](agentci_checks::Evaluator) does. The
    /// `agentci` binary does so with the argument `check-worker`. Default: a thread, whose time is limited but whose
    /// memory is not.
    pub worker: Option<(PathBuf, Vec<OsString>)>,
    /// The `agentci` program, which records MCP servers over standard input and output with `tap`; default: they are
    /// not recorded.
    pub tap: Option<PathBuf>,
    /// Whether record mode keeps existing recordings of the world and records only what is missing.
    pub update: bool,
    /// The budget for the live world in record mode, shared by all suites that are run with it.
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
