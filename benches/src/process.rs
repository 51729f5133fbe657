//! The process target beside a bare loop that spawns the same agent and answers it.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::measure::{Comparison, compare};

const CASES: usize = 200;

/// Runs 200 cases of three tool calls, `parallel` at once.
pub(crate) fn measure(rounds: usize, parallel: usize) -> Result<Comparison, Box<dyn Error>> {
    let beside = std::env::current_exe()?;
    let beside = beside.parent().ok_or("no folder")?;
    let (agentci, agent) = (beside.join("agentci"), beside.join("agent"));
    let folder = tempfile::tempdir()?;
    write_suite(folder.path(), &agent)?;
    let mut run = || {
        let status = Command::new(&agentci)
            .args(["run", "suite.yaml", "--parallel", &parallel.to_string()])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .status()?;
        if status.success() { Ok(()) } else { Err(format!("agentci failed: {status}").into()) }
    };
    let mut floor = || bare_loop(&agent, parallel);
    compare(format!("process, {parallel} at once"), rounds, &mut run, &mut floor)
}

fn write_suite(folder: &Path, agent: &Path) -> Result<(), Box<dyn Error>> {
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
    for case in 0..CASES {
        let text = format!("id: case-{case:03}\ninput:\n  number: {case}\ncassette: tape.jsonl\n");
        std::fs::write(folder.join(format!("cases/{case:03}.yaml")), text)?;
    }
    Ok(())
}

/// The least that a runner of this protocol can do.
fn bare_loop(agent: &Path, parallel: usize) -> Result<(), Box<dyn Error>> {
    let workers: Vec<_> = (0..parallel)
        .map(|_| {
            let agent: PathBuf = agent.to_path_buf();
            std::thread::spawn(move || {
                (0..CASES / parallel).try_for_each(|_| converse(&agent)).map_err(|error| error.to_string())
            })
        })
        .collect();
    for worker in workers {
        worker.join().map_err(|_| "a worker panicked")??;
    }
    Ok(())
}

fn converse(agent: &Path) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(agent).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    input.write_all(b"{\"type\":\"task_start\",\"task_id\":\"t\",\"input\":{\"number\":1}}\n")?;
    for line in BufReader::new(output).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message["type"] == "final_output" {
            break;
        }
        let answer = format!(
            "{{\"type\":\"tool_result\",\"call_id\":{},\"ok\":true,\"result\":{{\"value\":\"1\"}},\"error\":null}}\n",
            message["call_id"]
        );
        input.write_all(answer.as_bytes())?;
    }
    drop(input);
    child.wait()?;
    Ok(())
}
