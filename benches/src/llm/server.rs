//! Servers, each in a process whose CPU time is known.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::Setting;

/// A server, until this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// The scripted model.
    pub(crate) fn model(setting: &Setting, script: &Path) -> Result<Self, Box<dyn Error>> {
        Self::start(setting.agentci().args(["serve", "llm"]).arg(script))
    }

    /// A minimal server that sends this answer.
    pub(crate) fn bare(setting: &Setting, answer: &Path) -> Result<Self, Box<dyn Error>> {
        Self::start(Command::new(setting.program("bare_server")).arg(answer))
    }

    /// Starts a program that prints its address in its first line.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Box<dyn Error>> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        let mut words = line.split(|letter: char| !letter.is_ascii_digit() && !".:".contains(letter));
        let address = words.find_map(|word| word.trim_start_matches(':').parse().ok());
        Ok(Self { child, address: address.ok_or_else(|| format!("no address in `{}`", line.trim_end()))? })
    }

    /// Terminates it, and waits for its exit.
    pub(crate) fn end(mut self) -> Result<(), Box<dyn Error>> {
        let id = Pid::from_raw(i32::try_from(self.child.id())?).ok_or("no process")?;
        kill_process(id, Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }

    /// The CPU time of its thread so far.
    pub(crate) fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let schedstat: PathBuf = ["/proc", &self.child.id().to_string(), "schedstat"].iter().collect();
        let text = std::fs::read_to_string(schedstat)?;
        let nanoseconds = text.split_ascii_whitespace().next().ok_or("no time")?.parse()?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
