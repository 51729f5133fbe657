//! The report writers, compared with a plain copy of the bytes that they write.

use std::cell::RefCell;
use std::error::Error;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use agentci_report::{Html, Junit, ReportOutput, Reporter, Summary};
use agentci_verdict::RunEvent;

use crate::growth::write_suite;
use crate::measure::{Cost, compare, megabytes, program};
use crate::row::{Bar, Row};
use crate::{Measured, Setting};

const CASES: usize = 10_000;
/// Maximum size of the page, in megabytes.
const PAGE: f64 = 4.0;

type Writer = (&'static str, fn(ReportOutput) -> Box<dyn Reporter>);

const WRITERS: [Writer; 3] = [
    ("html", |output| Box::new(Html::new(output))),
    ("junit", |output| Box::new(Junit::new(output))),
    ("summary", |output| Box::new(Summary::new(output))),
];

pub(crate) fn measure(setting: &Setting) -> Measured {
    let folder = tempfile::tempdir()?;
    write_suite(&folder.path().join("suite.yaml"), CASES)?;
    program(setting.agentci().args(["run", "suite.yaml", "--output-dir", "runs"]).current_dir(folder.path()))?;
    let events = events(&folder.path().join("runs"))?;
    let mut rows = Vec::new();
    for (name, writer) in WRITERS {
        let bytes = write(&events, writer)?;
        let (ours, copy) = (folder.path().join("ours"), folder.path().join("copy"));
        let name = format!("reports, {name} of {CASES} cases");
        let pairs = compare(
            name.clone(),
            setting.rounds,
            &mut || timed(|| Ok(std::fs::write(&ours, write(&events, writer)?)?)),
            &mut || timed(|| Ok(std::fs::write(&copy, &bytes)?)),
        )?;
        rows.push(pairs.wall(None));
        let bar = name.contains("html").then_some(Bar::Value(PAGE));
        rows.push(Row::value(format!("{name}: size"), "MB", megabytes(bytes.len() as u64), bar));
    }
    Ok(rows)
}

/// The events of the only run below a folder.
fn events(runs: &Path) -> Result<Vec<RunEvent>, Box<dyn Error>> {
    let suite = std::fs::read_dir(runs)?.next().ok_or("no suite was run")??;
    let run = std::fs::read_dir(suite.path())?.next().ok_or("nothing was run")??;
    Ok(agentci_ledger::read(&run.path().join("run.jsonl"))?.events)
}

/// Writes a report from the events.
fn write(events: &[RunEvent], writer: fn(ReportOutput) -> Box<dyn Reporter>) -> Result<Vec<u8>, Box<dyn Error>> {
    let written: Rc<RefCell<Vec<u8>>> = Rc::default();
    let kept = Rc::clone(&written);
    let mut report = writer(Box::new(move |bytes| {
        kept.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }));
    events.iter().try_for_each(|event| report.on_event(event))?;
    report.finish()?;
    Ok(written.take())
}

/// Work in this process only has a wall time.
fn timed(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Cost, Box<dyn Error>> {
    let start = Instant::now();
    work()?;
    Ok(Cost { wall: start.elapsed(), cpu: Duration::ZERO, peak: 0 })
}
