//! A minimal compiled agent: makes three tool calls, then returns its result.

use std::io::{BufRead as _, Write as _};

fn main() -> std::io::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    for call in 1..=3 {
        writeln!(output, r#"{{"type":"tool_call","name":"lookup","call_id":"c{call}","args":{{"step":{call}}}}}"#)?;
        output.flush()?;
        line.clear();
        input.read_line(&mut line)?;
    }
    writeln!(output, r#"{{"type":"final_output","output":{{"answer":"done"}}}}"#)?;
    output.flush()?;
    // Like any agent, it exits at the end of the conversation.
    line.clear();
    input.read_line(&mut line)?;
    Ok(())
}
