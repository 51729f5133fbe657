//! Values that differ from run to run although the agent did the same: generated ids, addresses, the present time.
//!
//! An id counts as the same if it is new in its run, and if it always takes the place of the same id of the other run.
//! So an agent that refunds the *other* of two generated orders differs. A time counts as the same if both were the
//! present time of their run.

use std::collections::{HashMap, HashSet};

use agentci_verdict::unix_seconds;
use serde_json::Value;

use crate::{PartValue, Trajectory};

/// How far a time may be from its run to count as its present, in seconds.
const NEAR: i64 = 2 * 86_400;

/// What is known about the values of two attempts.
#[derive(Debug, Default)]
pub(crate) struct Varying {
    /// Whether every difference counts.
    exact: bool,
    /// The ids of the old and of the new attempt.
    ids: [HashSet<String>; 2],
    /// The id that takes the place of an old one, and the reverse.
    pairs: [HashMap<String, String>; 2],
    /// The span of both runs, in seconds.
    spans: [(i64, i64); 2],
    /// How many values counted as the same although they differ.
    pub(crate) ignored: usize,
}

impl Varying {
    pub(crate) fn new(old: &Trajectory, new: &Trajectory, times: [(u64, u64); 2], exact: bool) -> Self {
        let seconds = |ms: u64| i64::try_from(ms / 1000).expect("a thousandth of 64 bits fits into 63");
        let ids = if exact { Default::default() } else { [ids_of(old), ids_of(new)] };
        Self { exact, ids, spans: times.map(|(from, to)| (seconds(from), seconds(to))), ..Self::default() }
    }

    /// Whether two different values count as the same.
    pub(crate) fn is_same(&mut self, old: &Value, new: &Value) -> bool {
        if self.exact {
            return false;
        }
        let same = match (old, new) {
            (Value::String(old), Value::String(new)) => self.is_same_text(old, new),
            (Value::Number(old), Value::Number(new)) => {
                let (Some(old), Some(new)) = (old.as_i64(), new.as_i64()) else { return false };
                self.is_present(old, 0) && self.is_present(new, 1)
            }
            _ => false,
        };
        self.ignored += usize::from(same);
        same
    }

    /// Whether a number is the present time of its run, in seconds or milliseconds.
    fn is_present(&self, number: i64, side: usize) -> bool {
        let seconds = if number > 100_000_000_000 { number / 1000 } else { number };
        self.is_near(seconds, side)
    }

    fn is_near(&self, seconds: i64, side: usize) -> bool {
        let (from, to) = self.spans[side];
        from > 0 && (from - NEAR..=to + NEAR).contains(&seconds)
    }

    fn is_same_text(&mut self, old: &str, new: &str) -> bool {
        let (one, other) = (varying_parts(old), varying_parts(new));
        if one.is_empty() || one.len() != other.len() || between(old, &one) != between(new, &other) {
            return false;
        }
        let texts = |part: &VaryingPart, text: &str| text[part.start..part.end].to_owned();
        let pairs: Vec<_> = one.iter().zip(&other).map(|(a, b)| (a, b, texts(a, old), texts(b, new))).collect();
        let fits = |(a, b, old, new): &(&VaryingPart, &VaryingPart, String, String)| match (a.kind, b.kind) {
            _ if old == new => true,
            (VaryingKind::Id, VaryingKind::Id) => self.is_pair(old, new),
            (VaryingKind::Address, VaryingKind::Address) => true,
            (VaryingKind::Time(old), VaryingKind::Time(new)) => self.is_near(old, 0) && self.is_near(new, 1),
            _ => false,
        };
        if !pairs.iter().all(fits) {
            return false;
        }
        for (a, _, old, new) in pairs {
            if matches!(a.kind, VaryingKind::Id) && old != new {
                self.pairs[0].insert(old.clone(), new.clone());
                self.pairs[1].insert(new, old);
            }
        }
        true
    }

    /// Whether an id may take the place of another: neither occurs in the other run, and neither has another partner.
    fn is_pair(&self, old: &str, new: &str) -> bool {
        let fresh = !self.ids[1].contains(old) && !self.ids[0].contains(new);
        let known = |side: usize, id: &str, other: &str| self.pairs[side].get(id).is_none_or(|known| known == other);
        fresh && known(0, old, new) && known(1, new, old)
    }
}

fn ids_of(trajectory: &Trajectory) -> HashSet<String> {
    let mut ids = HashSet::new();
    for part in trajectory.steps.iter().flat_map(|step| &step.parts) {
        if let PartValue::Known(value) = &part.value {
            gather(value, &mut ids);
        }
    }
    ids
}

fn gather(value: &Value, into: &mut HashSet<String>) {
    match value {
        Value::String(text) => {
            let ids = varying_parts(text).into_iter().filter(|part| matches!(part.kind, VaryingKind::Id));
            into.extend(ids.map(|part| text[part.start..part.end].to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, into)),
        Value::Object(map) => map.values().for_each(|item| gather(item, into)),
        _ => {}
    }
}

fn between<'t>(text: &'t str, parts: &[VaryingPart]) -> Vec<&'t str> {
    let ends = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let starts = parts.iter().map(|part| part.start).chain([text.len()]);
    ends.zip(starts).map(|(end, start)| &text[end..start]).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VaryingKind {
    Id,
    Address,
    /// Unix seconds.
    Time(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct VaryingPart {
    start: usize,
    end: usize,
    kind: VaryingKind,
}

/// The parts of a text that may vary, in order. All of them have a digit, and most words have none.
fn varying_parts(text: &str) -> Vec<VaryingPart> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let has_digit = |from: usize, to: usize| bytes[from..to].iter().any(u8::is_ascii_digit);
    let mut at = if has_digit(0, bytes.len()) { 0 } else { bytes.len() };
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let word = at + length_while(&bytes[at..], |byte| byte.is_ascii_alphanumeric() || b"_-.:+".contains(&byte));
        // Punctuation at the end of a word belongs to the sentence.
        let end = at + text[at..word].trim_end_matches(['_', '-', '.', ':', '+']).len();
        if has_digit(at, end) {
            match kind_of(&text[at..end]) {
                Some(kind) => parts.push(VaryingPart { start: at, end, kind }),
                None => parts.extend(id_within(text, at, end)),
            }
        }
        at = word.max(at + 1);
    }
    parts
}

/// The kind of a whole word.
fn kind_of(word: &str) -> Option<VaryingKind> {
    if let Some(port) = word.strip_prefix("127.0.0.1:").or_else(|| word.strip_prefix("localhost:")) {
        return port.parse::<u16>().is_ok().then_some(VaryingKind::Address);
    }
    unix_seconds(word).map(VaryingKind::Time).or_else(|| is_id(word).then_some(VaryingKind::Id))
}

/// An id after a prefix such as `order:` or `req.`.
fn id_within(text: &str, start: usize, end: usize) -> Option<VaryingPart> {
    let separator = text[start..end].rfind([':', '.'])?;
    let from = start + separator + 1;
    is_id(&text[from..end]).then_some(VaryingPart { start: from, end, kind: VaryingKind::Id })
}

/// UUIDs, ULIDs, long hexadecimal numbers, and tokens with a prefix, such as `call_Ab12..`.
fn is_id(word: &str) -> bool {
    let bytes = word.as_bytes();
    let hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_both = |part: &str| {
        part.bytes().any(|byte| byte.is_ascii_digit()) && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let groups: Vec<usize> = word.split('-').map(str::len).collect();
    if groups == [8, 4, 4, 4, 12] && word.split('-').all(hex) {
        return true;
    }
    let token = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let upper = word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    if token && has_both(word) && ((bytes.len() == 26 && upper) || (bytes.len() >= 16 && hex(word))) {
        return true;
    }
    word.split_once('_').or_else(|| word.split_once('-')).is_some_and(|(prefix, rest)| {
        let letters = prefix.bytes().all(|byte| byte.is_ascii_alphabetic()) && (2..=16).contains(&prefix.len());
        let random = rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) && has_both(rest);
        letters && random && (rest.len() >= 12 || (rest.len() == 8 && hex(rest)))
    })
}

fn length_while(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| fits(**byte)).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{PartKind, StepKind, TrajectoryStep};

    const ONE: &str = "1f0e7c1a-9d2b-4f6e-8a11-0123456789ab";
    const TWO: &str = "2a9b3c4d-1111-4222-8333-abcdefabcdef";
    const THREE: &str = "3c4d5e6f-1111-4222-8333-abcdefabcdef";
    /// 2026-11-19 and a month later.
    const TIMES: [(u64, u64); 2] = [(1_795_046_400_000, 1_795_046_401_000), (1_797_638_400_000, 1_797_638_401_000)];

    fn with(value: Value) -> Trajectory {
        let steps = vec![TrajectoryStep::new(StepKind::Output, "").with(PartKind::Result, value)];
        Trajectory { steps, ..Trajectory::default() }
    }

    fn all_same(old: &[&str], new: &[&str]) -> bool {
        let mut varying = Varying::new(&with(json!(old)), &with(json!(new)), TIMES, false);
        old.iter().zip(new).all(|(old, new)| old == new || varying.is_same(&json!(old), &json!(new)))
    }

    #[test]
    fn generated_ids_are_the_same_if_they_always_replace_each_other() {
        assert!(all_same(&[&format!("order {ONE} found"), ONE], &[&format!("order {TWO} found"), TWO]));
        assert!(!all_same(&[ONE, ONE], &[TWO, THREE]), "another order was refunded");
        assert!(!all_same(&[ONE, THREE], &[TWO, TWO]), "two orders became one");
        assert!(!all_same(&[ONE, TWO], &[TWO, ONE]), "known ids were swapped");
        assert!(!all_same(&[ONE, "A-17"], &[TWO, "A-18"]), "a short id is a value like any other");
        assert!(all_same(&["call_Ab12Cd34Ef56Gh"], &["call_Zz98Yy76Xx54Ww"]));
        assert!(!all_same(&["refund_everything_now"], &["refund_nothing_at_all"]));
        assert!(!all_same(&["1234567890123456"], &["6543210987654321"]), "digits alone are an account number");
    }

    #[test]
    fn present_time_may_move_but_other_times_may_not() {
        assert!(all_same(&["at 2026-11-19T00:00:01Z"], &["at 2026-12-19T00:00:00Z"]));
        assert!(!all_same(&["until 2026-12-31"], &["until 2027-12-31"]));
        assert!(!all_same(&["2026-11-19"], &["2027-11-19"]));
        // Two days after the first run, to the second.
        assert!(all_same(&["2026-11-21T01:00:01+01:00"], &["2026-12-19T00:00:00Z"]));
        assert!(!all_same(&["2026-11-21T00:00:02Z"], &["2026-12-19T00:00:00Z"]));
        let mut varying = Varying::new(&with(json!(1)), &with(json!(1)), TIMES, false);
        assert!(varying.is_same(&json!(1_795_046_400), &json!(1_797_638_400_500_i64)));
        assert!(!varying.is_same(&json!(20), &json!(200)));
        assert_eq!(varying.ignored, 1);
    }

    #[test]
    fn exact_comparison_ignores_nothing() {
        let mut varying = Varying::new(&with(json!(ONE)), &with(json!(TWO)), TIMES, true);
        assert!(!varying.is_same(&json!(ONE), &json!(TWO)));
    }
}
