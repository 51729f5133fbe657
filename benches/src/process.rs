//! The process target, compared with a bare loop that spawns the same agent and answers it.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::measure::{Pairs, compare, program};
use crate::{Measured, Setting};

const CASES: usize = 200;
const WALL: f64 = 1.6;
/// On the slowest processor so far; `instructions` finds out whether a case became slower.
const CPU: f64 = 1.8;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let mut rows = Vec::new();
    for at_once in [1, 2] {
        let pairs = cases(setting, at_once)?;
        // Cases share one thread, so only a single agent at a time never waits for another.
        let wall_bar = (at_once == 1).then_some(WALL);
        rows.extend([pairs.wall(wall_bar), pairs.cpu(Some(CPU))]);
    }
    Ok(rows)
}

/// Runs 200 cases of three tool calls, with this concurrency.
fn cases(setting: &Setting, at_once: usize) -> Result<Pairs, Box<dyn Error>> {
    let agent = setting.program("agent");
    let folder = tempfile::tempdir()?;
    write_suite(folder.path(), &agent, CASES)?;
    let mut run = setting.agentci();
    run.args(["run", "suite.yaml", "--parallel", &at_once.to_string()]).current_dir(folder.path());
    let mut floor = Command::new(setting.program("spawn_loop"));
    floor.arg(&agent).args([CASES, at_once].map(|count| count.to_string()));
    let name = format!("process, {at_once} at once");
    compare(name, setting.rounds, &mut || program(&mut run), &mut || program(&mut floor))
}

/// Writes a suite with this many cases of three tool calls.
pub(crate) fn write_suite(folder: &Path, agent: &Path, cases: usize) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir(folder.join("cases"))?;
    let suite = format!(
        "suite_name: bench\nagent_command: [{}]\nmode: replay\ncases_path: cases\ntool_registry: [lookup]\n\
         assertions:\n  - type: must_call\n    tools: [lookup]\n  - type: required_fields\n    fields: [answer]\n",
        agent.display()
    );
    std::fs::write(folder.join("suite.yaml"), suite)?;
    let mut tape = String::new();
    for step in 1..=3 {
        writeln!(tape, r#"{{"tool":"lookup","args":{{"step":{step}}},"ok":true,"result":{{"value":"{step}"}}}}"#)?;
    }
    std::fs::write(folder.join("tape.jsonl"), tape)?;
    for case in 0..cases {
        let text = format!("id: case-{case:03}\ninput:\n  number: {case}\ncassette: tape.jsonl\n");
        std::fs::write(folder.join(format!("cases/{case:03}.yaml")), text)?;
    }
    Ok(())
}
