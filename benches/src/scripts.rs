//! Cases with a check that calls a function, compared with the same cases without it, and in Python compared with
//! TypeScript.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use crate::measure::{compare, program};
use crate::{Measured, Setting};

const CASES: usize = 10_000;
/// How many times the CPU time of TypeScript functions those in Python may take, that of the child included.
const PYTHON_BAR: f64 = 3.0;

const FUNCTIONS: &str = "interface Verdict { pass: boolean; message: string }\n\nfunction words(text: string): string[] {\n  \
    return text.split(/\\s+/).filter((word) => word.length > 0);\n}\n\nexport function AtLeast(output: string, _input: unknown, \
    least: number): Verdict {\n  const count = words(output).length;\n  return { pass: count >= least, message: `${count} words` };\n}\n";

/// The same in Python.
const PYTHON: &str = "def words(text):\n    return [word for word in text.split() if word]\n\n\n\
    def AtLeast(output, _input, least):\n    count = len(words(output))\n    \
    return {\"pass\": count >= least, \"message\": f\"{count} words\"}\n";

/// Runs 10,000 cases with a scripted model, two checks each, with and without a function.
pub(crate) fn measure(setting: &Setting) -> Measured {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("words.ts"), FUNCTIONS)?;
    std::fs::write(folder.path().join("words.py"), PYTHON)?;
    write_suite(&folder.path().join("with.yaml"), Some("words.ts"))?;
    write_suite(&folder.path().join("python.yaml"), Some("words.py"))?;
    write_suite(&folder.path().join("without.yaml"), None)?;
    let run =
        |suite: &str| program(setting.agentci().args(["run", suite, "--parallel", "8"]).current_dir(folder.path()));
    let pairs = compare("scripts", setting.rounds, &mut || run("with.yaml"), &mut || run("without.yaml"))?;
    let python = compare("python", setting.rounds, &mut || run("python.yaml"), &mut || run("with.yaml"))?;
    Ok(vec![pairs.cpu(None), pairs.wall(None), python.cpu(Some(PYTHON_BAR)), python.wall(None)])
}

fn write_suite(path: &Path, functions: Option<&str>) -> Result<(), Box<dyn Error>> {
    let mut suite = String::from(
        "suite: scripts\ntarget: { mock: { model_name: m, responses: [{ content: a few words for you, model: m, tokens_used: 5, latency_ms: 1 }] } }\ncases:\n",
    );
    for case in 0..CASES {
        write!(suite, "  - id: c{case}\n    input: {{ prompt: hello {case} }}\n    checks:\n")?;
        suite.push_str("      - contains: words\n      - not: { matches: sorry|error }\n");
        if let Some(file) = functions {
            writeln!(suite, "      - script: {{ file: {file}, function: AtLeast, value: 3 }}")?;
        }
    }
    std::fs::write(path, suite)?;
    Ok(())
}
