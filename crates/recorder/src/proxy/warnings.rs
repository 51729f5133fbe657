//! What is worth knowing at the end of a session, in sentences.

use std::collections::BTreeMap;

use super::ledger::SeenSoFar;

/// Statuses that say that a key is missing or wrong.
const DENIED: [u16; 2] = [401, 403];

/// The warnings of a session.
pub(crate) fn of(seen: &SeenSoFar) -> Vec<String> {
    let mut warnings = denied(seen);
    for (text, times) in &seen.notes {
        warnings.push(if *times == 1 { text.clone() } else { format!("{text} ({times} times)") });
    }
    for (host, (connections, bytes)) in &seen.unread {
        let many = if *connections == 1 { "1 connection".into() } else { format!("{connections} connections") };
        warnings.push(format!("{host} was passed on unread: {many}, {bytes} bytes"));
    }
    warnings
}

fn denied(seen: &SeenSoFar) -> Vec<String> {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    for exchange in seen.exchanges.iter().flatten().filter(|exchange| !exchange.chatter) {
        if let Some(status) =
            exchange.response.as_ref().map(|response| response.status).filter(|it| DENIED.contains(it))
        {
            *counts.entry(status).or_default() += 1;
        }
    }
    let sentence = |(status, count): (u16, usize)| match count {
        1 => format!("1 answer is {status}"),
        _ => format!("{count} answers are {status}"),
    };
    counts.into_iter().map(sentence).collect()
}
