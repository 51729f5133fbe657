//! What a session is started with, and what it reports while it runs.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use agentci_trace::Redactor;
use tokio::sync::mpsc::UnboundedSender;

use crate::{Exchange, Fork, MatchRules, Miss, Recording, Roots, StreamAnswer};

/// What a session does with requests.
#[derive(Debug)]
pub enum SessionMode {
    /// Forwards them to the live world and records the answers.
    Record,
    /// Answers them from a recording.
    Replay {
        recording: Recording,
        /// What is compared.
        rules: MatchRules,
        /// What happens to a request that is not in the recording.
        on_miss: OnMiss,
        /// How fast answers are sent.
        pace: ReplayPace,
    },
    /// Answers the first ones from a recording, and records all of them.
    Fork {
        /// The recording, with the changed answers.
        recording: Recording,
        /// What is compared.
        rules: MatchRules,
        /// Where the replay leaves the recording.
        fork: Fork,
        /// How fast recorded answers are sent.
        pace: ReplayPace,
    },
}

/// What happens to a request that is not in the recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnMiss {
    /// It is refused, and the session fails.
    #[default]
    Fail,
    /// It is forwarded to the live world, and the answer is not kept.
    Live,
    /// It is forwarded, and the answer is added to the recording.
    Record,
}

/// How fast recorded answers are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ReplayPace {
    /// Immediately.
    #[default]
    Fast,
    /// This many times faster than recorded; 1 is the recorded pace.
    Times(f64),
}

#[derive(Debug)]
pub struct SessionOptions {
    /// What it does with requests.
    pub mode: SessionMode,
    /// The address of the proxy; loopback unless the agent is in a container.
    pub bind: IpAddr,
    /// The host name under which the agent reaches the proxy. Default: the address.
    pub advertise: Option<String>,
    /// The folders of this machine.
    pub roots: Roots,
    /// Hosts whose connections are passed through unread; `*` stands for any text.
    pub pass: Vec<String>,
    /// The only hosts that are read, unless empty.
    pub only: Vec<String>,
    /// Addresses that may be reached in a replay.
    pub allow: Vec<String>,
    /// The environment that the agent would have without the recorder.
    pub environment: Vec<(String, String)>,
    /// The folder for the certificate bundle and the hooks. Default: a temporary folder that is removed with the
    /// session.
    pub folder: Option<PathBuf>,
    /// The program for `agentci tap`, which records MCP servers. Without it they are not recorded.
    pub tap: Option<PathBuf>,
    /// Secrets that are already known.
    pub secrets: Redactor,
    /// Additional certificate authorities for servers of the live world, as PEM.
    pub upstream_roots: Option<Vec<u8>>,
    /// Receives every finished exchange, every miss, and answers that come over another stream.
    pub observer: Option<UnboundedSender<SessionEvent>>,
}

/// Something that a session reports.
#[derive(Debug, Clone)]
pub enum SessionEvent {
    /// A finished exchange.
    Exchange(Arc<Exchange>, SeenHow),
    /// An answer of an MCP server that came over a stream instead of the response to the request.
    Answer(Arc<StreamAnswer>),
    /// A request that the recording has no answer to.
    Miss(Arc<Miss>),
}

/// Where the answer of an exchange came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenHow {
    /// The live world.
    Live,
    /// The recording.
    Replayed,
    /// The recorder itself: the recording has no answer. The miss is reported before.
    Missed,
    /// The recording, with this injected fault.
    Spoilt(&'static str),
}

/// Why a session could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The proxy cannot bind its address.
    #[error("the recording proxy cannot listen on {0}: {1}")]
    Address(SocketAddr, std::io::Error),
    /// The folder for certificates and hooks cannot be written.
    #[error("the folder for certificates and hooks cannot be written: {0}")]
    Folder(std::io::Error),
    /// There is no working directory.
    #[error("cannot determine the working directory: {0}")]
    WorkingDirectory(std::io::Error),
    /// The certificate authority cannot be created.
    #[error("cannot create a certificate authority: {0}")]
    Authority(String),
}
