//! A run with a case for each of a million rows of a CSV file, with all artifacts.

use std::error::Error;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::measure::{Cost, megabytes, program_exiting};
use crate::row::{Bar, Row};
use crate::{Measured, Setting};

const SIZES: [usize; 2] = [100_000, 1_000_000];
/// Maximum CPU time for the larger run, on the slowest processor so far, in seconds.
const CPU: f64 = 150.0;
/// Maximum memory for the larger run, in megabytes.
const PEAK: f64 = 512.0;
/// Maximum memory of each additional row, in bytes.
const EACH: f64 = 256.0;
/// One of so many cases fails.
const FAILED: usize = 20_011;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let [small, large] = SIZES.map(|rows| run(setting, rows));
    let (small, large) = (small?, large?);
    #[expect(clippy::cast_precision_loss, reason = "a million")]
    let each = (megabytes(large.peak) - megabytes(small.peak)) * 1e6 / (SIZES[1] - SIZES[0]) as f64;
    let name = format!("rows, {} of a CSV file", SIZES[1]);
    Ok(vec![
        Row::value(format!("{name}: cpu"), "s", large.cpu.as_secs_f64(), Some(Bar::Value(CPU))),
        Row::value(format!("{name}: peak memory"), "MB", megabytes(large.peak), Some(Bar::Value(PEAK))),
        Row::value("rows: memory of a further row", "B", each, Some(Bar::Value(EACH))),
    ])
}

/// The cost of a run of so many rows.
fn run(setting: &Setting, rows: usize) -> Result<Cost, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    write_rows(&folder.path().join("rows.csv"), rows)?;
    std::fs::write(
        folder.path().join("rows.yaml"),
        "suite: rows
target: { mock: { model_name: m, responses: [{ content: a few words for you, model: m, tokens_used: 5, latency_ms: 1 }] } }
cases:
  from: rows.csv
  id: \"{id}\"
  input: { prompt: \"${row.prompt}\" }
  checks: [{ contains: \"${row.expected}\" }]
",
    )?;
    let mut command = setting.agentci();
    let run = command.args(["run", "rows.yaml"]).current_dir(folder.path()).stderr(std::process::Stdio::null());
    program_exiting(run, 1)
}

fn write_rows(path: &Path, rows: usize) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "id,prompt,expected")?;
    for row in 0..rows {
        let expected = if row % FAILED == 7 { "good" } else { "words" };
        writeln!(out, "c{row},hello {row},{expected}")?;
    }
    Ok(out.flush()?)
}
