//! Every run event can be written and read back unchanged.

mod any_event;

use agentci_ledger::{RunFolder, RunJournal, read};
use agentci_verdict::RunEvent;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn event_line_round_trips(event in any_event::run_event()) {
        let line = event.to_line().unwrap();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(RunEvent::from_line(&line).unwrap(), event);
    }

    #[test]
    fn journal_round_trips(events in vec(any_event::run_event(), 0..6)) {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(base.path(), "demo", 0).unwrap();
        let mut journal = RunJournal::create(&folder).unwrap();
        for event in &events {
            journal.append(event).unwrap();
        }
        let readback = read(&folder.path().join("run.jsonl")).unwrap();
        prop_assert_eq!(readback.events, events);
        prop_assert!(readback.damaged.is_empty() && !readback.torn);
    }
}
