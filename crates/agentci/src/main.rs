//! The `agentci` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(agentci::cli::main(std::env::args_os()).code())
}
