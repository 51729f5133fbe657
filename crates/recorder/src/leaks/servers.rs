//! Finds MCP servers over standard input and output that run without a tap: a native host started them by a path, or
//! cleared their environment.
//!
//! A process is a candidate if another process of the agent writes to its input and reads its output. It is reported as
//! a server if one of these is true:
//! - its unread input is the first message of a host: a server takes time to start, and the host does not wait for it;
//! - its command is that of a server in the settings of a host;
//! - its code is that of a server, see [`CodeMarkers`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::main_file::{DeviceFile, MainCode, program};
use super::processes::{command, read_most};
use super::server_code::CodeMarkers;
use super::stdio::StdioPipes;
use crate::tap::{ConfiguredServer, TapRegistry, opens};

/// How often a new process is examined to see whether another one talks to it.
const LOOKS: u8 = 3;
/// How often in a row the same command must be seen: a process that is about to start another program still has the
/// command of its parent.
const SETTLED: u8 = 2;
/// How often a process with a host is examined.
const MOST_LOOKS: u8 = 64;
/// How many processes with a host are kept, and how many of their files are kept open.
const MOST_SPOKEN_TO: usize = 512;
const MOST_FILES: usize = 64;
/// The largest file that is searched, and the maximum number of bytes searched in total.
const LARGEST_PROGRAM: u64 = 128 << 20;
const MOST_SEARCHED: u64 = 256 << 20;
/// Maximum number of bytes read from an environment.
const LARGEST_ENVIRONMENT: u64 = 64 << 10;
/// How many generations of processes are followed upward.
const MOST_ABOVE: usize = 64;

/// What is known about the servers of a session in advance.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownServers {
    /// The servers in the settings of hosts.
    pub(crate) configured: Vec<ConfiguredServer>,
    /// The folder with the shims of the session: a command in it is a tap.
    pub(crate) folder: PathBuf,
}

/// A server without a tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UntappedServer {
    /// The command line of the outermost process, including any secrets.
    pub(crate) command: Vec<String>,
    /// Its environment, for finding its secrets.
    pub(crate) environment: Vec<(String, String)>,
    /// Its name in the settings of its host, if known.
    pub(crate) name: Option<String>,
    pub(crate) sign: ServerSign,
}

/// Why a process counts as an MCP server; the most certain reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(crate) enum ServerSign {
    #[error("was sent the first message of an MCP host")]
    Greeted,
    #[error("is configured as an MCP server of a host")]
    Configured,
    #[error("contains the code of an MCP server")]
    Code,
}

/// The state between two looks.
#[derive(Debug)]
pub(super) struct ServerMemory {
    known: KnownServers,
    root: u32,
    /// New processes, and how often they were examined.
    young: BTreeMap<u32, u8>,
    candidates: BTreeMap<u32, ServerCandidate>,
    files: BTreeMap<DeviceFile, File>,
}

/// A process that another process of the agent talks to.
#[derive(Debug, Default)]
struct ServerCandidate {
    /// The process that talks to it.
    host: u32,
    stdio: StdioPipes,
    command: Vec<String>,
    environment: String,
    /// How often it was examined, and how often in a row with this command.
    looks: u8,
    same: u8,
    greeted: bool,
    /// Whether it was a shell with a command before.
    was_typed: bool,
    runs: MainCode,
    file: Option<DeviceFile>,
}

impl ServerMemory {
    pub(super) fn new(root: u32, known: KnownServers) -> Self {
        Self { known, root, young: BTreeMap::new(), candidates: BTreeMap::new(), files: BTreeMap::new() }
    }

    /// Examines the new processes and those with a host.
    pub(super) fn look(&mut self, new: &[u32], there: &BTreeSet<u32>, parents: &HashMap<u32, u32>) {
        self.young.extend(new.iter().map(|pid| (*pid, 0)));
        for (pid, looks) in std::mem::take(&mut self.young) {
            let found = StdioPipes::of(pid).and_then(|stdio| Some((self.host(pid, &stdio, parents)?, stdio)));
            match found {
                Some((host, stdio)) if self.candidates.len() < MOST_SPOKEN_TO => {
                    self.candidates.insert(pid, ServerCandidate { host, stdio, ..ServerCandidate::default() });
                }
                None if looks + 1 < LOOKS && there.contains(&pid) => {
                    self.young.insert(pid, looks + 1);
                }
                _ => {}
            }
        }
        let files = &mut self.files;
        self.candidates.retain(|pid, process| {
            if there.contains(pid) {
                process.look(*pid, files);
            }
            there.contains(pid) || process.is_settled() || process.greeted
        });
    }

    /// The process of the agent at the other ends. `None` if that is the process that started the agent.
    fn host(&self, pid: u32, stdio: &StdioPipes, parents: &HashMap<u32, u32>) -> Option<u32> {
        let mut above = line(pid, parents).skip(1);
        if stdio.is_sockets() {
            let is_same = |pid: u32| StdioPipes::of(pid).as_ref() == Some(stdio);
            return above.find(|pid| !is_same(*pid)).filter(|_| !is_same(self.root));
        }
        above.find(|pid| stdio.is_held_by(*pid))
    }

    /// The servers, each command once.
    pub(super) fn end(self, tapped: &TapRegistry, parents: &HashMap<u32, u32>) -> Vec<UntappedServer> {
        let mut code = FileReader { files: &self.files, known: BTreeMap::new(), left: MOST_SEARCHED };
        let mut found: BTreeMap<Vec<String>, UntappedServer> = BTreeMap::new();
        for (pid, process) in &self.candidates {
            let all = self.same_streams(*pid, process, parents);
            let Some((top, outermost)) = all.last().copied() else { continue };
            let is_below = line(*pid, parents).any(|pid| tapped.contains(pid));
            let is_of_tap = parents.get(&top).is_some_and(|parent| tapped.is_tap(*parent));
            if is_below || is_of_tap || self.is_read_by_tap(&process.stdio, tapped) {
                continue;
            }
            // The commands that an agent types into a shell may include a server that it develops, and no one talks MCP
            // to that one. If a shell exited too soon to be seen, it is missing between the host and the topmost of
            // these processes.
            let is_whole = parents.get(&top) == Some(&process.host);
            let typed =
                !is_whole || all.iter().any(|(_, process)| process.was_typed || process.runs == MainCode::Typed);
            let name = self.name(outermost).or_else(|| self.name(process).filter(|_| !typed));
            // Before it is examined a second time, a process may have the command of its parent.
            let sign = if process.greeted && outermost.looks >= SETTLED {
                ServerSign::Greeted
            } else if name.is_some() {
                ServerSign::Configured
            } else if !typed && process.is_settled() && code.is_server(process) {
                ServerSign::Code
            } else {
                continue;
            };
            let (command, environment) = (outermost.command.clone(), variables(&outermost.environment));
            let server = UntappedServer { command, environment, name: name.cloned(), sign };
            let known = found.entry(server.command.clone()).or_insert_with(|| server.clone());
            known.sign = known.sign.min(sign);
            known.name = known.name.take().or(server.name);
        }
        found.into_values().collect()
    }

    /// Whether a tap reads this input: the process itself, or one that it started with the same streams.
    fn is_read_by_tap(&self, stdio: &StdioPipes, tapped: &TapRegistry) -> bool {
        // A tap that was killed early has not reported to the session.
        let mut same = self.candidates.values().filter(|process| process.stdio == *stdio);
        stdio.input().is_some_and(|input| tapped.reads(input))
            || same.any(|process| is_tap(&process.command, &self.known.folder))
    }

    /// The name of the configured server that this process runs.
    fn name(&self, process: &ServerCandidate) -> Option<&String> {
        self.known
            .configured
            .iter()
            .find(|server| server.is(&process.command, process.runs.script()))
            .map(|server| &server.name)
    }

    /// A process and its ancestors with the same streams, up to the one that the host started: `npx` starts `node`.
    fn same_streams<'s>(
        &'s self,
        pid: u32,
        process: &'s ServerCandidate,
        parents: &HashMap<u32, u32>,
    ) -> Vec<(u32, &'s ServerCandidate)> {
        let above = line(pid, parents).skip(1).map_while(|above| {
            let process = self.candidates.get(&above).filter(|above| above.stdio == process.stdio)?;
            Some((above, process))
        });
        std::iter::once((pid, process)).chain(above).collect()
    }
}

impl ServerCandidate {
    fn look(&mut self, pid: u32, files: &mut BTreeMap<DeviceFile, File>) {
        if self.looks == MOST_LOOKS {
            return;
        }
        self.looks += 1;
        self.greeted = self.greeted || opens(&self.stdio.waiting(pid)) == Some(true);
        let command = command(pid);
        if command.is_empty() {
            return;
        }
        if command != self.command {
            // A shell that is given a single command replaces itself with it.
            let runs = self.command.first().map(|program| MainCode::of(program, &self.command));
            self.was_typed |= runs == Some(MainCode::Typed);
            (self.command, self.same, self.runs, self.file) = (command, 0, MainCode::Unknown, None);
            self.environment = read_most(&format!("/proc/{pid}/environ"), LARGEST_ENVIRONMENT);
        }
        self.same = self.same.saturating_add(1);
        if self.same == SETTLED {
            self.runs = program(pid).map_or(MainCode::Unknown, |program| MainCode::of(&program, &self.command));
            let found = self.runs.open(pid).filter(|(id, _)| files.len() < MOST_FILES || files.contains_key(id));
            self.file = found.map(|(id, file)| {
                files.entry(id).or_insert(file);
                id
            });
        }
    }

    /// Whether it lived long enough to be more than a short-lived command.
    fn is_settled(&self) -> bool {
        self.same >= SETTLED
    }
}

/// Searches files, each once.
struct FileReader<'f> {
    files: &'f BTreeMap<DeviceFile, File>,
    known: BTreeMap<DeviceFile, CodeMarkers>,
    left: u64,
}

impl FileReader<'_> {
    fn is_server(&mut self, process: &ServerCandidate) -> bool {
        let arguments = process.command.get(1..).unwrap_or_default();
        let Some((id, file)) = process.file.and_then(|id| Some((id, self.files.get(&id)?))) else { return false };
        if !self.known.contains_key(&id) {
            let length = file.metadata().map_or(u64::MAX, |found| found.len());
            if length > self.left.min(LARGEST_PROGRAM) {
                return false;
            }
            self.left -= length;
            self.known.insert(id, CodeMarkers::read(file, length));
        }
        self.known.get(&id).is_some_and(|marks| marks.tell_server(arguments))
    }
}

/// Whether this is the command of a tap: a shim of the session, or `agentci tap` written by hand.
pub(super) fn is_tap(command: &[String], folder: &Path) -> bool {
    let by_hand = matches!(command, [agentci, tap, ..] if agentci.ends_with("agentci") && tap == "tap");
    by_hand || command.iter().any(|word| Path::new(word).starts_with(folder))
}

/// A process and its ancestors up to the agent.
pub(super) fn line(pid: u32, parents: &HashMap<u32, u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |pid| parents.get(pid).copied()).take(MOST_ABOVE)
}

/// The variables of an environment as `/proc` shows it.
fn variables(text: &str) -> Vec<(String, String)> {
    let pairs = text.split_terminator('\0').filter_map(|variable| variable.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
