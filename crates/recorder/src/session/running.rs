//! A running session: how it is started, and what the agent is given.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agentci_process::find_program;
use jiff::tz::TimeZone;

use super::keys::{PLACEHOLDER, placeholders, wanted_keys};
use super::{SessionError, SessionMode, SessionOptions};
use crate::authority::Authority;
use crate::environment::Environment;
use crate::leaks::{ConnectionPrograms, ConnectionWatch, KnownServers, listening_ports};
use crate::proxy::{ExchangeLog, ProxyListener, ProxyState, ReachRules, RecordingReplay, Upstream};
use crate::tap::{TapRegistry, Taps, configured_servers};
use crate::zone;
use crate::{Circumstances, Header, RecordedRequest, Spoil, WarningKind};

/// A running recorder. It stops on drop.
pub struct RecorderSession {
    pub(super) shared: Arc<ProxyState>,
    pub(super) listener: ProxyListener,
    environment: Environment,
    /// Variables that contained keys when the recording was made.
    placeholders: Vec<(String, String)>,
    pub(super) header: Header,
    pub(super) watches: Mutex<Vec<ConnectionWatch>>,
    pub(super) taps: Option<Taps>,
    pub(super) tapped: TapRegistry,
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
        let zone = time_zone(&options.mode);
        let now_ms = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
        let here = Circumstances::in_zone(&zone, now_ms, options.roots.clone());
        let (replay, header) = replay_and_header(options.mode, here);
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
        let before = before.await.unwrap_or_else(|_| {
            ledger.note(WarningKind::NotWatched);
            None
        });
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
        let tapped = TapRegistry::default();
        let (taps, servers) = match environment.tap_socket() {
            Some(socket) => {
                let folder = socket.parent().map(Path::to_owned).expect("the socket is in a folder");
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
}

/// A replay uses the time zone of its recording: prompts contain names and offsets of zones too.
fn time_zone(mode: &SessionMode) -> TimeZone {
    let recorded = match mode {
        SessionMode::Record => None,
        SessionMode::Replay { recording, .. } | SessionMode::Fork { recording, .. } => recording.header.zone.as_deref(),
    };
    recorded.and_then(zone::named).unwrap_or_else(zone::here)
}

/// The replay of a session that has one, and the header of what it records.
fn replay_and_header(mode: SessionMode, here: Circumstances) -> (Option<RecordingReplay>, Header) {
    match mode {
        SessionMode::Record => (None, header_here(here, Header::default())),
        SessionMode::Replay { recording, rules, on_miss, pace } => {
            let header = recording.header.clone();
            (Some(RecordingReplay::new(Arc::new(recording), here, rules, on_miss, pace)), header)
        }
        SessionMode::Fork { recording, rules, fork, pace } => {
            let header = header_here(here.clone(), recording.header.clone());
            (Some(RecordingReplay::forked(recording, here, rules, fork, pace)), header)
        }
    }
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

fn host(address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".into(),
        IpAddr::V4(ip) => ip.to_string(),
    }
}
