//! Starting: `agentci --version` compared with `true`, the minimum of any program.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::measure::{compare, many};
use crate::{Measured, Setting};

/// How often each is started in a round.
const STARTS: usize = 100;
const BAR: f64 = 3.0;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let mut version = setting.agentci();
    version.arg("--version");
    let mut floor = nothing();
    let name = format!("start, {STARTS} times");
    let pairs = compare(name, setting.rounds, &mut || many(&mut version, STARTS), &mut || many(&mut floor, STARTS))?;
    Ok(vec![pairs.cpu(Some(BAR)), pairs.wall(None), pairs.peak(None)])
}

/// A program that does nothing.
pub(crate) fn nothing() -> Command {
    let mut command = Command::new(if Path::new("/bin/true").exists() { "/bin/true" } else { "true" });
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}
