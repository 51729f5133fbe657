//! Cases with a check that calls a function, beside the same cases without it.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::measure::{Comparison, compare};

const CASES: usize = 10_000;

const FUNCTIONS: &str = "interface Verdict { pass: boolean; message: string }\n\nfunction words(text: string): string[] {\n  \
    return text.split(/\\s+/).filter((word) => word.length > 0);\n}\n\nexport function AtLeast(output: string, _input: unknown, \
    least: number): Verdict {\n  const count = words(output).length;\n  return { pass: count >= least, message: `${count} words` };\n}\n";

/// Runs 10,000 cases with a scripted model, two checks each, with and without a function.
pub(crate) fn measure(rounds: usize) -> Result<Comparison, Box<dyn Error>> {
    let beside = std::env::current_exe()?;
    let agentci = beside.parent().ok_or("no folder")?.join("agentci");
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("words.ts"), FUNCTIONS)?;
    write_suite(&folder.path().join("with.yaml"), true)?;
    write_suite(&folder.path().join("without.yaml"), false)?;
    let run = |suite: &str| -> Result<(), Box<dyn Error>> {
        let run = ["run", suite, "--parallel", "8"];
        let status = Command::new(&agentci).args(run).current_dir(folder.path()).stdout(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("agentci failed: {status}").into()) }
    };
    compare("scripts".into(), rounds, &mut || run("with.yaml"), &mut || run("without.yaml"))
}

fn write_suite(path: &Path, with: bool) -> Result<(), Box<dyn Error>> {
    let mut suite = String::from(
        "suite: scripts\ntarget: { mock: { model_name: m, responses: [{ content: a few words for you, model: m, tokens_used: 5, latency_ms: 1 }] } }\ncases:\n",
    );
    for case in 0..CASES {
        write!(suite, "  - id: c{case}\n    input: {{ prompt: hello {case} }}\n    checks:\n")?;
        suite.push_str("      - contains: words\n      - not: { matches: sorry|error }\n");
        if with {
            suite.push_str("      - script: { file: words.ts, function: AtLeast, value: 3 }\n");
        }
    }
    std::fs::write(path, suite)?;
    Ok(())
}
