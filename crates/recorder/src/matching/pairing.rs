//! Pairs the ids of the replay with those of the recording, one to one over the whole session.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::call_ids;
use super::fingerprints::hash_of;
use super::ids::ids_in;
use crate::{Exchange, RecordedBody, Recording};

/// The ids of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairing {
    to_sent: HashMap<String, String>,
    to_recorded: HashMap<String, String>,
    /// Ids from answers: a replay gives the same answers, so these ids stand for themselves.
    given: HashSet<String>,
    /// Ids of calls from answers, in any form.
    given_calls: HashSet<String>,
    /// Ids that the agent generated in the recording. An id that occurs again stands for itself: a new one would
    /// differ.
    made: HashSet<String>,
    /// Ids of the agent that answers repeated: it may send its own one or the repeated one.
    echoed: HashSet<String>,
    /// Texts whose ids are known to stand for themselves, by their fingerprints.
    seen: HashSet<u64>,
}

/// The pairs of one request, which become permanent once it is answered.
#[derive(Debug, Default)]
pub(super) struct TentativePairs {
    to_sent: HashMap<String, String>,
    to_recorded: HashMap<String, String>,
    same: Vec<u64>,
    /// Recorded ids that were replaced by another one, the newest last.
    renamed: Vec<String>,
}

impl TentativePairs {
    /// The number of recorded ids that were replaced by another one.
    pub(super) fn renamed(&self) -> usize {
        self.renamed.len()
    }

    /// The pairs of different ids, starting with the given one: recorded, sent.
    pub(super) fn pairs_from(&self, first: usize) -> impl Iterator<Item = (&str, &str)> {
        let renamed = self.renamed.iter().skip(first);
        renamed.filter_map(|recorded| Some((recorded.as_str(), self.to_sent.get(recorded)?.as_str())))
    }
}

impl Pairing {
    /// Determines where each id came from: an id belongs to the side that sent it first. Ids in the command line, then
    /// or now, and in other input of the agent are not generated.
    pub(super) fn of(recording: &Recording, given: &[String]) -> Self {
        let exchanges = &recording.exchanges;
        let named = recording.header.command.iter().chain(given).flat_map(|text| ids_in(text)).map(str::to_owned);
        let mut pairing = Self { given: named.collect(), ..Self::default() };
        let mut seen = HashSet::new();
        // Requests and answers in chronological order.
        let mut moments: Vec<(u64, bool, &Exchange)> = Vec::with_capacity(exchanges.len() * 2);
        for exchange in exchanges {
            moments.push((exchange.request.at_us, false, exchange));
            moments.push((exchange.end.at_us.max(exchange.request.at_us), true, exchange));
        }
        moments.sort_by_key(|(at, is_answer, exchange)| (*at, *is_answer, exchange.id));
        let mut sent_calls = HashSet::new();
        for (_, is_answer, exchange) in moments {
            if is_answer {
                pairing.read_answer(exchange, &sent_calls);
            } else {
                if let RecordedBody::Json(body) = &exchange.request.body {
                    call_ids::sent_in(body, "", &mut |id| {
                        sent_calls.insert(id.to_owned());
                    });
                }
                let Self { given, made, .. } = &mut pairing;
                texts_of(exchange, &mut |text| {
                    if seen.insert(hash_of(text)) {
                        made.extend(ids_in(text).filter(|id| !given.contains(*id)).map(str::to_owned));
                    }
                });
            }
        }
        pairing
    }

    fn read_answer(&mut self, exchange: &Exchange, sent_calls: &HashSet<String>) {
        let Some(response) = &exchange.response else { return };
        let headers = response.headers.iter().map(|(_, value)| value.as_bytes());
        let frames = response.frames.iter().map(|frame| frame.bytes.as_ref());
        for bytes in headers.chain(frames) {
            let text = String::from_utf8_lossy(bytes);
            let said = call_ids::said_in(&text).filter(|id| !sent_calls.contains(*id));
            self.given_calls.extend(said.map(str::to_owned));
            for id in ids_in(&text) {
                let owner = if self.made.contains(id) { &mut self.echoed } else { &mut self.given };
                owner.insert(id.to_owned());
            }
        }
    }

    /// Whether a sent id may replace a recorded one, given the earlier pairs. Adds the pair to `tentative`.
    pub(super) fn pair(&self, recorded: &str, sent: &str, tentative: &mut TentativePairs) -> bool {
        if recorded == sent && self.given.contains(sent) {
            return true;
        }
        if recorded != sent && [recorded, sent].iter().any(|id| self.given.contains(*id)) {
            return false;
        }
        if recorded != sent && self.made.contains(sent) {
            return false;
        }
        let forth = self.to_sent.get(recorded).or_else(|| tentative.to_sent.get(recorded));
        let back = self.to_recorded.get(sent).or_else(|| tentative.to_recorded.get(sent));
        match (forth, back) {
            // The agent received its recorded id, and may send it.
            (Some(_), _) | (_, Some(_)) if recorded == sent && self.echoed.contains(sent) => true,
            (None, None) => {
                if recorded != sent {
                    tentative.renamed.push(recorded.to_owned());
                }
                tentative.to_sent.insert(recorded.to_owned(), sent.to_owned());
                tentative.to_recorded.insert(sent.to_owned(), recorded.to_owned());
                true
            }
            (Some(forth), Some(back)) => forth == sent && back == recorded,
            _ => false,
        }
    }

    /// The same for the id of a call, which may be any text.
    pub(super) fn pair_call(&self, recorded: &str, sent: &str, tentative: &mut TentativePairs) -> bool {
        let given = recorded != sent && [recorded, sent].iter().any(|id| self.given_calls.contains(*id));
        !given && self.pair(recorded, sent, tentative)
    }

    /// Pairs the ids of a text that is equal on both sides. Such a text has often been seen before.
    pub(super) fn pair_same(&self, text: &str, tentative: &mut TentativePairs) -> bool {
        let print = hash_of(text);
        if self.seen.contains(&print) {
            return true;
        }
        tentative.same.push(print);
        ids_in(text).all(|id| self.pair(id, id, tentative))
    }

    /// Keeps the pairs of a request that was answered.
    pub(super) fn keep(&mut self, tentative: TentativePairs) {
        self.to_sent.extend(tentative.to_sent);
        self.to_recorded.extend(tentative.to_recorded);
        self.seen.extend(tentative.same);
    }
}

/// Visits every text of a request.
fn texts_of(exchange: &Exchange, visit: &mut impl FnMut(&str)) {
    visit(&exchange.request.path);
    match &exchange.request.body {
        RecordedBody::Json(value) => texts_in(value, visit),
        RecordedBody::Text(text) => visit(text),
        RecordedBody::Form(pairs) => pairs.iter().for_each(|(_, value)| visit(value)),
        RecordedBody::Parts(parts) => {
            for part in parts {
                visit(part.filename.as_deref().unwrap_or_default());
                visit(&String::from_utf8_lossy(&part.content));
            }
        }
        RecordedBody::Empty | RecordedBody::Bytes(_) | RecordedBody::TooLarge { .. } => {}
    }
}

/// Visits every string of a value.
pub(crate) fn texts_in(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, visit)),
        Value::Object(map) => map.values().for_each(|item| texts_in(item, visit)),
        _ => {}
    }
}
