//! Finds the earlier request of the session that a request continues: the one whose messages it begins with.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::fingerprints::of_value;
use crate::RecordedRequest;
use crate::providers::messages;

/// The conversations of a session: the fingerprint of the messages of each answered request, with the exchange that
/// answered it.
#[derive(Debug, Clone, Default)]
pub(super) struct MatchedConversations(HashMap<u64, u64>);

impl MatchedConversations {
    /// The exchange that answered the request that this one continues.
    pub(super) fn before(&self, prints: &[u64]) -> Option<u64> {
        let (_, shorter) = prints.split_last()?;
        shorter.iter().rev().find_map(|print| self.0.get(print)).copied()
    }

    pub(super) fn answered(&mut self, prints: &[u64], id: u64) {
        if let Some(print) = prints.last() {
            self.0.insert(*print, id);
        }
    }
}

/// The fingerprints of the messages of a request: of the first, of the first two, and so on.
pub(super) fn message_prints(request: &RecordedRequest) -> Vec<u64> {
    let Some((api, body)) = request.api().zip(request.body.as_json()) else { return Vec::new() };
    let mut hasher = DefaultHasher::new();
    api.hash(&mut hasher);
    let mut print = |message| {
        of_value(message).hash(&mut hasher);
        hasher.finish()
    };
    messages(api, body).unwrap_or_default().iter().map(&mut print).collect()
}
