//! Counts the instructions of the hot paths with `callgrind`: clocks are noisy, counts are not.
//!
//! Repeated work is counted twice, with fewer and with more repetitions, and the difference is divided by their number:
//! the result is the cost of one more. Only our own instructions count, not those of agents, and not those of the
//! system.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::llm::{self, Client, Server};
use crate::row::{Bar, Row};
use crate::{Measured, Setting};
use crate::{growth, process, start};

/// The numbers of requests for the two counts.
const FEW: usize = 160;
const MANY: usize = 800;

/// Maximum numbers of instructions, in thousands. Ratios of CPU times differ from processor to processor, so these find
/// out whether a change made something slower.
const START: f64 = 900.0;
const MOCK_CASE: f64 = 360.0;
const PROCESS_CASE: f64 = 790.0;
const PLAIN_REQUEST: f64 = 47.0;
const STREAMED_REQUEST: f64 = 56.0;

pub(crate) fn measure(setting: &Setting) -> Measured {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("instructions are not counted: valgrind is not installed");
        return Ok(Vec::new());
    }
    let mut version = setting.agentci();
    version.arg("--version");
    let pair = (thousands(count(&version)?), thousands(count(&start::nothing())?));
    Ok(vec![
        Row::compared("instructions, start", "k", &[pair], Some(Bar::Value(START))),
        mock_case(setting)?,
        process_case(setting)?,
        request(setting, false)?,
        request(setting, true)?,
    ])
}

fn mock_case(setting: &Setting) -> Result<Row, Box<dyn Error>> {
    let each = one_more(setting, 500, 1_500, &|folder, cases| growth::write_suite(&folder.join("suite.yaml"), cases))?;
    Ok(Row::value("instructions, a mock case", "k", thousands(each), Some(Bar::Value(MOCK_CASE))))
}

fn process_case(setting: &Setting) -> Result<Row, Box<dyn Error>> {
    let agent = setting.program("agent");
    let each = one_more(setting, 5, 25, &|folder, cases| process::write_suite(folder, &agent, cases))?;
    Ok(Row::value("instructions, a process case", "k", thousands(each), Some(Bar::Value(PROCESS_CASE))))
}

type Write<'w> = &'w dyn Fn(&Path, usize) -> Result<(), Box<dyn Error>>;

/// The cost of one more case.
fn one_more(setting: &Setting, few: usize, many: usize, write: Write<'_>) -> Result<u64, Box<dyn Error>> {
    let run = |cases: usize| {
        let folder = tempfile::tempdir()?;
        write(folder.path(), cases)?;
        count(setting.agentci().args(["run", "suite.yaml", "--parallel", "1"]).current_dir(folder.path()))
    };
    Ok(run(many)?.saturating_sub(run(few)?) / (many - few) as u64)
}

/// The cost of one more request to the scripted model, compared with a bare server that sends the same bytes.
fn request(setting: &Setting, stream: bool) -> Result<Row, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (script, answer) = (folder.path().join("model.yaml"), folder.path().join("answer"));
    std::fs::write(&script, llm::script(100)?)?;
    let ask = |command: &Command, requests: usize| {
        let mut asked = Vec::new();
        let count = counted(command, |command| {
            let server = Server::start(command)?;
            let mut client = Client::connect(server.address, &llm::body(stream))?;
            asked = client.once()?;
            client.many(requests)?;
            server.end()
        })?;
        Ok::<_, Box<dyn Error>>((count, asked))
    };
    let one_more = |command: &Command| {
        let (few, asked) = ask(command, FEW)?;
        std::fs::write(&answer, asked)?;
        Ok::<_, Box<dyn Error>>((ask(command, MANY)?.0.saturating_sub(few)) / (MANY - FEW) as u64)
    };
    let mut model = setting.agentci();
    model.args(["serve", "llm"]).arg(&script);
    let ours = one_more(&model)?;
    let mut bare = Command::new(setting.program("bare_server"));
    let floor = one_more(bare.arg(&answer))?;
    let (kind, bar) = if stream { ("streamed", STREAMED_REQUEST) } else { ("plain", PLAIN_REQUEST) };
    let pair = (thousands(ours), thousands(floor));
    Ok(Row::compared(format!("instructions, a {kind} request"), "k", &[pair], Some(Bar::Value(bar))))
}

/// The number of instructions of a program, without its children.
fn count(command: &Command) -> Result<u64, Box<dyn Error>> {
    counted(command, |command| {
        let status = command.stdout(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("it failed: {status}").into()) }
    })
}

/// The same for a program that the caller runs.
fn counted(
    command: &Command,
    run: impl FnOnce(&mut Command) -> Result<(), Box<dyn Error>>,
) -> Result<u64, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let mut counted = Command::new("valgrind");
    counted.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(format!("--log-file={}", log.display()));
    counted.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    if let Some(folder) = command.get_current_dir() {
        counted.current_dir(folder);
    }
    run(&mut counted)?;
    let said = std::fs::read_to_string(log)?;
    let collected = said.lines().rev().find_map(|line| line.split_once("Collected : "));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| format!("valgrind printed no instruction count: {said}").into())
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn thousands(count: u64) -> f64 {
    count as f64 / 1e3
}
