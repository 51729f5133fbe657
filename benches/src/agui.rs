//! Conversations with a local AG-UI server beside a bare client that reads the same streams.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::measure::{Comparison, compare};

const TESTS: usize = 50;
const TURNS: usize = 3;
const AT_ONCE: usize = 8;

/// A server that thinks for so long in every turn.
pub(crate) fn measure(rounds: usize, pause_ms: u64) -> Result<Comparison, Box<dyn Error>> {
    let beside = std::env::current_exe()?;
    let beside = beside.parent().ok_or("no folder")?;
    let server = Server::start(&beside.join("agui_server"), pause_ms)?;
    let folder = tempfile::tempdir()?;
    write_suite(folder.path(), &server.address)?;
    let (agentci, client): (PathBuf, PathBuf) = (beside.join("agentci"), beside.join("agui_client"));
    let counts = [TESTS, TURNS, AT_ONCE].map(|count| count.to_string());
    let mut run = || {
        let mut command = Command::new(&agentci);
        done(command.args(["run", ".", "--parallel", &counts[2]]).current_dir(folder.path()).stdout(Stdio::null()))
    };
    let mut floor = || done(Command::new(&client).arg(&server.address).args(&counts));
    let name = if pause_ms == 0 { "agui".to_owned() } else { format!("agui, {pause_ms} ms a turn") };
    compare(name, rounds, &mut run, &mut floor)
}

fn done(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", command.get_program().display()).into()) }
}

/// A process of its own, whose time does not count.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(program: &Path, pause_ms: u64) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(program).arg(pause_ms.to_string()).stdout(Stdio::piped()).spawn()?;
        let mut address = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut address)?;
        Ok(Self { child, address: address.trim_end().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_suite(folder: &Path, address: &str) -> Result<(), Box<dyn Error>> {
    let config = format!(
        "version: \"1.0\"\ntarget:\n  type: agui\n  endpoint: \"http://{address}/\"\n  agentId: bench\n  assert:\n    \
         tools: {{ forbid: [delete_order] }}\n    text: {{ must_not_match: [exception, fatal] }}\n    \
         timing: {{ max_duration_ms: 60000 }}\n"
    );
    std::fs::write(folder.join("ananke.config.yaml"), config)?;
    for test in 0..TESTS {
        let mut text = format!("version: \"1.0\"\nname: test {test:02}\nturns:\n");
        for turn in 0..TURNS {
            write!(
                text,
                "  - user: turn {turn}\n    assert:\n      tools: {{ require: [{{ name: search_orders, \
                 args_match: {{ order: \"^A-\" }} }}] }}\n      text: {{ must_match: word }}\n"
            )?;
        }
        std::fs::write(folder.join(format!("{test:02}.test.yaml")), text)?;
    }
    Ok(())
}
