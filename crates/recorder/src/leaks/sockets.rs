//! The sockets of this machine.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Maximum number of bytes read from a table, about a hundred thousand sockets; the rest is ignored.
const LARGEST_TABLE: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Socket {
    pub(super) local: SocketAddr,
    pub(super) remote: SocketAddr,
    pub(super) listening: bool,
    /// Identifies the socket; never 0, which a socket has that no process holds.
    pub(super) inode: u64,
}

pub(super) fn tcp() -> Vec<Socket> {
    told().unwrap_or_else(tables)
}

pub(super) fn udp() -> Vec<Socket> {
    ["/proc/net/udp", "/proc/net/udp6"].into_iter().flat_map(table).collect()
}

/// The TCP ports with a listener. A port with a listener before the agent starts belongs to its world; one with a later
/// listener is the agent's own. Empty if the system does not provide them.
pub(crate) fn listening_ports() -> HashSet<u16> {
    // A table is read page by page, and may lack an existing socket if it changes meanwhile.
    let twice = [tcp(), tcp()];
    twice.iter().flatten().filter(|socket| socket.listening).map(|socket| socket.local.port()).collect()
}

/// The inode of one end of a TCP connection; `None` if it no longer exists.
pub(super) fn inode_of(local: SocketAddr, remote: SocketAddr) -> Option<u64> {
    let find = || tcp().into_iter().find(|socket| socket.local == local && socket.remote == remote);
    // A table that changes while it is read may lack an existing socket.
    find().or_else(find).map(|socket| socket.inode)
}

/// The sockets according to the kernel; `None` if it does not answer. Takes a tenth of the time of a table.
#[cfg(target_os = "linux")]
fn told() -> Option<Vec<Socket>> {
    super::sock_diag::ask()
}

#[cfg(not(target_os = "linux"))]
fn told() -> Option<Vec<Socket>> {
    None
}

/// The sockets according to the tables.
pub(super) fn tables() -> Vec<Socket> {
    ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().flat_map(table).collect()
}

fn table(path: &str) -> Vec<Socket> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_TABLE).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    text.lines().skip(1).filter_map(socket).collect()
}

/// Parses `sl local remote state queues timer retransmits uid timeout inode`.
pub(super) fn socket(line: &str) -> Option<Socket> {
    /// `TCP_LISTEN` of the kernel.
    const LISTEN: &str = "0A";
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (address(fields.next()?)?, address(fields.next()?)?);
    let listening = fields.next()? == LISTEN;
    let inode = fields.nth(5)?.parse().ok().filter(|inode| *inode != 0)?;
    Some(Socket { local, remote, listening, inode })
}

/// Parses `0100007F:1F90`: groups of four bytes, each a number in native byte order.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let group = |index: usize| {
        let digits = host.get(index * 8..index * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let host = match host.len() {
        8 => IpAddr::V4(Ipv4Addr::from(group(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (index, place) in bytes.chunks_exact_mut(4).enumerate() {
                place.copy_from_slice(&group(index)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(host, port))
}
