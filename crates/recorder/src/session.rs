//! A session: the proxy and its surroundings, for one command or one attempt at a case.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agentci_process::find_program;
use agentci_text::shorten;
use agentci_trace::Redactor;
use tokio::sync::mpsc::UnboundedSender;

use crate::authority::Authority;
use crate::environment::Environment;
use crate::leaks::{ConnectionPrograms, ConnectionWatch, KnownServers, Untapped, WatchReport, listening_ports};
use crate::proxy::{ExchangeLog, Forking, ProxyListener, ProxyState, ReachRules, RecordingReplay, Upstream, warnings};
use crate::recording::variables_shown;
use crate::tap::{Tapped, Taps, configured_servers, line, unreached};
use crate::zone;
use crate::{
    Circumstances, Exchange, Fork, Forked, Header, MatchRules, Miss, RecordedRequest, Recording, Remedy, ReplayTally,
    Roots, Spoil, StreamAnswer, Warning, WarningKind,
};

/// How long to wait for open exchanges after the agent has exited.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of characters of a server's command in a warning.
const LONGEST_COMMAND: usize = 200;
/// The value of a variable that contained a key when the recording was made.
const PLACEHOLDER: &str = "agentci-placeholder";

/// What a session does with requests.
#[derive(Debug)]
pub enum SessionMode {
    /// Forwards them to the live world and records the answers.
    Record,
    /// Answers them from a recording.
    Replay {
        /// The recording.
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

/// The options of a session.
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
    /// The certificate authority cannot be created.
    #[error("cannot create a certificate authority: {0}")]
    Authority(String),
}

/// A connection that bypassed the proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bypass {
    /// The name of the program.
    pub program: String,
    /// Its process ID.
    pub pid: u32,
    /// The address that it connected to, or the host for which it did not trust our certificate.
    pub to: String,
    /// What happened.
    pub reason: String,
}

/// The result of a session.
#[derive(Debug, Default)]
pub struct FinishedSession {
    /// The recording: the new one, or the replayed one with its additions. It still contains secrets; they are removed
    /// when it is written with `secrets`.
    pub recording: Recording,
    /// All secrets: the known ones, and those seen in requests.
    pub secrets: Redactor,
    /// The result of the replay.
    pub tally: ReplayTally,
    /// Requests that the recording had no answer to.
    pub misses: Vec<Arc<Miss>>,
    /// Connections that bypassed the proxy, each program and address once.
    pub bypassed: Vec<Bypass>,
    /// Warnings, such as answers that are errors.
    pub warnings: Vec<Warning>,
    /// The outcome of a fork.
    pub forked: Option<Forked>,
}

/// A running recorder. It stops on drop.
pub struct RecorderSession {
    shared: Arc<ProxyState>,
    listener: ProxyListener,
    environment: Environment,
    /// Variables that contained keys when the recording was made.
    placeholders: Vec<(String, String)>,
    header: Header,
    watches: Mutex<Vec<ConnectionWatch>>,
    taps: Option<Taps>,
    tapped: Tapped,
    /// What is known about MCP servers; `None` if they are not recorded.
    servers: Option<KnownServers>,
    /// The `PATH` of the agent without the recorder.
    path: OsString,
}

/// Does not print the environment, which may contain secrets.
impl fmt::Debug for RecorderSession {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("address", &self.shared.address).finish_non_exhaustive()
    }
}

impl RecorderSession {
    /// Starts the proxy; must be called within a Tokio runtime with I/O.
    pub async fn start(options: SessionOptions) -> Result<Self, SessionError> {
        // On a machine with many sockets, this takes longer than everything else.
        let before = tokio::task::spawn_blocking(listening);
        let mut secrets = options.secrets.with_environment(wanted_keys(&options.environment));
        let wanted = SocketAddr::new(options.bind, 0);
        let (socket, address) =
            ProxyListener::bind(wanted).await.map_err(|error| SessionError::Address(wanted, error))?;
        let authority = Authority::new().map_err(|error| SessionError::Authority(error.to_string()))?;
        let upstream =
            Upstream::new(options.upstream_roots.as_deref(), &options.environment).map_err(SessionError::Authority)?;
        let zone = match &options.mode {
            SessionMode::Record => None,
            SessionMode::Replay { recording, .. } | SessionMode::Fork { recording, .. } => {
                recording.header.zone.clone()
            }
        };
        // A replay uses the time zone of its recording: prompts contain names and offsets of zones too.
        let zone = zone.as_deref().and_then(zone::named).unwrap_or_else(zone::here);
        let now_ms = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
        let here = Circumstances::in_zone(&zone, now_ms, options.roots.clone());
        let (replay, header) = match options.mode {
            SessionMode::Record => (None, header_here(here, Header::default())),
            SessionMode::Replay { recording, rules, on_miss, pace } => {
                let header = recording.header.clone();
                (Some(RecordingReplay::new(Arc::new(recording), here, rules, on_miss, pace)), header)
            }
            SessionMode::Fork { recording, rules, fork, pace } => {
                let header = header_here(here.clone(), recording.header.clone());
                (Some(RecordingReplay::forked(recording, here, rules, fork, pace)), header)
            }
        };
        let proxy = format!("{}:{}", options.advertise.clone().unwrap_or_else(|| host(address)), address.port());
        let mut environment =
            Environment::prepare(&authority.ca_pem(), &proxy, &options.environment, options.folder.as_deref())
                .map_err(SessionError::Folder)?;
        let path = options.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| OsString::from(path));
        let path = path.unwrap_or_default();
        if let Some(tap) = options.tap.as_deref().filter(|_| options.folder.is_none()) {
            environment.add_shims(tap, &path, &options.roots).map_err(SessionError::Folder)?;
        }
        let placeholders = match &replay {
            Some(replay) => {
                secrets.learn_value(PLACEHOLDER);
                placeholders(&header.keys, &options.environment, replay.is_live())
            }
            None => Vec::new(),
        };
        let kept = replay.as_ref().filter(|replay| replay.fork().is_none());
        let kept = kept.map_or(0, |replay| replay.recording.exchanges.len());
        let ledger = Arc::new(ExchangeLog::new(secrets, options.environment, options.observer, kept));
        let before = before.await.unwrap_or_default();
        let reach = ReachRules {
            pass: options.pass,
            only: options.only,
            allow: options.allow,
            before,
            recorded: replay.as_ref().map(RecordingReplay::origins),
            own: address.port(),
        };
        let programs = ConnectionPrograms::default();
        let shared = Arc::new(ProxyState { address, authority, ledger, reach, upstream, replay, programs });
        let listener = ProxyListener::start(socket, Arc::clone(&shared));
        let tapped = Tapped::default();
        let (taps, servers) = match environment.tap_socket() {
            Some(socket) => {
                let folder = socket.parent().map(Path::to_owned).unwrap_or_default();
                let known = KnownServers { configured: configured_servers(&options.roots), folder };
                let taps = Taps::listen(&socket, options.roots, tapped.clone(), Arc::clone(&shared));
                (Some(taps.map_err(SessionError::Folder)?), Some(known))
            }
            None => (None, None),
        };
        let watches = Mutex::default();
        Ok(Self { shared, listener, environment, placeholders, header, watches, taps, tapped, servers, path })
    }

    /// The address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// The variables that route the agent to the proxy. They replace those that the agent would have without the
    /// recorder.
    pub fn environment(&self) -> Vec<(String, String)> {
        let zone = self.shared.replay.as_ref().and(self.header.zone.clone()).map(|zone| ("TZ".to_owned(), zone));
        let ours = self.environment.variables().into_iter().chain(zone);
        ours.chain(self.placeholders.iter().cloned()).collect()
    }

    /// The program for a name without the recorder: the agent itself must not be started through a shim.
    pub fn program(&self, name: &OsStr) -> OsString {
        find_program(name, &self.path).unwrap_or_else(|| name.to_owned())
    }

    /// The certificate of the authority for all hosts in this session, as PEM.
    pub fn ca_pem(&self) -> String {
        self.shared.authority.ca_pem()
    }

    /// Watches the connections of the agent, which has this process ID.
    pub fn watch(&self, pid: u32) {
        let mut world: HashSet<u16> = self.shared.reach.before.iter().flatten().copied().collect();
        let allowed = |port: &u16| self.shared.reach.allow.contains(&format!("127.0.0.1:{port}"));
        world.retain(|port| !allowed(port));
        let watch = ConnectionWatch::start(pid, self.shared.address, world, self.tapped.clone(), self.servers.clone());
        self.watches.lock().unwrap_or_else(PoisonError::into_inner).push(watch);
    }

    /// Sets the function that decides which faults are injected into a replay. It is not called for telemetry.
    pub fn spoil(&self, decide: impl Fn(&RecordedRequest) -> Option<Spoil> + Send + Sync + 'static) {
        if let Some(replay) = &self.shared.replay {
            let _ = replay.spoils.set(Box::new(decide));
        }
    }

    /// From now on nothing is forwarded to the live world: such requests are refused with this reason.
    pub fn close_upstream(&self, reason: &str) {
        self.shared.upstream.close(reason);
    }

    /// Waits until no exchange is open, up to this timeout. The exchanges that ended by then were sent to the observer.
    pub async fn quiet(&self, limit: Duration) {
        self.shared.ledger.quiet(limit).await;
    }

    /// Ends the session. Open exchanges are kept as far as they were received.
    pub async fn finish(self) -> FinishedSession {
        if let Some(taps) = self.taps {
            taps.stop().await;
        }
        self.shared.ledger.quiet(QUIET_TIMEOUT).await;
        let watches = std::mem::take(&mut *self.watches.lock().unwrap_or_else(PoisonError::into_inner));
        let found =
            tokio::task::spawn_blocking(|| watches.into_iter().map(ConnectionWatch::finish).collect::<Vec<_>>());
        self.listener.stop().await;
        let mut named = BTreeSet::new();
        for WatchReport { bypasses, not_led, untapped } in found.await.unwrap_or_default() {
            for bypass in bypasses {
                self.shared.ledger.bypass(bypass);
            }
            for (program, why) in not_led {
                self.shared.ledger.note(WarningKind::NotLed { program, why: why.to_owned() });
            }
            for server in untapped {
                named.extend(server.name.clone());
                note_untapped(&self.shared, server);
            }
        }
        self.shared.ledger.name_programs(&self.tapped).await;
        let mut seen = std::mem::take(&mut *self.shared.ledger.seen());
        let replay = self.shared.replay.as_ref();
        let holes = replay.map(|replay| replay.recording.holes.clone()).unwrap_or_default();
        let mut recording = match replay.filter(|replay| replay.fork().is_none()) {
            Some(replay) => Recording::clone(&replay.recording),
            None => Recording { header: self.header, holes, ..Recording::default() },
        };
        let absent: Vec<String> = seen.own.iter().filter(|(_, there)| !**there).map(|(own, _)| own.clone()).collect();
        if let Some(replay) = replay {
            let new = absent.iter().filter(|address| !recording.header.absent.contains(address));
            seen.misses.extend(new.map(|address| Arc::new(nobody_there(replay.count(), address))));
        } else {
            recording.header.absent = absent;
        }
        let mut warnings = warnings::of(&seen);
        let mut keys: BTreeSet<String> = recording.header.keys.drain(..).chain(seen.keys).collect();
        let recorded: Vec<Exchange> = seen.exchanges.into_iter().flatten().map(Arc::unwrap_or_clone).collect();
        keys.extend(variables_shown(&recorded, &self.shared.ledger.environment));
        keys.extend(wanted_keys(&self.shared.ledger.environment).map(|(name, _)| name));
        recording.header.keys = keys.into_iter().collect();
        recording.exchanges.extend(recorded);
        let unreached = unreached(&recording.exchanges).into_iter().filter(|server| !named.contains(server));
        warnings.extend(unreached.map(|server| Warning { kind: WarningKind::McpNotRecorded(server), times: 1 }));
        let tally = replay.map(RecordingReplay::tally).unwrap_or_default();
        let forked = replay.and_then(RecordingReplay::fork).map(Forking::outcome);
        let (secrets, misses, bypassed) = (seen.secrets, seen.misses, seen.bypassed);
        FinishedSession { recording, secrets, tally, misses, bypassed, warnings, forked }
    }
}

/// Reports an MCP server without a tap, without the secrets in its command.
fn note_untapped(shared: &ProxyState, mut server: Untapped) {
    shared.ledger.learn_server(&server.environment, &mut server.command);
    let command = shorten(&shared.ledger.clean(&line(&server.command)), LONGEST_COMMAND).into_owned();
    let replayed = shared.replay.is_some();
    shared.ledger.note(WarningKind::McpUntapped { command, why: server.sign.to_string(), replayed });
}

/// The ports with a listener; `None` if the system does not provide them.
fn listening() -> Option<BTreeSet<u16>> {
    Path::new("/proc/net/tcp").exists().then(|| listening_ports().into_iter().collect())
}

/// A header with the circumstances of this session.
fn header_here(here: Circumstances, header: Header) -> Header {
    let Circumstances { now_ms, zone, offset_s, roots } = here;
    Header { now_ms, zone, offset_s, roots, ..header }
}

/// A miss: the agent called an address of this machine that is not in the recording, and where it has no server of its
/// own.
fn nobody_there(number: usize, address: &str) -> Miss {
    let reason = "nothing was recorded for this address, and nothing listens there".to_owned();
    let remedy = Some(Remedy::Start(address.to_owned()));
    Miss { number, asked: address.to_owned(), reason, nearest: None, remedy }
}

fn host(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".into(),
        IpAddr::V4(ip) => ip.to_string(),
    }
}

/// Variables that contain keys according to their names, whether they were seen or not: SDKs require theirs before any
/// request, and agents omit tools whose keys are missing. A key whose value is not removed from the recording is
/// excluded: a replay with another value would miss.
fn wanted_keys(environment: &[(String, String)]) -> impl Iterator<Item = (String, String)> {
    let is_removed = |(name, value): &&(String, String)| {
        let known = Redactor::default().with_environment([(name.clone(), value.clone())]);
        !known.known_places(value).is_empty()
    };
    environment.iter().filter(|(name, _)| name.ends_with("_API_KEY")).filter(is_removed).cloned()
}

/// SDKs refuse to start without a key, and a real one must not reach the agent unless it is used.
fn placeholders(keys: &[String], outside: &[(String, String)], live: bool) -> Vec<(String, String)> {
    let is_set = |key: &String| outside.iter().any(|(name, value)| name == key && !value.is_empty());
    let hidden = keys.iter().filter(|key| !(live && is_set(key)));
    hidden.map(|key| (key.clone(), PLACEHOLDER.to_owned())).collect()
}
