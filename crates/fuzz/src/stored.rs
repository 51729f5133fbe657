//! Files that runs write and later runs read.

use std::path::Path;
use std::sync::Arc;

use agentci_exchange::AgentRecording;
use agentci_plan::RecordedNumbers;
use agentci_report::{FanOut, REPORTS};
use agentci_source::MemoryFiles;
use agentci_stubs::{CassettePlayer, Tape};
use agentci_trace::Redactor;
use agentci_verdict::{Baseline, RunEvent, Thresholds, compare};

pub(crate) fn cassette(bytes: &[u8]) {
    let files = MemoryFiles::default().with("c.jsonl", bytes);
    let Ok(tape) = Tape::load(&files, Path::new("c.jsonl"), &Redactor::default(), RecordedNumbers::ByValue) else {
        return;
    };
    let mut player = CassettePlayer::new(Arc::new(tape.clone()));
    for entry in tape.entries() {
        assert!(player.answer(&entry.tool, &entry.args).is_ok(), "{entry:?} does not answer its own call");
    }
}

pub(crate) fn recording(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(recording) = AgentRecording::parse(text) else { return };
    let stored = recording.write(&Redactor::default());
    let again = AgentRecording::parse(&stored).unwrap();
    // Secrets that are recognised by their form are gone after the first time.
    assert_eq!(again.write(&Redactor::default()), stored);
}

pub(crate) fn baseline(bytes: &[u8]) {
    let Ok(baseline) = Baseline::parse(bytes) else { return };
    let comparison =
        compare(Some(&baseline), &baseline, &Thresholds { no_new_failures: true, ..Thresholds::default() }, true);
    assert!(comparison.passed, "{comparison:?}");
    let ids = baseline.cases.iter().map(|case| case.id.as_str()).skip(1).collect();
    compare(Some(&baseline), &baseline.only(&ids), &Thresholds::default(), false);
}

pub(crate) fn run_jsonl(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let events: Vec<RunEvent> = text.lines().filter_map(|line| RunEvent::from_line(line).ok()).collect();
    for event in &events {
        let line = event.to_line().unwrap();
        assert_eq!(RunEvent::from_line(&line).unwrap(), *event, "{line}");
    }
    let mut reports = FanOut::default();
    for kind in &REPORTS {
        reports.add(kind.name, kind.make(Box::new(|_| Ok(()))));
    }
    for event in events {
        reports.on_event(&Arc::new(event));
    }
    let errors = reports.finish();
    assert!(errors.is_empty(), "{errors:?}");
}
