//! Processes and their sockets, read from `/proc`.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::sockets;

/// How many processes, threads of a process and open files of a process are examined; the rest is ignored.
const MOST_PROCESSES: usize = 32_768;
const MOST_THREADS: usize = 1_024;
const MOST_FILES: usize = 16_384;
/// How many generations of processes are followed upward.
const LONGEST_LINE: usize = 64;
/// Maximum number of bytes read from a list of children or a command line.
const LARGEST_LIST: u64 = 64 << 10;

/// Finds the programs of connections. The last program found is tried first: usually it is the same again.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionPrograms(Arc<AtomicU32>);

impl ConnectionPrograms {
    /// The process ID and name of the program at the other end of a connection to the proxy. `peer` is the address that
    /// the proxy sees. `None` if the program has exited, if it belongs to another user, or if there is no `/proc`.
    pub(crate) fn find(&self, peer: SocketAddr, proxy: SocketAddr) -> Option<(u32, String)> {
        let inode = sockets::inode_of(canonical(peer), canonical(proxy))?;
        let holds = |pid: &u32| *pid != 0 && inodes(*pid).any(|held| held == inode);
        let last = Some(self.0.load(Ordering::Relaxed)).filter(holds);
        // The agent is usually a child of this process, and there are few of those.
        let ours = || {
            let mut ours = BTreeSet::from([std::process::id()]);
            follow(&mut ours, &mut HashMap::new());
            ours.into_iter().rev().find(holds)
        };
        let pid = last.or_else(ours).or_else(|| all().into_iter().find(holds))?;
        self.0.store(pid, Ordering::Relaxed);
        Some((pid, name(pid)))
    }
}

/// Converts an IPv4-mapped IPv6 address to the IPv4 address.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// The name of a program, safe to print.
pub(super) fn name(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name: String = name.trim().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if name.is_empty() { "a program".to_owned() } else { name }
}

/// The option that made a Python program ignore its environment, and with it the hook.
pub(super) fn ignores_environment(pid: u32) -> Option<&'static str> {
    if !name(pid).starts_with("python") {
        return None;
    }
    let line = read(&format!("/proc/{pid}/cmdline"));
    let options = line.split('\0').skip(1).take_while(|word| word.starts_with('-') && !word.starts_with("--"));
    // The characters after these are their values.
    let letters = options.flat_map(|word| word.chars().skip(1).take_while(|letter| !"cmWX".contains(*letter)));
    let ignoring = [('I', "-I"), ('E', "-E"), ('S', "-S")];
    letters.filter_map(|letter| ignoring.iter().find(|(known, _)| *known == letter)).map(|(_, option)| *option).next()
}

/// Adds the children of the known processes, recursively, with their parents, and removes processes that have exited. A
/// known process stays known when its parent exits.
pub(super) fn follow(known: &mut BTreeSet<u32>, parents: &mut HashMap<u32, u32>) {
    let mut found = BTreeSet::new();
    let mut open: Vec<u32> = known.iter().copied().collect();
    while let Some(pid) = open.pop() {
        if found.len() < MOST_PROCESSES && !found.contains(&pid) && fs::exists(format!("/proc/{pid}")).unwrap_or(false)
        {
            found.insert(pid);
            for child in children(pid) {
                parents.insert(child, pid);
                open.push(child);
            }
        }
    }
    *known = found;
}

/// The sockets of a process, the most recently opened first.
pub(super) fn inodes(pid: u32) -> impl Iterator<Item = u64> {
    links(pid).filter_map(|(_, target)| target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok())
}

/// The open files of a process, the most recently opened first: the descriptor of each, and its target.
pub(super) fn links(pid: u32) -> impl Iterator<Item = (u32, String)> {
    let folder = format!("/proc/{pid}/fd");
    let files = fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST_FILES);
    let mut numbers: Vec<u32> = files.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers.into_iter().filter_map(move |number| {
        let target = fs::read_link(format!("{folder}/{number}")).ok()?;
        Some((number, target.to_str()?.to_owned()))
    })
}

/// The command line of a process; empty if it has exited.
pub(super) fn command(pid: u32) -> Vec<String> {
    let line = read(&format!("/proc/{pid}/cmdline"));
    line.trim_end_matches('\0').split('\0').filter(|_| !line.is_empty()).map(str::to_owned).collect()
}

/// A process and its ancestors, as far as they are known.
pub(crate) fn line_of(pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| {
        let stat = read(&format!("/proc/{pid}/stat"));
        // After the name, which may contain anything.
        let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
        (parent > 1).then_some(parent)
    };
    std::iter::successors(Some(pid), parent).take(LONGEST_LINE).collect()
}

/// Each thread has its own children.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten().take(MOST_THREADS);
    let lists = threads.map(|thread| read(&format!("{}/children", thread.path().display())));
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn all() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).take(MOST_PROCESSES).collect()
}

fn read(path: &str) -> String {
    read_most(path, LARGEST_LIST)
}

/// Reads a file up to this many bytes; empty if it cannot be opened.
pub(super) fn read_most(path: &str, most: u64) -> String {
    let mut bytes = Vec::new();
    let _ = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
