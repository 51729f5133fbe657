//! The minimum that a runner of the process protocol must do: starts the agent, reads its lines, answers its calls,
//! closes its input and waits for it. Arguments: the agent, the number of runs, and the concurrency.

use std::borrow::Cow;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde::Deserialize;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [agent, times, at_once] = arguments.as_slice() else { return Err("three arguments".into()) };
    let (times, at_once): (usize, usize) = (times.parse()?, at_once.parse()?);
    let share = |worker: usize| times / at_once + usize::from(worker < times % at_once);
    std::thread::scope(|scope| {
        // The first worker is this thread, so that a concurrency of one needs no other.
        let others: Vec<_> = (1..at_once).map(|worker| scope.spawn(move || converse(agent, share(worker)))).collect();
        converse(agent, share(0))?;
        for other in others {
            other.join().map_err(|_| "a worker panicked")??;
        }
        Ok(())
    })
}

/// The required fields of a line, borrowed from it where possible.
#[derive(Deserialize)]
struct Message<'m> {
    #[serde(borrow)]
    r#type: Cow<'m, str>,
    #[serde(borrow, default)]
    call_id: Cow<'m, str>,
}

fn converse(agent: &str, times: usize) -> Result<(), String> {
    (0..times).try_for_each(|_| once(agent)).map_err(|error| error.to_string())
}

fn once(agent: &str) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(agent).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    input.write_all(b"{\"type\":\"task_start\",\"task_id\":\"t\",\"input\":{\"number\":1}}\n")?;
    let (mut output, mut line) = (BufReader::new(output), Vec::new());
    loop {
        line.clear();
        output.read_until(b'\n', &mut line)?;
        let message: Message<'_> = serde_json::from_slice(&line)?;
        if message.r#type == "final_output" {
            break;
        }
        let answer = format!(
            "{{\"type\":\"tool_result\",\"call_id\":\"{}\",\"ok\":true,\"result\":{{\"value\":\"1\"}},\"error\":null}}\n",
            message.call_id
        );
        input.write_all(answer.as_bytes())?;
    }
    drop(input);
    child.wait()?;
    Ok(())
}
