//! The standard input and output of a process, the process at their other ends, and unread input, read from `/proc`.

use std::fs;

use super::processes::{links, read_most};

/// Maximum number of bytes of unread input; the first message of a host is shorter.
#[cfg(target_os = "linux")]
const MOST_WAITING: usize = 64 << 10;
const LARGEST_INFO: u64 = 4 << 10;

const PIPE: &str = "pipe:[";
const SOCKET: &str = "socket:[";

/// Standard input and output that are both pipes or sockets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StdioPipes {
    input: String,
    output: String,
}

impl StdioPipes {
    /// The streams of a process. `None` if one of them is a file, a terminal or closed.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let link = |number: u32| {
            let target = fs::read_link(format!("/proc/{pid}/fd/{number}")).ok()?.into_os_string().into_string().ok()?;
            (target.starts_with(PIPE) || target.starts_with(SOCKET)).then_some(target)
        };
        Some(Self { input: link(0)?, output: link(1)? })
    }

    /// The inode of the pipe or socket that is the input.
    pub(super) fn input(&self) -> Option<u64> {
        self.input.trim_end_matches(']').rsplit('[').next()?.parse().ok()
    }

    /// Whether both are sockets. The two ends of a pair have different inodes, so the process at the other end is
    /// unknown.
    pub(super) fn is_sockets(&self) -> bool {
        self.input.starts_with(SOCKET) && self.output.starts_with(SOCKET)
    }

    /// Whether a process writes to this input and reads this output.
    pub(super) fn is_held_by(&self, pid: u32) -> bool {
        let (mut writes, mut reads) = (self.input.starts_with(SOCKET), self.output.starts_with(SOCKET));
        for (number, target) in links(pid) {
            writes |= target == self.input && access(pid, number) == Some('1');
            reads |= target == self.output && access(pid, number) == Some('0');
            if writes && reads {
                return true;
            }
        }
        false
    }

    /// The unread input of this process. It stays unread.
    #[cfg(target_os = "linux")]
    pub(super) fn waiting(&self, pid: u32) -> Vec<u8> {
        let found = if self.input.starts_with(PIPE) { peek::pipe(pid) } else { peek::socket(pid) };
        found.unwrap_or_default()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn waiting(&self, _pid: u32) -> Vec<u8> {
        Vec::new()
    }
}

/// How a file was opened: `0` for reading, `1` for writing, `2` for both. The last digit of a line such as `flags:
/// 02000001`.
fn access(pid: u32, number: u32) -> Option<char> {
    let info = read_most(&format!("/proc/{pid}/fdinfo/{number}"), LARGEST_INFO);
    info.lines().find_map(|line| line.strip_prefix("flags:"))?.trim().chars().last()
}

/// Reads without consuming. The process is not affected: a file is opened briefly and closed.
#[cfg(target_os = "linux")]
mod peek {
    use std::fs::OpenOptions;
    use std::io::{self, Read as _};
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::net::{RecvFlags, recv};
    use rustix::pipe::{PipeFlags, SpliceFlags, tee};
    use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

    use super::MOST_WAITING;

    pub(super) fn pipe(pid: u32) -> Option<Vec<u8>> {
        // The file may be another one by now if the process has replaced it, and must not block us.
        let at_once = i32::try_from(PipeFlags::NONBLOCK.bits()).ok()?;
        let theirs = OpenOptions::new().read(true).custom_flags(at_once).open(format!("/proc/{pid}/fd/0")).ok()?;
        let (mut copy, into) = io::pipe().ok()?;
        let length = tee(&theirs, &into, MOST_WAITING, SpliceFlags::NONBLOCK).ok()?;
        drop(theirs);
        let mut bytes = vec![0; length];
        copy.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Some sandboxes refuse this.
    pub(super) fn socket(pid: u32) -> Option<Vec<u8>> {
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        let theirs = pidfd_getfd(&process, 0, PidfdGetfdFlags::empty()).ok()?;
        let mut bytes = vec![0; MOST_WAITING];
        let (length, _) = recv(&theirs, &mut *bytes, RecvFlags::PEEK | RecvFlags::DONTWAIT).ok()?;
        bytes.truncate(length);
        Some(bytes)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio as Streams};

    use super::*;

    /// Writes to standard error that it is ready, waits for a byte, and then echoes its input.
    fn echo() -> Command {
        let mut child = Command::new("python3");
        child.args(["-c", "import os\nos.write(2, b'.')\nos.read(2, 1)\nos.write(1, os.read(0, 100))"]);
        child
    }

    #[test]
    fn unread_pipe_data_is_not_consumed() {
        let mut child = echo();
        child.stdin(Streams::piped()).stdout(Streams::piped());
        let (theirs, mut go) = UnixStream::pair().unwrap();
        let mut child = child.stderr(OwnedFd::from(theirs)).spawn().unwrap();
        let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        go.read_exact(&mut [0]).unwrap();
        let stdio = StdioPipes::of(child.id()).unwrap();
        assert!(stdio.is_held_by(std::process::id()) && !stdio.is_held_by(child.id()) && !stdio.is_sockets());
        assert_eq!(stdio.waiting(child.id()), b"");
        input.write_all(b"hello\n").unwrap();
        for _ in 0..2 {
            assert_eq!(stdio.waiting(child.id()), b"hello\n");
        }
        go.write_all(b"\n").unwrap();
        drop(input);
        let mut said = String::new();
        output.read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        assert_eq!(said, "hello\n");
    }

    #[test]
    fn unread_socket_data_is_not_consumed() {
        let (theirs, mut ours) = UnixStream::pair().unwrap();
        let (input, output) = (OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
        let mut child = echo();
        child.stdin(input).stdout(output);
        let (theirs, mut go) = UnixStream::pair().unwrap();
        let mut child = child.stderr(OwnedFd::from(theirs)).spawn().unwrap();
        go.read_exact(&mut [0]).unwrap();
        let stdio = StdioPipes::of(child.id()).unwrap();
        assert!(stdio.is_sockets());
        ours.write_all(b"hello\n").unwrap();
        let waiting = stdio.waiting(child.id());
        // Some sandboxes refuse this; then nothing is seen.
        assert!(waiting == b"hello\n" || waiting.is_empty(), "{waiting:?}");
        go.write_all(b"\n").unwrap();
        let mut said = [0; 6];
        ours.read_exact(&mut said).unwrap();
        child.wait().unwrap();
        assert_eq!(&said, b"hello\n");
    }

    #[test]
    fn ignores_process_without_piped_stdio() {
        let mut child =
            Command::new("sleep").arg("60").stdin(Streams::piped()).stdout(Streams::null()).spawn().unwrap();
        assert_eq!(StdioPipes::of(child.id()), None);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(StdioPipes::of(child.id()), None);
    }
}
