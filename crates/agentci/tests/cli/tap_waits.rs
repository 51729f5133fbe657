//! The timeouts of `agentci tap`: for a session that does not answer, and for programs that do not close their output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A session that sends this, and then nothing.
fn session(says: &'static str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let socket = UnixListener::bind(folder.path().join("tap.sock")).unwrap();
    thread::spawn(move || {
        let mut taps: Vec<UnixStream> = Vec::new();
        for tap in socket.incoming() {
            let mut tap = tap.unwrap();
            BufReader::new(&tap).read_line(&mut String::new()).unwrap();
            tap.write_all(says.as_bytes()).unwrap();
            taps.push(tap);
        }
    });
    folder
}

fn tapped(folder: &tempfile::TempDir, script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentci"));
    command.args(["tap", "--session"]).arg(folder.path()).args(["--", "sh", "-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn ended(child: Child) -> (String, Option<i32>, Duration) {
    let begun = Instant::now();
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code(), begun.elapsed())
}

#[test]
fn tap_stops_waiting_for_silent_session() {
    let folder = session("");
    let (said, code, took) = ended(tapped(&folder, "echo hi; exit 3"));
    assert_eq!((said.as_str(), code), ("hi\n", Some(3)));
    assert!(took >= Duration::from_secs(9) && took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn tap_stops_waiting_for_session_that_does_not_read() {
    let folder = session("\"record\"\n");
    let (said, code, took) = ended(tapped(&folder, "echo hi; exit 3"));
    assert_eq!((said.as_str(), code), ("hi\n", Some(3)));
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn tap_stops_waiting_for_background_processes() {
    let folder = session("\"record\"\n");
    let (said, code, took) = ended(tapped(&folder, "sleep 60 & echo hi; exit 3"));
    assert_eq!((said.as_str(), code), ("hi\n", Some(3)));
    assert!(took >= Duration::from_secs(5) && took < Duration::from_secs(30), "{took:?}");
}
