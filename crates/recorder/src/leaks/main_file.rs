//! What a process runs: its program, or the script that its program interprets.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;

/// Programs that run other code. Versions at the end of a name are ignored.
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "node", "nodejs", "bun", "deno", "ruby", "perl", "php", "sh", "bash", "dash", "zsh", "fish",
    "busybox", "java", "dotnet", "mono", "erl", "beam.smp", "julia", "lua", "uv", "uvx", "Rscript", "R", "guile",
];
/// Options that are followed by code.
const TEXTS: &[&str] = &["-c", "-e", "-p", "--eval", "--print"];
/// Options that are followed by a value.
const VALUES: &[&str] =
    &["-W", "-X", "-r", "--require", "--import", "--loader", "--experimental-loader", "--conditions"];
/// Words before the script of some interpreters.
const RUNS: &[&str] = &["run"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum MainCode {
    /// The program itself.
    Program,
    /// A file that it interprets, as written in the command.
    Script(String),
    /// Code from the command line or from standard input.
    Typed,
    /// It interprets something unknown, such as a module.
    #[default]
    Unknown,
}

impl MainCode {
    /// Determines what a process with this program and command runs.
    pub(super) fn of(program: &str, command: &[String]) -> Self {
        let name = program.rsplit('/').next().expect("a split has a first part");
        let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
        if !INTERPRETERS.contains(&plain) && !INTERPRETERS.contains(&name) {
            return Self::Program;
        }
        let mut words = command.iter().skip(1);
        while let Some(word) = words.next() {
            // `-Ic` of Python, and `-lc` of a shell.
            let short = word.len() > 2 && word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
            if TEXTS.contains(&word.as_str()) || short {
                return Self::Typed;
            } else if VALUES.contains(&word.as_str()) {
                words.next();
            } else if word == "-m" {
                return Self::Unknown;
            } else if !word.starts_with('-') && !RUNS.contains(&word.as_str()) {
                return Self::Script(word.clone());
            }
        }
        Self::Typed
    }

    /// The interpreted file.
    pub(super) fn script(&self) -> Option<&str> {
        if let Self::Script(path) = self { Some(path) } else { None }
    }

    /// Opens the program or script of a running process. `None` if there is none.
    pub(super) fn open(&self, pid: u32) -> Option<(DeviceFile, File)> {
        let path = match self {
            Self::Program => format!("/proc/{pid}/exe"),
            // The path as seen by the process.
            Self::Script(path) if path.starts_with('/') => format!("/proc/{pid}/root{path}"),
            Self::Script(path) => format!("/proc/{pid}/cwd/{path}"),
            Self::Typed | Self::Unknown => return None,
        };
        // Opening a pipe would block until someone writes to it.
        let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((DeviceFile(found.dev(), found.ino()), File::open(path).ok()?))
    }
}

/// The path of the program of a process.
pub(super) fn program(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?.into_os_string().into_string().ok()?;
    Some(path.trim_end_matches(" (deleted)").to_owned())
}

/// Identifies a file by its device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeviceFile(u64, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_commands_as_script_inline_code_or_program() {
        let of =
            |program: &str, line: &str| MainCode::of(program, &line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let script = |path: &str| MainCode::Script(path.to_owned());
        assert_eq!(of("/usr/bin/python3.11", "python3 server.py --db x"), script("server.py"));
        assert_eq!(of("/usr/bin/python3.11", "python3 -u -W ignore /opt/x/server"), script("/opt/x/server"));
        assert_eq!(of("/usr/bin/python3.11", "python3 -Ic code"), MainCode::Typed);
        assert_eq!(of("/usr/bin/python3.11", "python3 -m mcp_server_git"), MainCode::Unknown);
        assert_eq!(of("/usr/bin/python3.11", "python3"), MainCode::Typed);
        assert_eq!(of("/bin/bash", "bash -s"), MainCode::Typed);
        assert_eq!(of("/bin/dash", "sh start.sh"), script("start.sh"));
        assert_eq!(of("/usr/bin/node", "node --import x server.js"), script("server.js"));
        assert_eq!(of("/usr/bin/node", "node -e code"), MainCode::Typed);
        assert_eq!(of("/usr/bin/deno", "deno run -A server.ts"), script("server.ts"));
        assert_eq!(of("/bin/bash", "sh -lc server"), MainCode::Typed);
        assert_eq!(of("/opt/x/server", "server --stdio"), MainCode::Program);
        assert_eq!(of("/opt/nodes", "nodes x"), MainCode::Program);
    }
}
