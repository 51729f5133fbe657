//! Conversations with a local AG-UI server, compared with a bare client that reads the same streams.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::measure::{Pairs, compare, program};
use crate::{Measured, Setting};

const TESTS: usize = 50;
const TURNS: usize = 3;
const AT_ONCE: usize = 8;
/// How long the slow server waits in every turn.
const PAUSE_MS: u64 = 50;
const BAR: f64 = 4.5;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let busy = turns(setting, 0)?;
    let slow = turns(setting, PAUSE_MS)?;
    Ok(vec![busy.cpu(Some(BAR)), busy.wall(None), slow.cpu(None), slow.wall(None)])
}

/// Talks to a server that waits this long in every turn.
fn turns(setting: &Setting, pause_ms: u64) -> Result<Pairs, Box<dyn Error>> {
    let server = Server::start(&setting.program("agui_server"), pause_ms)?;
    let folder = tempfile::tempdir()?;
    write_suite(folder.path(), &server.address)?;
    let counts = [TESTS, TURNS, AT_ONCE].map(|count| count.to_string());
    let mut run = setting.agentci();
    run.args(["run", ".", "--parallel", &counts[2]]).current_dir(folder.path());
    let mut floor = Command::new(setting.program("agui_client"));
    floor.arg(&server.address).args(&counts);
    let name = if pause_ms == 0 { "agui".to_owned() } else { format!("agui, {pause_ms} ms a turn") };
    compare(name, setting.rounds, &mut || program(&mut run), &mut || program(&mut floor))
}

/// A server in a separate process, whose time does not count.
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
