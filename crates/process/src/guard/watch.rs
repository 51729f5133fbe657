//! The main function of the guard: waits for the end of the guarded process.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};

use tokio::signal::unix::{SignalKind, signal};

use super::orphans;

/// The length limit of a line, in bytes.
const LINE_LIMIT: u64 = 64;

/// Reads `input` until it ends or contains `done`. If it ends without `done`, ends all reported groups and all
/// processes with `mark`.
pub fn watch(input: impl Read, mark: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    // The guard ignores signals that end a run: it exits when its pipe ends.
    let _kept = runtime.ok().map(|runtime| {
        let entered = runtime.enter();
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let signals = kinds.map(signal);
        drop(entered);
        (signals, runtime)
    });
    if let Some(groups) = vanished(input) {
        orphans::end(mark, &groups);
    }
}

/// The remaining groups at the end of the pipe; `None` after `done`.
fn vanished(input: impl Read) -> Option<BTreeSet<i32>> {
    let mut groups = BTreeSet::new();
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line) {
            Ok(0) => return Some(groups),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return Some(groups),
        }
        let Some(text) = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) else { continue };
        if text == "done" {
            return None;
        }
        match (text.strip_prefix('+').map(str::parse), text.strip_prefix('-').map(str::parse)) {
            (Some(Ok(group)), _) => drop(groups.insert(group)),
            (_, Some(Ok(group))) => drop(groups.remove(&group)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_process_groups_that_are_still_open() {
        assert_eq!(vanished(&b"+11\n+12\n-11\n+13\n"[..]), Some(BTreeSet::from([12, 13])));
        assert_eq!(vanished(&b""[..]), Some(BTreeSet::new()));
    }

    #[test]
    fn returns_nothing_after_clean_shutdown() {
        assert_eq!(vanished(&b"+11\ndone\n"[..]), None);
    }

    #[test]
    fn incomplete_line_is_ignored() {
        // Killed in the middle of a line: neither `done` nor a group number is complete.
        assert_eq!(vanished(&b"+11\ndon"[..]), Some(BTreeSet::from([11])));
        assert_eq!(vanished(&b"+11\n+12"[..]), Some(BTreeSet::from([11])));
        let long = [vec![b'+'; 1000], b"1\n+12\n".to_vec()].concat();
        assert!(vanished(&long[..]).is_some_and(|groups| groups.contains(&12)));
    }
}
