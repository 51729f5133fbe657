//! Real processes and connections.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::sockets::{inode_of, socket};
use super::{ConnectionPrograms, ConnectionWatch, WatchReport, listening_ports};
use crate::Bypass;
use crate::tap::TapRegistry;

/// A program that connects to addresses, prints a line, and stays connected until it receives a line.
const CLIENT: &str = "
import socket, sys
open = [socket.create_connection(('127.0.0.1', int(port))) for port in sys.argv[1:]]
print('connected', flush=True)
sys.stdin.readline()
";

fn client(words: &[&str], ports: &[u16]) -> Child {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(ports.iter().map(u16::to_string));
    command.env("AGENTCI_PROXY", "x");
    let mut child = command.env_remove("PYTHONPATH").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "connected\n");
    child
}

fn end(mut child: Child) {
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    child.wait().unwrap();
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Watches one client until a bypass must have been seen.
fn watched(words: &[&str], ports: &[u16], proxy: SocketAddr, before: HashSet<u16>) -> Vec<Bypass> {
    watched_all(words, ports, proxy, before).bypasses
}

fn watched_all(words: &[&str], ports: &[u16], proxy: SocketAddr, before: HashSet<u16>) -> WatchReport {
    let child = client(words, ports);
    let watch = ConnectionWatch::start(child.id(), proxy, before, TapRegistry::default(), None);
    std::thread::sleep(std::time::Duration::from_millis(600));
    end(child);
    watch.finish().unwrap()
}

#[test]
fn parses_socket_table_rows() {
    let row = "   1: 0100007F:1F90 08080808:01BB 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 20 4 30 10 -1";
    let read = socket(row).unwrap();
    assert_eq!((read.local.to_string(), read.remote.to_string()), ("127.0.0.1:8080".into(), "8.8.8.8:443".into()));
    assert_eq!((read.inode, read.listening), (4711, false));
    let mapped = row.replace("0100007F", "0000000000000000FFFF00000100007F").replace(" 01 ", " 0A ");
    let read = socket(&mapped).unwrap();
    assert_eq!((read.local.to_string(), read.listening), ("127.0.0.1:8080".into(), true));
    for bad in ["", "sl local", "1: x y z", &row.replace("4711", "0"), &row.replace("0100007F", "ä00007F")] {
        assert_eq!(socket(bad), None);
    }
}

#[test]
fn finds_program_of_a_connection() {
    let (proxy, address) = listener();
    let child = client(&["python3", "-c", CLIENT], &[address.port()]);
    let (_stream, peer) = proxy.accept().unwrap();
    let programs = ConnectionPrograms::default();
    let (pid, name) = programs.find(peer, address).unwrap();
    assert_eq!(pid, child.id());
    assert!(name.starts_with("python"), "{name}");
    assert_eq!(programs.find(address, peer).map(|(pid, _)| pid), Some(std::process::id()), "our end is ours");
    end(child);
    assert_eq!(programs.find(SocketAddr::from(([127, 0, 0, 1], 1)), address), None);
    assert_eq!(programs.find(peer, address), None, "it is gone");
}

#[test]
fn grandchild_bypass_to_existing_listener_is_reported_once() {
    let (_proxy, proxy) = listener();
    let (_world, world) = listener();
    let before = listening_ports();
    assert!(before.contains(&world.port()));
    let script = "python3 -c \"$0\" \"$@\"; exit 0";
    let found = watched(&["sh", "-c", script, CLIENT], &[world.port(), world.port(), proxy.port()], proxy, before);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].program.starts_with("python"), "{found:?}");
    assert_eq!(found[0].to, world.to_string());
    assert!(found[0].reason.contains("Go"), "{found:?}");
}

#[test]
fn isolated_python_is_reported_with_its_flag() {
    let (_proxy, proxy) = listener();
    let (_world, world) = listener();
    let found = watched(&["python3", "-I", "-c", CLIENT], &[world.port()], proxy, listening_ports());
    assert!(found.len() == 1 && found[0].reason.contains("-I"), "{found:?}");
}

/// Connections to the proxy, to servers of the agent itself, and of other programs on the same machine.
#[test]
fn expected_connections_are_not_reported() {
    let (_proxy, proxy) = listener();
    let (_world, world) = listener();
    let mut before = listening_ports();
    let (_own, own) = listener();
    before.remove(&own.port());
    let _ours = TcpStream::connect(world).unwrap();
    let found = watched(&["python3", "-c", CLIENT], &[proxy.port(), own.port()], proxy, before);
    assert_eq!(found, []);
}

/// The parent of this process may have left a connection open, which is then open in all processes that we start.
#[test]
fn inherited_connection_is_not_reported() {
    let (_proxy, proxy) = listener();
    let (_world, world) = listener();
    let inherited = TcpStream::connect(world).unwrap();
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).unwrap();
    assert_eq!(watched(&["python3", "-c", CLIENT], &[], proxy, listening_ports()), []);
    let found = watched(&["python3", "-c", CLIENT], &[world.port()], proxy, listening_ports());
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn watch_of_missing_process_ends() {
    let (_proxy, proxy) = listener();
    assert_eq!(
        ConnectionWatch::start(u32::MAX, proxy, HashSet::new(), TapRegistry::default(), None).finish(),
        Some(WatchReport::default())
    );
}

/// For both address families, and for an IPv4 address mapped to IPv6.
#[test]
fn single_socket_query_matches_socket_table() {
    for listen in ["127.0.0.1:0", "[::1]:0", "[::]:0"] {
        let Ok(listener) = TcpListener::bind(listen) else { continue };
        let port = listener.local_addr().unwrap().port();
        let ip = if listen == "[::1]:0" { "::1" } else { "127.0.0.1" };
        let stream = TcpStream::connect((ip, port)).unwrap();
        let _accepted = listener.accept().unwrap();
        let (local, remote) = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
        let table = super::sockets::tables();
        let row = table.iter().find(|socket| socket.local == local && socket.remote == remote);
        assert_eq!(inode_of(local, remote), row.map(|socket| socket.inode), "{listen}");
        assert!(row.is_some(), "{listen}");
        // The end of the server is another socket, and these addresses belong to none.
        assert!(inode_of(remote, local).is_some_and(|inode| row.unwrap().inode != inode), "{listen}");
        assert_eq!(inode_of(SocketAddr::new(local.ip(), 1), remote), None, "{listen}");
        assert!(listening_ports().contains(&port), "{listen}");
        assert!(super::sockets::tcp().contains(row.unwrap()), "{listen}");
    }
}

/// A child with an empty environment, and one with a complete one. Neither makes a connection that would be detected.
#[test]
fn child_without_proxy_is_reported() {
    let (_proxy, proxy) = listener();
    let run = |script: &str| {
        let found = watched_all(&["sh", "-c", script, CLIENT], &[], proxy, HashSet::new());
        assert_eq!(found.bypasses, []);
        found.not_routed
    };
    let clean = run("env -i PATH=\"$PATH\" python3 -c \"$0\"; exit 0");
    assert!(
        matches!(&clean[..], [(program, why)] if program.starts_with("python") && why.contains("without")),
        "{clean:?}"
    );
    assert_eq!(run("python3 -c \"$0\"; exit 0"), []);
    assert!(matches!(&run("python3 -S -c \"$0\"; exit 0")[..], [(_, why)] if why.contains("-S")));
}
