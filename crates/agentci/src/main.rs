//! The `agentci` command.

mod cli;

use std::process::ExitCode;

/// Faster than the system's where there are many small pieces: see docs/design/speed-io.md.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(cli::main(std::env::args_os()).code())
}
