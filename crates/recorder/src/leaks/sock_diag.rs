//! Asks the kernel for TCP sockets over netlink: see `sock_diag(7)`.
//!
//! Returns the sockets that a process holds. The tables in `/proc/net` contain the same, but to read one the kernel
//! walks through its whole hash table and formats each socket as a line.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};

use super::sockets::Socket;

/// Timeout of a part of the kernel's answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum number of parts of an answer; a part has a few hundred sockets.
const MOST_PARTS: usize = 4_096;
const LARGEST_PART: usize = 32 << 10;

/// Types of messages and flags of requests from `linux/netlink.h` and `linux/sock_diag.h`.
const ERROR: u16 = 2;
const DONE: u16 = 3;
const BY_FAMILY: u16 = 20;
const REQUEST: u16 = 1;
const DUMP: u16 = 0x300;

/// Constants from `linux/in.h`, `linux/socket.h` and `net/tcp_states.h`.
const TCP: u8 = 6;
const IPV4: u8 = 2;
const IPV6: u8 = 10;
const TIME_WAIT: u8 = 6;
const LISTEN: u8 = 10;
/// All states except that of a socket that no process holds.
const HELD: u32 = 0xfff & !(1 << TIME_WAIT);

/// The lengths of a message header and of a socket in an answer.
const HEAD: usize = 16;
const SOCKET: usize = 72;

/// All sockets; `None` if the kernel does not answer, as in some sandboxes.
pub(super) fn ask() -> Option<Vec<Socket>> {
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, Some(netlink::SOCK_DIAG));
    let kernel = kernel.ok()?;
    set_socket_timeout(&kernel, Timeout::Recv, Some(PATIENCE)).ok()?;
    let mut found = Vec::new();
    for family in [IPV4, IPV6] {
        send(&kernel, &request(family), SendFlags::empty()).ok()?;
        for _ in 0..MOST_PARTS {
            if part(&kernel, &mut found)? {
                break;
            }
        }
    }
    Some(found)
}

/// A request for all sockets of a family: the header, and `struct inet_diag_req_v2` without addresses.
fn request(family: u8) -> Vec<u8> {
    let mut text = Vec::with_capacity(HEAD + 56);
    text.extend(72_u32.to_ne_bytes());
    text.extend(BY_FAMILY.to_ne_bytes());
    text.extend((REQUEST | DUMP).to_ne_bytes());
    text.extend([0; 8]);
    text.extend([family, TCP, 0, 0]);
    text.extend(HELD.to_ne_bytes());
    text.extend([0; 48]);
    text
}

/// Reads a part of an answer. Returns whether it was the last.
fn part(kernel: &OwnedFd, found: &mut Vec<Socket>) -> Option<bool> {
    let mut buffer = vec![0; LARGEST_PART];
    let (length, _) = recv(kernel, &mut *buffer, RecvFlags::empty()).ok()?;
    let mut rest = buffer.get(..length)?;
    while rest.len() >= HEAD {
        let length = usize::try_from(u32::from_ne_bytes(bytes(rest, 0)?)).ok()?;
        let message = rest.get(HEAD..length)?;
        match u16::from_ne_bytes(bytes(rest, 4)?) {
            DONE => return Some(true),
            ERROR => return None,
            BY_FAMILY => found.extend(socket(message)),
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(false)
}

/// Parses `struct inet_diag_msg`.
fn socket(message: &[u8]) -> Option<Socket> {
    let message = message.get(..SOCKET)?;
    let address = |port: usize, ip: usize| {
        let ip = match message.first()? {
            &IPV4 => IpAddr::V4(Ipv4Addr::from(bytes::<4>(message, ip)?)),
            _ => IpAddr::V6(Ipv6Addr::from(bytes::<16>(message, ip)?)).to_canonical(),
        };
        Some(SocketAddr::new(ip, u16::from_be_bytes(bytes(message, port)?)))
    };
    let inode = u64::from(u32::from_ne_bytes(bytes(message, 68)?));
    let listening = *message.get(1)? == LISTEN;
    let (local, remote) = (address(4, 8)?, address(6, 24)?);
    (inode != 0).then_some(Socket { local, remote, listening, inode })
}

fn bytes<const N: usize>(text: &[u8], at: usize) -> Option<[u8; N]> {
    text.get(at..at + N)?.try_into().ok()
}
