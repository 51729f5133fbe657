//! Prints the cost of `agentci` compared with the floor of the same work, as ratios measured in one run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench is there to print")]

mod agui;
mod arguments;
mod growth;
mod instructions;
mod llm;
mod measure;
mod mock;
mod process;
mod recorder;
mod reports;
mod row;
mod rows;
mod scripts;
mod size;
mod start;

use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use arguments::Arguments;
use row::Row;

/// The result of a bench: its lines of the table.
type Measured = Result<Vec<Row>, Box<dyn Error>>;

/// A bench: its name, and its function.
struct Bench {
    name: &'static str,
    measure: fn(&Setting) -> Measured,
}

/// In the order in which they run. Those that use much memory in this process are last: the peak memory of a child
/// includes that of its parent when it was started.
const BENCHES: &[Bench] = &[
    Bench { name: "size", measure: size::measure },
    Bench { name: "start", measure: start::measure },
    Bench { name: "process", measure: process::measure },
    Bench { name: "agui", measure: agui::measure },
    Bench { name: "scripts", measure: scripts::measure },
    Bench { name: "mock", measure: mock::measure },
    Bench { name: "growth", measure: growth::measure },
    Bench { name: "rows", measure: rows::measure },
    Bench { name: "llm", measure: llm::measure },
    Bench { name: "recorder", measure: recorder::measure },
    Bench { name: "reports", measure: reports::measure },
    Bench { name: "instructions", measure: instructions::measure },
];

/// The settings of every bench.
struct Setting {
    /// The number of measured rounds.
    rounds: usize,
    /// The folder with the programs: `agentci`, the agents and servers it talks to, and the floors.
    programs: PathBuf,
}

impl Setting {
    fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// `agentci` with its output discarded.
    fn agentci(&self) -> Command {
        let mut command = Command::new(self.program("agentci"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}

/// The figures, for programs.
const RESULTS: &str = "target/bench.json";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let known: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
    let arguments = Arguments::read(std::env::args().skip(1), &known)?;
    if arguments.list {
        println!("{}", known.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let programs = std::env::current_exe()?.parent().ok_or("no folder")?.to_path_buf();
    let setting = Setting { rounds: arguments.rounds, programs };
    let mut rows = Vec::new();
    println!("{}", row::heading());
    for bench in BENCHES.iter().filter(|bench| arguments.wants(bench.name)) {
        let measured = (bench.measure)(&setting).map_err(|error| format!("{}: {error}", bench.name))?;
        for row in &measured {
            println!("{}", row.line());
        }
        rows.extend(measured);
    }
    let values: Vec<_> = rows.iter().map(Row::json).collect();
    std::fs::create_dir_all("target")?;
    std::fs::write(RESULTS, format!("{:#}\n", serde_json::Value::from(values)))?;
    let missed = rows.iter().filter(|row| row.holds() == Some(false)).count();
    let held = rows.iter().filter(|row| row.holds() == Some(true)).count();
    println!("\n{held} bars met, {missed} missed; the figures are in {RESULTS}");
    Ok(if arguments.check && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
