//! Repeatedly examines the connections of the agent and the processes that it has started.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::process_list::{self, ProcessListScan};
use super::processes::{canonical, follow, ignores_environment, inodes, name, read_most};
use super::proxied::{ProxyRouting, routing};
use super::servers::{KnownServers, ServerMemory, UntappedServer, line};
use super::sockets::{self, Socket};
use crate::Bypass;
use crate::tap::TapRegistry;

/// The pause between two looks: at first and after a new process, and at most.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// A pause is at least this many times as long as the look before it, so that the watch uses at most two percent of a
/// core.
const REST: u32 = 50;
/// How often the owner of a socket is searched before the socket counts as unrelated.
const TRIES: u8 = 10;
/// How often a new process is examined to see whether it is routed to the proxy.
const LOOKS: u8 = 3;
/// Maximum number of reported bypasses.
const MOST_BYPASSES: usize = 100;

const LARGEST_STAT: u64 = 256;

/// Exists on systems with `/proc`.
const OWN_PROCESS: &str = "/proc/self/stat";

const DNS: u16 = 53;
const QUIC: u16 = 443;

/// Watches the connections of a process and all its descendants on a separate thread.
///
/// It samples: a process or a connection that is shorter than the pause between two looks (20 to 100 ms, longer if a
/// look is slow) may be missed. A reported bypass did happen, but the absence of reports does not prove that there was
/// none. Without `/proc`, only servers in the settings of hosts are found.
#[derive(Debug)]
pub(crate) struct ConnectionWatch {
    stop: Sender<()>,
    /// `None` if there is nothing to watch; an error if the thread could not be started.
    thread: Option<io::Result<JoinHandle<WatchReport>>>,
}

/// The findings of a watch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchReport {
    /// Connections that bypassed the proxy: each program and address once, in the order in which they were seen.
    pub(crate) bypasses: Vec<Bypass>,
    /// Programs that were not routed to the proxy, and why: a verb phrase that follows the name. Whether they sent
    /// requests is unknown.
    pub(crate) not_routed: Vec<(String, &'static str)>,
    /// MCP servers without a tap.
    pub(crate) untapped: Vec<UntappedServer>,
}

impl ConnectionWatch {
    /// Starts the watch. `listened_before` contains the loopback ports of the agent's world: those with a listener
    /// before the agent started (see [`listening_ports`](super::listening_ports)), except those that it may use
    /// directly. `servers` is `None` if servers cannot be tapped.
    pub(crate) fn start(
        root: u32,
        proxy: SocketAddr,
        listened_before: HashSet<u16>,
        tapped: TapRegistry,
        servers: Option<KnownServers>,
    ) -> Self {
        let (stop, stopped) = channel();
        if !Path::new(OWN_PROCESS).exists() {
            let thread = servers.and_then(|known| list(root, known, tapped, stopped));
            return Self { stop, thread };
        }
        let mut look = WatchState::new(root, proxy, listened_before, tapped);
        look.servers = servers.map(|known| ServerMemory::new(root, known));
        let work = move || {
            let (mut pause, mut timer) = (SHORTEST_PAUSE, ThreadCpuTimer::default());
            loop {
                let begun = Instant::now();
                let news = look.once();
                pause = if news { SHORTEST_PAUSE } else { (pause * 5 / 4).min(LONGEST_PAUSE) };
                match stopped.recv_timeout(pause.max(timer.lap().unwrap_or_else(|| begun.elapsed()) * REST)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return look.end(),
                }
            }
        };
        Self { stop, thread: Some(named_thread(work)) }
    }

    /// Stops the watch, after the current look. `None` if it could not be started or broke off, so that nothing is
    /// known about the connections.
    pub(crate) fn finish(self) -> Option<WatchReport> {
        let _ = self.stop.send(());
        match self.thread {
            None => Some(WatchReport::default()),
            Some(thread) => thread.ok()?.join().ok(),
        }
    }
}

fn named_thread(work: impl FnOnce() -> WatchReport + Send + 'static) -> io::Result<JoinHandle<WatchReport>> {
    thread::Builder::new().name("leak-watch".to_owned()).spawn(work)
}

/// Repeatedly examines the list of processes.
fn list(
    root: u32,
    known: KnownServers,
    tapped: TapRegistry,
    stopped: Receiver<()>,
) -> Option<io::Result<JoinHandle<WatchReport>>> {
    // Without settings there is nothing to look for.
    let mut listed =
        Some(known).filter(|known| !known.configured.is_empty()).map(|known| ProcessListScan::new(root, known))?;
    let work = move || {
        while stopped.recv_timeout(process_list::PAUSE) == Err(RecvTimeoutError::Timeout) {
            listed.look(&process_list::list());
        }
        WatchReport { untapped: listed.end(&tapped), ..WatchReport::default() }
    };
    Some(named_thread(work))
}

/// Measures the CPU time of this thread. On a busy machine, a look mostly waits for the CPU, and a pause of many times
/// its duration would miss everything.
#[derive(Debug, Default)]
struct ThreadCpuTimer {
    before: Duration,
}

impl ThreadCpuTimer {
    /// The CPU time since the last call; `None` if the system does not report it. The kernel updates the count when a
    /// thread yields, so the end of this look counts for the next one.
    fn lap(&mut self) -> Option<Duration> {
        // The first number is in nanoseconds.
        let text = read_most("/proc/thread-self/schedstat", LARGEST_STAT);
        let worked = Duration::from_nanos(text.split_ascii_whitespace().next()?.parse().ok()?);
        let lap = worked.saturating_sub(self.before);
        self.before = worked;
        Some(lap)
    }
}

/// Sockets that may be a bypass: their remote addresses, and the reason.
type Suspects = BTreeMap<u64, (SocketAddr, &'static str)>;

/// The state between two looks.
struct WatchState {
    proxy: SocketAddr,
    listened_before: HashSet<u16>,
    processes: BTreeSet<u32>,
    /// The parents of processes.
    parents: HashMap<u32, u32>,
    /// MCP servers that are recorded separately: they and their children are not part of the agent.
    tapped: TapRegistry,
    /// Sockets of this process. Its parent may have left some open, and the agent inherits them with everything else.
    inherited: HashSet<u64>,
    /// How often the owner of a socket was searched.
    tried: HashMap<u64, u8>,
    /// UDP sockets of the previous look: a name lookup opens some briefly without sending anything.
    datagrams: HashSet<u64>,
    told: HashSet<(String, SocketAddr)>,
    found: Vec<Bypass>,
    /// Processes that may or may not be routed to the proxy, and how often they were examined.
    unclear: BTreeMap<u32, u8>,
    /// Processes that are not.
    not_routed: BTreeMap<String, (u32, &'static str)>,
    servers: Option<ServerMemory>,
}

impl WatchState {
    fn new(root: u32, proxy: SocketAddr, listened_before: HashSet<u16>, tapped: TapRegistry) -> Self {
        Self {
            tapped,
            parents: HashMap::new(),
            proxy: canonical(proxy),
            listened_before,
            processes: BTreeSet::from([root]),
            inherited: inodes(std::process::id()).collect(),
            tried: HashMap::new(),
            datagrams: HashSet::new(),
            told: HashSet::new(),
            found: Vec::new(),
            unclear: BTreeMap::from([(root, 0)]),
            not_routed: BTreeMap::new(),
            servers: None,
        }
    }

    fn end(mut self) -> WatchReport {
        let mut bypasses = std::mem::take(&mut self.found);
        bypasses.retain(|bypass| !self.is_tapped(bypass.pid));
        let mut not_routed = std::mem::take(&mut self.not_routed);
        // A program that bypassed the proxy is already in the list.
        not_routed.retain(|program, (pid, _)| {
            !self.is_tapped(*pid) && !bypasses.iter().any(|bypass| bypass.program == *program)
        });
        let not_routed = not_routed.into_iter().map(|(program, (_, why))| (program, why)).collect();
        let servers = self.servers.take();
        let untapped = servers.map(|servers| servers.end(&self.tapped, &self.parents)).unwrap_or_default();
        WatchReport { bypasses, not_routed, untapped }
    }

    /// Whether a process is an MCP server that is recorded separately, or was started by one.
    fn is_tapped(&self, pid: u32) -> bool {
        line(pid, &self.parents).any(|pid| self.tapped.contains(pid))
    }

    /// Looks once. Returns whether there is a new process.
    fn once(&mut self) -> bool {
        let before = self.processes.clone();
        follow(&mut self.processes, &mut self.parents);
        self.look_at_new(&before);
        if let Some(servers) = &mut self.servers {
            let new: Vec<u32> = self.processes.difference(&before).copied().collect();
            servers.look(&new, &self.processes, &self.parents);
        }
        let suspects = self.suspects();
        self.tried.retain(|inode, _| suspects.contains_key(inode));
        let open: Suspects = suspects
            .into_iter()
            .filter(|(inode, _)| !self.inherited.contains(inode))
            .filter(|(inode, _)| self.tried.get(inode).is_none_or(|tries| *tries < TRIES))
            .collect();
        if !open.is_empty() {
            self.attribute(&open);
        }
        !self.processes.is_subset(&before)
    }

    /// Examines whether new processes are routed to the proxy. A process that is about to start another program still
    /// has the environment of its parent, so it is examined several times.
    fn look_at_new(&mut self, before: &BTreeSet<u32>) {
        self.unclear.extend(self.processes.difference(before).map(|pid| (*pid, 0)));
        self.unclear.retain(|pid, looks| {
            *looks += 1;
            if let ProxyRouting::No(why) = routing(*pid) {
                if self.not_routed.len() < MOST_BYPASSES {
                    self.not_routed.insert(name(*pid), (*pid, why));
                }
                return false;
            }
            *looks < LOOKS && self.processes.contains(pid)
        });
    }

    /// Sockets of this machine that would be a bypass if they belonged to the agent.
    fn suspects(&mut self) -> Suspects {
        let tcp = sockets::tcp();
        let listening: HashSet<u16> =
            tcp.iter().filter(|socket| socket.listening).map(|socket| socket.local.port()).collect();
        let mut suspects: Suspects = tcp
            .iter()
            // An incoming connection was opened by the other side.
            .filter(|socket| !socket.listening && !listening.contains(&socket.local.port()))
            .filter_map(|socket| Some((socket.inode, (socket.remote, self.reason(socket)?))))
            .collect();
        let quic = |socket: &Socket| socket.remote.port() == QUIC && !socket.remote.ip().is_loopback();
        let datagrams: BTreeMap<u64, SocketAddr> =
            sockets::udp().iter().filter(|socket| quic(socket)).map(|socket| (socket.inode, socket.remote)).collect();
        let lasting = datagrams.iter().filter(|(inode, _)| self.datagrams.contains(inode));
        suspects.extend(lasting.map(|(inode, to)| (*inode, (*to, "it used QUIC (UDP), which no proxy carries"))));
        self.datagrams = datagrams.into_keys().collect();
        suspects
    }

    fn reason(&self, socket: &Socket) -> Option<&'static str> {
        let (host, port) = (socket.remote.ip(), socket.remote.port());
        let is_proxy = port == self.proxy.port() && (host == self.proxy.ip() || self.proxy.ip().is_unspecified());
        if is_proxy || port == DNS || port == 0 || host.is_unspecified() {
            return None;
        }
        if !host.is_loopback() {
            return Some("it did not use the proxy");
        }
        self.listened_before.contains(&port).then_some("it did not use the proxy for a local address; Go never does")
    }

    fn attribute(&mut self, suspects: &Suspects) {
        for inode in suspects.keys() {
            *self.tried.entry(*inode).or_default() += 1;
        }
        for pid in self.processes.clone() {
            for inode in inodes(pid) {
                let Some((to, reason)) = suspects.get(&inode) else { continue };
                self.tried.insert(inode, TRIES);
                self.tell(pid, *to, reason);
            }
        }
    }

    fn tell(&mut self, pid: u32, to: SocketAddr, reason: &str) {
        let program = name(pid);
        if self.found.len() >= MOST_BYPASSES || !self.told.insert((program.clone(), to)) {
            return;
        }
        let reason = ignores_environment(pid).map_or_else(
            || reason.to_owned(),
            |option| {
                let ignored = if option == "-S" { "" } else { "the environment and " };
                format!("it was started with {option}, which makes Python ignore {ignored}the recorder's hook")
            },
        );
        self.found.push(Bypass { program, pid, to: to.to_string(), reason });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_watch_is_not_a_watch_without_findings() {
        let watch = |thread| ConnectionWatch { stop: channel().0, thread };
        assert_eq!(watch(None).finish(), Some(WatchReport::default()));
        assert_eq!(watch(Some(named_thread(WatchReport::default))).finish(), Some(WatchReport::default()));
        assert_eq!(watch(Some(named_thread(|| panic!("on purpose")))).finish(), None);
        assert_eq!(watch(Some(Err(io::ErrorKind::OutOfMemory.into()))).finish(), None);
    }
}
